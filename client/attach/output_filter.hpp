// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What of a program's output may reach the person's own terminal. The daemon answers a program's
/// queries; if the outer terminal saw them too it would answer again, into the program's input. So
/// only what is known to be an effect without a reply is forwarded, by a real parser.

#include <cstdint>
#include <string>
#include <string_view>

#include "client/attach/outer_modes.hpp"
#include "client/attach/utf8_gate.hpp"

namespace troupe::client {

/// A resumable ECMA-48 and UTF-8 parser between a program and the outer terminal. It may stop at
/// any byte.
///
/// Invariants: C-2: nothing forwarded makes a terminal send bytes back (queries, ENQ, C1 and
/// window reports are dropped; kitty graphics are forced quiet). C-3: only complete sequences are
/// forwarded, so restoring the terminal never lands inside one (pictures excepted: they are ended).
/// Bounds: 128 KiB of one OSC (longer: dropped), 256 bytes of one CSI, 512 of a picture's header.
class OutputFilter {
 public:
  static constexpr std::size_t max_osc_bytes = std::size_t{128} * 1024;
  static constexpr std::size_t max_csi_bytes = 256;
  static constexpr std::size_t max_header_bytes = 512;

  /// Appends to `out` what may be forwarded.
  void feed(std::string_view bytes, std::string& out);

  /// What was forwarded so far, for undoing it.
  [[nodiscard]] OuterModes& modes() { return modes_; }
  /// The parser is at rest and nothing is pending (used before a repaint).
  void restart();
  /// The terminal has fewer rows than the window: scrolling stays within them. 0: no limit.
  void limit_rows(std::uint32_t rows) { limit_rows_ = rows; }

 private:
  enum class State : std::uint8_t {
    ground,
    escape,
    escape_intermediate,
    csi,
    osc,
    dcs_header,
    dcs_body,
    apc_header,
    apc_body,
    dropped_string,
  };

  void byte(unsigned char value, std::string& out);
  void ground(unsigned char value, std::string& out);
  void control(unsigned char value, std::string& out);
  void escape(unsigned char value, std::string& out);
  void escape_intermediate(unsigned char value, std::string& out);
  void csi(unsigned char value, std::string& out);
  void finish_csi(std::string& out);
  void string_byte(unsigned char value, std::string& out);
  void end_string(std::string& out);
  void abort_string(std::string& out);
  void dcs_header(unsigned char value, std::string& out);
  void apc_header(unsigned char value, std::string& out);
  void forward_keyboard(const ControlSequence& sequence, std::string& out);
  void forward_region(const ControlSequence& sequence, std::string& out);
  void forward_modes(const ControlSequence& sequence, std::string& out);
  void full_reset(std::string& out);

  OuterModes modes_;
  State state_ = State::ground;
  bool string_escape_ = false;  ///< an ESC inside a string: `\` ends it, anything else aborts it
  bool overlong_ = false;       ///< the sequence passed its bound or cannot be valid
  Utf8Gate utf8_;
  std::uint32_t limit_rows_ = 0;
  std::string buffer_;
};

}  // namespace troupe::client
