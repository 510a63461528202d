// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The gate's tokenizer: cuts a byte stream into text, controls and sequences (ECMA-48), and can
/// stop and resume at any byte. Everything behind it sees whole, bounded, well-formed pieces only.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.hpp"

namespace troupe::terminal {

enum class Token : std::uint8_t {
  end,      ///< no more bytes
  text,     ///< `text()`: printable ASCII and bytes of UTF-8, not yet decoded
  control,  ///< `control()`: a C0 control
  escape,   ///< ESC, intermediates, final
  csi,
  osc,  ///< `string()`
  dcs,  ///< `string()`, from the first parameter byte on
};

/// Parameters of a control sequence. Surplus ones are ignored.
struct Parameters {
  static constexpr std::size_t max = 30;
  static constexpr std::uint16_t max_value = 65'535;

  struct Value {
    std::uint16_t number = 0;
    bool given = false;
    bool sub = false;  ///< it followed a colon
  };
  std::array<Value, max> values{};
  std::size_t count = 0;

  /// Parameter `i`; `fallback` where it is absent or zero.
  [[nodiscard]] std::uint32_t or_else(std::size_t i, std::uint32_t fallback) const {
    return i < count && values[i].number != 0 ? values[i].number : fallback;
  }
  /// Parameter `i`; 0 where it is absent.
  [[nodiscard]] std::uint32_t get(std::size_t i) const { return or_else(i, 0); }
};

/// Threads: that of its owner.
/// Bounds: strings of `max_string` bytes; a longer one is swallowed and not reported.
/// Invariants: the tokens do not depend on how the stream is cut, except that text may come in
/// more pieces.
class Tokenizer {
 public:
  static constexpr std::size_t max_string = 64 * 1024;

  /// The next token of `bytes` from `at` on; moves `at` behind what was consumed. `base` is the
  /// stream offset of `bytes[0]`.
  Token next(std::string_view bytes, std::size_t& at, StreamOffset base);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] unsigned char control() const { return control_; }
  [[nodiscard]] char prefix() const { return prefix_; }
  /// The intermediate byte; 0 if none. Sequences with more of them are not reported.
  [[nodiscard]] char intermediate() const { return intermediate_; }
  [[nodiscard]] char final() const { return final_; }
  [[nodiscard]] const Parameters& parameters() const { return parameters_; }
  [[nodiscard]] std::string_view string() const { return string_; }
  /// The string ended by BEL or ESC \ and not by another escape sequence.
  [[nodiscard]] bool terminated() const { return terminated_; }
  /// Offset of the ESC that began the last sequence.
  [[nodiscard]] StreamOffset begin() const { return begin_; }
  /// Something stood between the last text and this one, even if nothing came of it.
  [[nodiscard]] bool interrupted() const { return interrupted_; }
  void continue_text() { interrupted_ = false; }
  [[nodiscard]] bool at_ground() const { return state_ == State::ground; }
  /// Bytes that bring a fresh tokenizer to the state this one is in.
  [[nodiscard]] std::string partial() const;
  void reset();
  [[nodiscard]] std::size_t memory_bytes() const { return string_.capacity(); }

 private:
  enum class State : std::uint8_t {
    ground,
    escape,
    csi,
    csi_ignore,
    osc,
    osc_escape,
    dcs,
    dcs_escape,
    swallow,  ///< APC, PM, SOS, and strings that are too long
    swallow_escape,
  };

  bool take_simple_csi(std::string_view bytes, std::size_t& at, StreamOffset base);
  Token step(unsigned char byte, StreamOffset offset);
  Token step_escape(unsigned char byte);
  Token step_csi(unsigned char byte);
  Token step_string(unsigned char byte);
  Token step_string_escape(unsigned char byte, StreamOffset offset);
  void begin_escape(StreamOffset offset);
  void begin_string(State state);
  void put(unsigned char byte);
  void add_digit(unsigned digit);

  State state_ = State::ground;
  unsigned char control_ = 0;
  char prefix_ = 0;
  char intermediate_ = 0;
  char final_ = 0;
  bool terminated_ = false;
  bool again_ = false;  ///< the byte is to be looked at once more
  bool too_many_intermediates_ = false;
  bool surplus_ = false;
  bool interrupted_ = false;
  bool any_ = false;  ///< of the sequence: a parameter byte was seen
  StreamOffset begin_ = 0;
  Parameters parameters_;
  std::string_view text_;
  std::string string_;
};

}  // namespace troupe::terminal
