// SPDX-License-Identifier: MIT
#include "actors/decisions/frame_watch.hpp"

#include <doctest/doctest.h>

using troupe::actors::FrameWatch;

TEST_CASE("frames: a screen that rests is read at once") {
  FrameWatch frames;
  CHECK(frames.ready_us(0) <= 0);
  frames.shown(1'000'000, false);
  CHECK(frames.ready_us(1'000'000) == 1'000'000 + FrameWatch::rest_us);
  CHECK(frames.ready_us(1'000'000 + FrameWatch::rest_us) == 1'000'000 + FrameWatch::rest_us);
}

TEST_CASE("frames: output that never rests holds a reader only so long") {
  FrameWatch frames;
  constexpr std::int64_t asked = 500;
  for (std::int64_t now = 0; now < 100'000; now += 300) {
    frames.shown(now, false);
    CHECK(frames.ready_us(asked) <= asked + FrameWatch::longest_rest_us);
  }
}

TEST_CASE("frames: a synchronized frame is waited for and its end is enough") {
  FrameWatch frames;
  frames.shown(1'000, true);
  CHECK(frames.ready_us(2'000) == 1'000 + FrameWatch::longest_frame_us);
  frames.shown(3'000, true);
  CHECK(frames.ready_us(2'000) == 1'000 + FrameWatch::longest_frame_us);
  frames.shown(4'000, false);
  CHECK(frames.ready_us(2'000) <= 4'000);
  frames.shown(5'000, false);  // and then something else
  CHECK(frames.ready_us(5'000) == 5'000 + FrameWatch::rest_us);
}

TEST_CASE("frames: a program that never ends its frame holds a reader only so long") {
  FrameWatch frames;
  frames.shown(0, true);
  CHECK(frames.ready_us(FrameWatch::longest_frame_us + 7) <= FrameWatch::longest_frame_us + 7);
  // Nor one that begins a new frame whenever one is over.
  std::int64_t const asked = 1'000'000;
  for (std::int64_t now = asked; now < asked + 500'000; now += 10'000) {
    frames.shown(now, now % 20'000 == 0);
    CHECK(frames.ready_us(asked) <= asked + FrameWatch::longest_frame_us);
  }
}
