// SPDX-License-Identifier: MIT
// The screen alone: bytes in, checkpoint and text out, resize. `--benchmark_filter=feed` picks.
#include "bench/streams.hpp"
#include "terminal/screen.hpp"

#include <benchmark/benchmark.h>

namespace troupe::bench {
namespace {

using terminal::FeedResult;
using terminal::Screen;
using terminal::Size;

// What a PTY read gives, and what an actor's message carries.
constexpr std::size_t chunk_bytes = 64 * 1024;
constexpr std::size_t stream_bytes = 4'000'000;
constexpr std::size_t work_budget = 1'000'000;
constexpr std::size_t checkpoint_rows = 2'000;
constexpr Size standard_size{80, 24};
constexpr Size narrow_size{60, 24};

class IgnoredEvents final : public terminal::ScreenEvents {
 public:
  void mark(std::string_view, StreamOffset, StreamOffset, bool) override {}
  void title(std::string_view, StreamOffset) override {}
  void working_directory(std::string_view) override {}
  void reply(std::string_view) override {}
  void bell() override {}
  void line_finished() override {}
};

void feed_all(Screen& screen, std::string_view bytes) {
  IgnoredEvents events;
  StreamOffset offset = 0;
  while (!bytes.empty()) {
    const FeedResult fed = screen.feed(bytes.substr(0, chunk_bytes), offset, work_budget, events);
    offset += fed.consumed;
    bytes.remove_prefix(fed.consumed);
  }
}

void screen_feed(benchmark::State& state, std::string_view kind) {
  const std::string stream = make_tty_stream(kind, stream_bytes);
  Screen screen(standard_size);
  for (auto _ : state) {
    feed_all(screen, stream);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(stream.size()));
  state.counters["memory_kib"] = static_cast<double>(screen.memory_bytes()) / 1024;
}

void screen_checkpoint(benchmark::State& state, std::string_view kind) {
  Screen screen(standard_size);
  feed_all(screen, make_tty_stream(kind, stream_bytes));
  std::size_t bytes = 0;
  for (auto _ : state) {
    bytes = screen.checkpoint(checkpoint_rows).bytes.size();
  }
  state.counters["kib"] = static_cast<double>(bytes) / 1024;
}

void screen_text(benchmark::State& state, std::string_view kind) {
  Screen screen(standard_size);
  feed_all(screen, make_tty_stream(kind, stream_bytes));
  for (auto _ : state) {
    benchmark::DoNotOptimize(screen.plain_text(checkpoint_rows));
  }
}

void screen_width_change(benchmark::State& state, std::string_view kind) {
  Screen screen(standard_size);
  feed_all(screen, make_tty_stream(kind, stream_bytes));
  bool narrow = false;
  for (auto _ : state) {
    narrow = !narrow;
    screen.resize(narrow ? narrow_size : standard_size);
  }
}

BENCHMARK_CAPTURE(screen_feed, plain, "plain");
BENCHMARK_CAPTURE(screen_feed, coloured, "coloured");
BENCHMARK_CAPTURE(screen_feed, utf8, "utf8");
BENCHMARK_CAPTURE(screen_feed, cursor, "cursor");
BENCHMARK_CAPTURE(screen_checkpoint, plain, "plain")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(screen_checkpoint, coloured, "coloured")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(screen_text, plain, "plain")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(screen_width_change, plain, "plain")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(screen_width_change, utf8, "utf8")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace troupe::bench

BENCHMARK_MAIN();
