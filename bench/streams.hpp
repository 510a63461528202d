// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The kinds of bulk output that are measured. Every stream is made from a fixed seed, so that two
/// runs and two daemons see the same bytes.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::bench {

struct StreamKind {
  std::string_view name;
  std::string_view what;
};

/// plain: lines of ASCII words. coloured: the same with SGR around every fourth word, as a pager or
/// a compiler prints. utf8: Latin, Cyrillic, Greek, CJK and emoji. cursor: words drawn by address,
/// as a full-screen program does.
const std::vector<StreamKind>& stream_kinds();

/// At least `bytes` bytes of the named kind, ending between two lines; nothing for an unknown name.
/// Lines end in LF, which the tty turns into CR LF.
std::optional<std::string> make_stream(std::string_view name, std::size_t bytes);

/// The same as a daemon reads it: with CR LF.
std::string make_tty_stream(std::string_view name, std::size_t bytes);

}  // namespace troupe::bench
