// SPDX-License-Identifier: MIT
#include "actors/decisions/output_coalescer.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::actors;

namespace {

std::string joined(const std::vector<OutputBatch>& batches) {
  std::string bytes;
  StreamOffset next = batches.empty() ? 0 : batches.front().start;
  for (const OutputBatch& batch : batches) {
    CHECK(batch.start == next);
    next = batch.end();
    bytes += batch.bytes.view();
  }
  return bytes;
}

}  // namespace

TEST_CASE("coalescer: the first byte after a quiet moment goes out at once") {
  OutputCoalescer coalescer;
  std::vector<OutputBatch> out;
  coalescer.add(5, SharedBytes{"k"}, 1'000'000, out);
  REQUIRE(out.size() == 1);
  CHECK(out[0].start == 5);
  CHECK(out[0].bytes.view() == "k");
  CHECK_FALSE(coalescer.deadline_us());
}

TEST_CASE("coalescer: what follows within a millisecond is held until then") {
  OutputCoalescer coalescer;
  std::vector<OutputBatch> out;
  coalescer.add(0, SharedBytes{"a"}, 1'000'000, out);
  out.clear();
  coalescer.add(1, SharedBytes{"b"}, 1'000'100, out);
  coalescer.add(2, SharedBytes{"c"}, 1'000'200, out);
  CHECK(out.empty());
  CHECK(coalescer.deadline_us() == 1'001'000);
  coalescer.flush(1'001'000, out);
  CHECK(joined(out) == "bc");
  CHECK_FALSE(coalescer.deadline_us());
}

TEST_CASE("coalescer: a batch is full at 8 KiB whatever the time") {
  OutputCoalescer coalescer;
  std::vector<OutputBatch> out;
  coalescer.add(0, SharedBytes{"a"}, 0, out);
  std::string expected = "a";
  for (StreamOffset at = 1; at < 40'000; at += 1000) {
    std::string const piece(1000, static_cast<char>('a' + at % 26));
    coalescer.add(at, SharedBytes{piece}, 1, out);
    expected += piece;
  }
  CHECK(out.size() >= 4);
  for (const OutputBatch& batch : out) {
    CHECK(batch.bytes.size() <= 2 * OutputCoalescer::batch_bytes);
  }
  coalescer.flush(2, out);
  CHECK(joined(out) == expected);
}

TEST_CASE("coalescer: large input keeps its order behind what was held and is shared") {
  OutputCoalescer coalescer;
  std::vector<OutputBatch> out;
  coalescer.add(0, SharedBytes{"x"}, 0, out);
  coalescer.add(1, SharedBytes{"held"}, 1, out);
  const SharedBytes large{std::string(100'000, 'L')};
  coalescer.add(5, large, 2, out);
  CHECK(joined(out) == "xheld" + std::string(100'000, 'L'));
  for (const OutputBatch& batch : out) {
    CHECK(batch.bytes.size() <= OutputCoalescer::max_batch_bytes);
  }
  CHECK(out.back().bytes.view().data() >= large.view().data());
  CHECK(out.back().bytes.view().data() < large.view().data() + large.size());
}
