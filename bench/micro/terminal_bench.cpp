// SPDX-License-Identifier: MIT
// The whole terminal value: what the journal and waits add to the screen, and what reads cost.
#include "bench/streams.hpp"
#include "terminal/terminal.hpp"

#include <benchmark/benchmark.h>

#include <string>
#include <string_view>
#include <vector>

namespace troupe::bench {
namespace {

using namespace terminal;

constexpr std::size_t chunk_bytes = 64 * 1024;
constexpr std::size_t stream_bytes = 4'000'000;
constexpr std::size_t work_budget = 1'000'000;
constexpr std::int64_t day_ms = 24LL * 60 * 60 * 1000;
constexpr Size standard_size{80, 24};

void feed_all(Terminal& terminal, std::string_view bytes) {
  Effects effects;
  while (!bytes.empty()) {
    const FeedResult fed = terminal.feed(bytes.substr(0, chunk_bytes), Now{}, work_budget, effects);
    bytes.remove_prefix(fed.consumed);
  }
}

void count_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(bytes));
}

void terminal_feed(benchmark::State& state, bool journal) {
  const std::string stream = make_tty_stream("plain", stream_bytes);
  TerminalOptions options;
  options.journal = journal;
  Terminal terminal(standard_size, options);
  for (auto _ : state) {
    feed_all(terminal, stream);
  }
  count_bytes(state, stream.size());
}

enum class Condition : std::uint8_t { needle, regex };

/// A wait for what never comes.
bool arm_wait(Terminal& terminal, Condition condition, std::int64_t number) {
  Effects effects;
  TextWaitSpec wait;
  wait.cursor = CursorNow{};
  const std::string text = "NEVER-" + std::to_string(number);
  (condition == Condition::needle ? wait.needle : wait.regex) = text;
  wait.timeout_ms = day_ms;
  return static_cast<bool>(terminal.arm_text_wait(wait, Now{}, effects));
}

/// Each new line is looked at once, not what was seen before. The cost of a wait is the difference
/// between two counts of them.
void terminal_feed_with_waits(benchmark::State& state, Condition condition) {
  const std::string stream = make_tty_stream("plain", stream_bytes);
  Terminal terminal(standard_size, {});
  for (std::int64_t i = 0; i < state.range(0); ++i) {
    if (!arm_wait(terminal, condition, i)) {
      state.SkipWithError("the wait was refused");
      return;
    }
  }
  for (auto _ : state) {
    feed_all(terminal, stream);
  }
  count_bytes(state, stream.size());
}

/// A thousand busy terminals in turns, with as many waits on each as the argument says.
void terminals_feed_with_waits(benchmark::State& state) {
  constexpr std::size_t terminal_count = 1'000;
  constexpr std::size_t turn_bytes = 4'096;
  const std::string stream = make_tty_stream("plain", terminal_count * turn_bytes);
  std::vector<Terminal> terminals;
  for (std::size_t i = 0; i < terminal_count; ++i) {
    terminals.emplace_back(standard_size, TerminalOptions{});
    for (std::int64_t wait = 0; wait < state.range(0); ++wait) {
      if (!arm_wait(terminals.back(), Condition::needle, wait)) {
        state.SkipWithError("the wait was refused");
        return;
      }
    }
  }
  for (auto _ : state) {
    for (std::size_t i = 0; i < terminal_count; ++i) {
      feed_all(terminals[i], std::string_view{stream}.substr(i * turn_bytes, turn_bytes));
    }
  }
  count_bytes(state, stream.size());
}

void terminal_search(benchmark::State& state, bool regex) {
  Terminal terminal(standard_size, {});
  feed_all(terminal, make_tty_stream("plain", stream_bytes));
  SearchSpec spec;
  spec.pattern = regex ? "q[0-9]+z" : "not-there";
  spec.regex = regex;
  for (auto _ : state) {
    benchmark::DoNotOptimize(terminal.search(spec));
  }
}

/// A shell that runs short commands: every prompt, command and output is marked.
void terminal_feed_commands(benchmark::State& state) {
  std::string stream;
  while (stream.size() < stream_bytes / 4) {
    stream += "\x1b]133;A\x07$ \x1b]133;B\x07true\r\n\x1b]133;C\x07ok\r\n\x1b]133;D;0\x07";
  }
  Terminal terminal(standard_size, {});
  for (auto _ : state) {
    feed_all(terminal, stream);
  }
  count_bytes(state, stream.size());
}

BENCHMARK_CAPTURE(terminal_feed, journal_on, true);
BENCHMARK_CAPTURE(terminal_feed, journal_off, false);
BENCHMARK_CAPTURE(terminal_feed_with_waits, needle, Condition::needle)
    ->Arg(0)
    ->Arg(1)
    ->Arg(16)
    ->Arg(256)
    ->Arg(4096);
BENCHMARK_CAPTURE(terminal_feed_with_waits, regex, Condition::regex)->Arg(1)->Arg(16)->Arg(256);
BENCHMARK(terminals_feed_with_waits)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);
BENCHMARK(terminal_feed_commands);
BENCHMARK_CAPTURE(terminal_search, literal, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(terminal_search, regex, true)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace troupe::bench

BENCHMARK_MAIN();
