// SPDX-License-Identifier: MIT
#include "actors/decisions/turn_slice.hpp"

#include <doctest/doctest.h>

using troupe::actors::TurnSlice;

TEST_CASE("turn slice: turns get as short as the cost of a byte asks for and long again") {
  TurnSlice slice;
  CHECK(slice.bytes() == TurnSlice::most_bytes);
  const auto turns = [&slice](int count, std::int64_t us_a_kilobyte) {
    for (int turn = 0; turn < count; ++turn) {
      const auto bytes = static_cast<std::int64_t>(slice.bytes());
      slice.took(slice.bytes(), bytes * us_a_kilobyte / 1024);
    }
  };
  turns(20, 2'000);  // 128 ms for all
  CHECK(slice.bytes() * 2'000 / 1024 <= TurnSlice::long_us);
  CHECK(slice.bytes() * 2'000 / 1024 >= TurnSlice::short_us);
  turns(20, 1'000'000);
  CHECK(slice.bytes() == TurnSlice::least_bytes);
  turns(20, 10);
  CHECK(slice.bytes() == TurnSlice::most_bytes);
  slice.forget();
  CHECK(slice.bytes() == TurnSlice::least_bytes);
}

TEST_CASE("turn slice: a little output tells nothing of what much would cost") {
  TurnSlice slice;
  slice.took(TurnSlice::most_bytes, TurnSlice::long_us + 1);
  const std::size_t shorter = slice.bytes();
  CHECK(shorter == TurnSlice::most_bytes / 2);
  slice.took(1, 1);
  CHECK(slice.bytes() == shorter);
  slice.took(2 * TurnSlice::least_bytes, TurnSlice::long_us + 1);
  CHECK(slice.bytes() == TurnSlice::least_bytes);
}
