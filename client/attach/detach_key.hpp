// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The key that leaves an attached terminal: how people write it, and how a terminal sends it.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace troupe::client {

/// A Ctrl key. `key` is the lower-case character held with Ctrl; 0 means that no key detaches.
struct DetachKey {
  char key = ']';
  bool operator==(const DetachKey&) const = default;
};

/// Takes `ctrl-]`, `ctrl+a`, `C-a`, `^A` and `none`. Refuses Ctrl-I, Ctrl-J, Ctrl-M and Ctrl-[,
/// which terminals send as Tab, Enter and Escape.
Result<DetachKey> parse_detach_key(std::string_view text);

/// `Ctrl-]`, as it is shown to people.
std::string to_text(DetachKey key);

/// Finds the detach key in what the outer terminal sends, and passes everything else on unchanged.
///
/// The key is known in each form: the control byte, kitty's `CSI code:shifted:base;mods:event u`
/// (whatever lock modifiers are set, in layouts whose base key it is), and `CSI 27;mods;code ~`.
/// Invariants: C-4: inside a bracketed paste nothing is a key. C-5: bytes are passed on in order,
/// none lost, none twice.
/// Bounds: holds back at most 64 bytes, those of an unfinished CSI.
class InputScanner {
 public:
  explicit InputScanner(DetachKey key) : key_(key) {}

  enum class Verdict : std::uint8_t { go_on, detach };
  /// Appends to `out` what belongs to the program. After `detach` the rest of `bytes` is dropped.
  Verdict feed(std::string_view bytes, std::string& out);

  /// Bytes are held back; where nothing follows soon they are not a key: `release` them.
  [[nodiscard]] bool holding() const { return held_.size() > passed_; }
  void release(std::string& out);

 private:
  enum class Kind : std::uint8_t { other, detach_press, detach_release };
  [[nodiscard]] Kind classify(std::string_view body, char final) const;
  void note_paste(std::string_view sequence);
  Verdict plain(char byte, std::string& out);
  Verdict sequence_byte(char byte, std::string& out);

  DetachKey key_;
  bool pasting_ = false;
  std::string held_;        ///< a sequence that is not whole yet
  std::size_t passed_ = 0;  ///< how much of it was passed on already: its Escape, or nothing
};

}  // namespace troupe::client
