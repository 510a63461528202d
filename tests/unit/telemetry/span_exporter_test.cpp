// SPDX-License-Identifier: MIT
#include "telemetry/span_exporter.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::telemetry;
using namespace std::chrono_literals;

namespace {

constexpr auto patience = 20s;

/// What the sink saw, and what it shall answer; outlives the exporter.
struct Script {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> lines;
  std::vector<Delivery> answers;  // the last one for ever
  std::vector<std::string> warnings;
  bool hangs = false;   // until the deadline
  bool frozen = false;  // whatever the deadline
  SpanSink::Clock::time_point latest = SpanSink::Clock::time_point::max();

  void wait_lines(std::size_t n) {
    std::unique_lock lock(mutex);
    REQUIRE(changed.wait_for(lock, patience, [&] { return lines.size() >= n; }));
  }
};

class ScriptedSink final : public SpanSink {
 public:
  explicit ScriptedSink(std::shared_ptr<Script> script) : script_(std::move(script)) {}
  Delivery deliver(const std::string& line, Clock::time_point deadline) override {
    std::unique_lock lock(script_->mutex);
    script_->lines.push_back(line);
    script_->changed.notify_all();
    script_->changed.wait(lock, [&] { return !script_->frozen; });
    while (script_->hangs && Clock::now() < std::min(deadline, script_->latest)) {
      script_->changed.wait_until(lock, std::min(deadline, script_->latest));
    }
    if (script_->hangs) {
      return {Fate::retry, 0, "it took too long"};
    }
    const std::size_t turn = std::min(script_->lines.size(), script_->answers.size()) - 1;
    return script_->answers.empty() ? Delivery{} : script_->answers[turn];
  }
  void hurry(Clock::time_point deadline) override {
    const std::lock_guard lock(script_->mutex);
    script_->latest = deadline;
    script_->changed.notify_all();
  }

 private:
  std::shared_ptr<Script> script_;
};

struct Fixture {
  std::shared_ptr<Script> script = std::make_shared<Script>();
  std::shared_ptr<Counters> counters = std::make_shared<Counters>();

  SpanExporter::Parts parts(std::size_t batch = 2) {
    SpanExporter::Parts parts;
    parts.settings.target.host = "c";
    parts.settings.delay = 1ms;
    parts.settings.batch = batch;
    parts.version = "1";
    parts.counters = counters;
    parts.sink = std::make_unique<ScriptedSink>(script);
    parts.first_pause = 1ms;
    parts.warn = [seen = script](const std::string& line) {
      const std::lock_guard lock(seen->mutex);
      seen->warnings.push_back(line);
    };
    return parts;
  }
  [[nodiscard]] std::uint64_t lost(SpanLoss why) const {
    return counters->spans_lost.at(why).get();
  }
};

Span span(std::uint64_t id) {
  return {SpanName::send_input, Connector::pty, {id}, 1, 2, {}};
}

std::size_t spans_in(const std::string& line) {
  return nlohmann::json::parse(line)["resourceSpans"][0]["scopeSpans"][0]["spans"].size();
}

}  // namespace

TEST_CASE("span_queue: what does not fit into its bytes is refused and the oldest kept") {  // TM-6
  SpanQueue queue{3 * sizeof(Span) + 1};
  CHECK(queue.push(span(1)) == 1);
  CHECK(queue.push(span(2)) == 2);
  CHECK(queue.push(span(3)) == 3);
  CHECK(queue.push(span(4)) == 0);
  const std::vector<Span> taken = queue.take(2);
  REQUIRE(taken.size() == 2);
  CHECK(taken[0].terminal.value == 1);
  CHECK(queue.push(span(5)) == 2);
  CHECK(queue.take(9).size() == 2);
  CHECK(queue.size() == 0);
}

TEST_CASE("span_exporter: spans go out in batches in their order") {
  Fixture f;
  {
    SpanExporter exporter{f.parts()};
    for (std::uint64_t i = 0; i < 5; ++i) {
      exporter.add(span(i));
    }
  }
  std::size_t sent = 0;
  for (const std::string& line : f.script->lines) {
    CHECK(spans_in(line) <= 2);
    sent += spans_in(line);
  }
  CHECK(sent == 5);
  CHECK(f.counters->spans_sent.get() == 5);
}

TEST_CASE("span_exporter: a batch is tried again and dropped after its attempts") {  // TM-10
  Fixture f;
  f.script->answers = {{Fate::retry, 0, "down"}};
  {
    SpanExporter exporter{f.parts()};
    exporter.add(span(1));
    f.script->wait_lines(SpanExporter::max_attempts);
    exporter.add(span(2));
    f.script->wait_lines(SpanExporter::max_attempts + 1);
  }
  CHECK(f.lost(SpanLoss::failed) == 2);
  CHECK(f.counters->spans_sent.get() == 0);
  CHECK(f.script->lines[0] == f.script->lines[SpanExporter::max_attempts - 1]);
  // One failure in a row is told once.
  REQUIRE(f.script->warnings.size() == 1);
  CHECK(f.script->warnings[0] == "spans do not reach http://c:80: down");
}

TEST_CASE("span_exporter: what a collector rejects is not tried again") {  // TM-10
  Fixture f;
  f.script->answers = {{Fate::rejected, 0, "HTTP status 400"}, {Fate::sent, 1, {}}};
  {
    SpanExporter exporter{f.parts(3)};
    exporter.add(span(1));
    f.script->wait_lines(1);
    exporter.add(span(2));
    exporter.add(span(3));
    exporter.add(span(4));
  }
  CHECK(f.lost(SpanLoss::failed) == 0);
  CHECK(f.lost(SpanLoss::rejected) + f.counters->spans_sent.get() == 4);
  CHECK(f.lost(SpanLoss::rejected) >= 2);
}

TEST_CASE("span_exporter: what a full file could not take is counted as that") {  // TM-14
  Fixture f;
  f.script->answers = {{Fate::full, 0, "the file would be larger"}, {}};
  {
    SpanExporter exporter{f.parts(1)};
    exporter.add(span(1));
    f.script->wait_lines(1);
    exporter.add(span(2));
    f.script->wait_lines(2);
  }
  CHECK(f.lost(SpanLoss::file_full) == 1);
  CHECK(f.lost(SpanLoss::rejected) == 0);
  CHECK(f.counters->spans_sent.get() == 1);
  CHECK(f.script->warnings.size() == 1);
}

TEST_CASE(
    "span_exporter: while a collector hangs the queue is bounded and adding is quick") {  // TM-6
                                                                                          // TM-7
  Fixture f;
  f.script->hangs = true;
  SpanExporter::Parts parts = f.parts();
  parts.queue_bytes = 100 * sizeof(Span);
  const auto start = std::chrono::steady_clock::now();
  {
    SpanExporter exporter{std::move(parts)};
    exporter.add(span(0));
    f.script->wait_lines(1);
    for (std::uint64_t i = 0; i < 1000; ++i) {
      exporter.add(span(i));
    }
    CHECK(exporter.queued() == 100);
    CHECK(f.lost(SpanLoss::queue_full) == 900);
  }
  // The end waits for the farewell, not for the collector's ten seconds.
  CHECK(std::chrono::steady_clock::now() - start < 5s);
  CHECK(f.lost(SpanLoss::failed) == 101);
}

TEST_CASE("span_exporter: a thread that cannot be reached is left behind") {  // TM-7
  Fixture f;
  f.script->frozen = true;
  const auto start = std::chrono::steady_clock::now();
  {
    SpanExporter exporter{f.parts()};
    exporter.add(span(1));
    f.script->wait_lines(1);
  }
  CHECK(std::chrono::steady_clock::now() - start < 5s);
  const std::lock_guard lock(f.script->mutex);
  f.script->frozen = false;
  f.script->changed.notify_all();
}

TEST_CASE("span_exporter: of a share that is sampled the others are not sent") {
  Fixture f;
  SpanExporter::Parts parts = f.parts(10'000);
  parts.settings.sampled = 0.5;
  {
    SpanExporter exporter{std::move(parts)};
    for (std::uint64_t i = 0; i < 2000; ++i) {
      exporter.add(span(i));
    }
  }
  CHECK(f.counters->spans_sent.get() > 700);
  CHECK(f.counters->spans_sent.get() < 1300);
}
