// SPDX-License-Identifier: MIT
#include "client/attach/utf8_gate.hpp"

#include <string_view>

namespace troupe::client {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

/// How many bytes a UTF-8 sequence has that begins with `lead`, or 0 where none does.
std::uint8_t utf8_length(unsigned char lead) {
  if (lead >= 0xc2 && lead <= 0xdf) {
    return 2;
  }
  if (lead >= 0xe0 && lead <= 0xef) {
    return 3;
  }
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

/// The second byte excludes overlong forms, surrogates and what lies beyond U+10FFFF.
bool second_byte_fits(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xe0:
      return second >= 0xa0 && second <= 0xbf;
    case 0xed:
      return second >= 0x80 && second <= 0x9f;
    case 0xf0:
      return second >= 0x90 && second <= 0xbf;
    case 0xf4:
      return second >= 0x80 && second <= 0x8f;
    default:
      return second >= 0x80 && second <= 0xbf;
  }
}

}  // namespace

bool Utf8Gate::take(unsigned char value, std::string& out) {
  if (need_ == 0) {
    need_ = utf8_length(value);
    if (need_ == 0) {
      out += replacement;
      return true;
    }
    bytes_[0] = static_cast<char>(value);
    have_ = 1;
    return true;
  }
  const auto lead = static_cast<unsigned char>(bytes_[0]);
  const bool fits = have_ == 1 ? second_byte_fits(lead, value) : value >= 0x80 && value <= 0xbf;
  if (!fits) {
    out += replacement;
    need_ = 0;
    return value >= 0x80 && take(value, out);
  }
  bytes_[have_++] = static_cast<char>(value);
  if (have_ < need_) {
    return true;
  }
  const bool c1 = need_ == 2 && lead == 0xc2 && value < 0xa0;
  if (!c1) {
    out.append(bytes_, need_);
  }
  need_ = 0;
  return true;
}

}  // namespace troupe::client
