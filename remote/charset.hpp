// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Character sets of remote hosts. A terminal's output is UTF-8 everywhere in this project, so a
/// channel that speaks another set translates at its edge, in both directions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::remote {

enum class Charset : std::uint8_t { utf8, latin1, cp437 };

/// "utf-8", "utf8", "latin1", "iso-8859-1", "cp437", in any case; nothing for another name.
std::optional<Charset> charset_from_name(std::string_view name);

/// The host's bytes as UTF-8. Control bytes stay themselves in every set. UTF-8 passes untouched:
/// ill-formed bytes are the screen's to judge. Stateless: every byte of the other sets stands
/// alone.
std::string decode_output(Charset charset, std::string_view bytes);

/// Typed UTF-8 in the host's set; holds back a character that is cut at the end of a write.
///
/// Threads: one caller at a time. Bounds: holds at most 3 bytes.
class InputEncoder {
 public:
  explicit InputEncoder(Charset charset) : charset_(charset) {}

  /// What cannot be expressed, and ill-formed UTF-8, becomes '?'.
  std::string encode(std::string_view text);

 private:
  Charset charset_;
  std::string held_;
};

}  // namespace troupe::remote
