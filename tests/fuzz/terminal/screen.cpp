// SPDX-License-Identifier: MIT
//
// Gate and screen under any bytes, with resizes: no crash, a cursor on the screen, bounded events,
// and a checkpoint that makes an equal screen. The first two bytes are the size; 0xFE is a resize
// (two bytes follow), 0xFF ends a chunk.
#include <cstdio>
#include <cstdlib>

#include "tests/support/screen_state.hpp"

namespace {

using troupe::terminal::ScreenImpl;
using troupe::terminal::ScreenLimits;
using troupe::terminal::Size;
using troupe::testing::describe;
using troupe::testing::feed_all;

void require(bool holds, const char* what, const std::string& a = {}, const std::string& b = {}) {
  if (!holds) {
    std::fprintf(stderr, "%s\n--- expected\n%s\n--- got\n%s\n", what, a.c_str(), b.c_str());
    std::abort();
  }
}

void check(const ScreenImpl& screen) {
  require(screen.cursor.x < screen.size.cols && screen.cursor.y < screen.size.rows, "cursor");
  require(screen.names.size() == screen.size.rows, "names");
  require(screen.primary.rows() == screen.size.rows, "rows");
  for (std::size_t i = 1; i < screen.names.size(); ++i) {
    require(screen.names[i - 1].seq < screen.names[i].seq, "sequences grow");
    require(screen.names[i - 1].id < screen.names[i].id, "ids grow");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size < 3 || size > 4096) {
    return 0;
  }
  std::string_view bytes{reinterpret_cast<const char*>(data), size};
  const auto dimension = [](char c, unsigned top) {
    return static_cast<std::uint16_t>(1U + static_cast<unsigned char>(c) % top);
  };
  ScreenLimits limits;
  limits.history_rows = 200;
  ScreenImpl screen{
      Size{static_cast<std::uint16_t>(dimension(bytes[0], 60) + 1), dimension(bytes[1], 20)},
      limits};
  bytes.remove_prefix(2);
  troupe::testing::NoEvents events;
  while (!bytes.empty()) {
    const std::size_t stop = bytes.find_first_of("\xfe\xff");
    feed_all(screen, bytes.substr(0, stop), events, 0, 5000);
    check(screen);
    if (stop == std::string_view::npos) {
      break;
    }
    if (bytes[stop] == '\xfe' && stop + 2 < bytes.size()) {
      screen.resize({static_cast<std::uint16_t>(dimension(bytes[stop + 1], 60) + 1),
                     dimension(bytes[stop + 2], 20)});
      check(screen);
      bytes.remove_prefix(stop + 3);
    } else {
      bytes.remove_prefix(stop + 1);
    }
  }
  const std::string before = describe(screen);
  const std::string after = describe(troupe::testing::restored(screen));
  require(before == after, "checkpoint law", troupe::testing::difference(before, after));
  return 0;
}
