// SPDX-License-Identifier: MIT
#include "client/attach/notice.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace troupe::client;
using std::chrono::milliseconds;

namespace {

struct Window {
  Painter painter;
  Notice notice{painter};
  const Deadline start{};

  Window() {
    std::string out;
    painter.begin({}, {80, 24}, DetachKey{}, true, out);
  }

  std::string repainted() {
    std::string out;
    painter.repaint("screen", out);
    return out;
  }
};

}  // namespace

TEST_CASE("notice: what is shown is in each repaint until its time is over") {
  Window window;
  CHECK(window.notice.poll_timeout_ms(window.start) == -1);
  window.notice.show("watching only", window.start);
  CHECK(window.repainted().find("watching only") != std::string::npos);
  CHECK(window.notice.poll_timeout_ms(window.start + milliseconds{9'000}) == 1'000);
  CHECK_FALSE(window.notice.end_when_over(window.start + milliseconds{9'999}));
  CHECK(window.repainted().find("watching only") != std::string::npos);

  CHECK(window.notice.poll_timeout_ms(window.start + milliseconds{11'000}) == 0);
  CHECK(window.notice.end_when_over(window.start + Notice::shown_for));
  CHECK(window.repainted().find("watching only") == std::string::npos);
  CHECK_FALSE(window.notice.end_when_over(window.start + milliseconds{60'000}));
  CHECK(window.notice.poll_timeout_ms(window.start) == -1);
}

TEST_CASE("notice: another one takes its place and has its own time") {
  Window window;
  window.notice.show("first", window.start);
  window.notice.show("second", window.start + milliseconds{8'000});
  const std::string shown = window.repainted();
  CHECK(shown.find("first") == std::string::npos);
  CHECK(shown.find("second") != std::string::npos);
  CHECK_FALSE(window.notice.end_when_over(window.start + Notice::shown_for));
}

TEST_CASE("notice: an end is told once") {
  Window window;
  CHECK_FALSE(window.notice.end());
  window.notice.show("watching only", window.start);
  CHECK(window.notice.end());
  CHECK_FALSE(window.notice.end());
  CHECK(window.repainted().find("watching only") == std::string::npos);
}
