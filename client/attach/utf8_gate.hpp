// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Lets only valid UTF-8 through, so that the outer terminal and the daemon agree where a character
/// ends and no byte is taken for an 8-bit control.

#include <cstdint>
#include <string>

namespace troupe::client {

/// Bounds: holds at most three bytes of an unfinished character.
class Utf8Gate {
 public:
  [[nodiscard]] bool pending() const { return need_ != 0; }
  void reset() { need_ = 0; }

  /// Takes a byte >= 0x80, or any byte while a character is pending. Appends what became whole;
  /// U+FFFD for what is invalid; nothing for U+0080 … U+009F, which some terminals obey. False
  /// where the byte does not belong to the pending character and must be looked at again.
  bool take(unsigned char value, std::string& out);

 private:
  char bytes_[4] = {};
  std::uint8_t have_ = 0;
  std::uint8_t need_ = 0;
};

}  // namespace troupe::client
