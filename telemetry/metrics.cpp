// SPDX-License-Identifier: MIT
#include "telemetry/metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace troupe::telemetry {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;

/// Seconds: from a turn without a wait to a daemon that people notice.
const Histogram::BucketBoundaries delay_buckets{0.0005, 0.001, 0.002, 0.005, 0.01,
                                                0.02,   0.05,  0.1,   0.5,   2.0};

Family<Counter>& counters(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

Counter& counter(prometheus::Registry& registry, const char* name, const char* help) {
  return counters(registry, name, help).Add({});
}

Histogram& delay(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({},
                                                                                   delay_buckets);
}

double seconds(std::chrono::microseconds time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

struct Metrics::Series {
  prometheus::Registry registry;
  Family<Counter>& launched =
      counters(registry, "troupe_terminal_launched_total", "Terminals that were started.");
  Family<Counter>& closed =
      counters(registry, "troupe_terminal_closed_total", "Terminals that are gone, by cause.");
  Counter& output =
      counter(registry, "troupe_terminal_output_bytes_total", "Bytes that programs printed.");
  Counter& input =
      counter(registry, "troupe_terminal_input_bytes_total", "Bytes that programs were given.");
  Family<Counter>& lags =
      counters(registry, "troupe_subscriber_lag_total", "Subscribers that did not keep up.");
  Counter& disconnected = lags.Add({{"outcome", "disconnected"}});
  Counter& resynchronised = lags.Add({{"outcome", "resynchronised"}});
  Gauge& waits = prometheus::BuildGauge()
                     .Name("troupe_waits")
                     .Help("Waits for text, commands and exits that are not answered yet.")
                     .Register(registry)
                     .Add({});
  Counter& commands =
      counter(registry, "troupe_journal_commands_total", "Commands that shells finished.");
  Counter& dropped_rows = counter(registry, "troupe_recording_dropped_rows_total",
                                  "Rows that recordings could not take.");
  Counter& dropped_spans =
      counter(registry, "troupe_spans_dropped_total", "Spans that no collector took.");
  Histogram& actor_delay =
      delay(registry, "troupe_actor_delay_seconds", "How late an actor handles a message.");
  Histogram& reactor_delay =
      delay(registry, "troupe_reactor_delay_seconds", "How late the io thread handles a timer.");
};

Metrics::Metrics() : series_(std::make_unique<Series>()) {}
Metrics::~Metrics() = default;

void Metrics::launched(std::string_view kind) {
  series_->launched.Add({{"connector_type", std::string{kind}}}).Increment();
}

void Metrics::closed(std::string_view kind, std::string_view cause) {
  series_->closed.Add({{"connector_type", std::string{kind}}, {"cause", std::string{cause}}})
      .Increment();
}

void Metrics::output(std::size_t bytes) {
  series_->output.Increment(static_cast<double>(bytes));
}

void Metrics::input(std::size_t bytes) {
  series_->input.Increment(static_cast<double>(bytes));
}

void Metrics::lagged(Lag lag) {
  (lag == Lag::disconnected ? series_->disconnected : series_->resynchronised).Increment();
}

void Metrics::waits_changed(std::ptrdiff_t difference) {
  series_->waits.Increment(static_cast<double>(difference));
}

void Metrics::command_finished() {
  series_->commands.Increment();
}

void Metrics::rows_dropped(std::uint64_t rows) {
  series_->dropped_rows.Increment(static_cast<double>(rows));
}

void Metrics::spans_dropped(std::uint64_t spans) {
  series_->dropped_spans.Increment(static_cast<double>(spans));
}

void Metrics::actor_delay(std::chrono::microseconds delay) {
  series_->actor_delay.Observe(seconds(delay));
}

void Metrics::reactor_delay(std::chrono::microseconds delay) {
  series_->reactor_delay.Observe(seconds(delay));
}

std::string Metrics::text() const {
  return prometheus::TextSerializer{}.Serialize(series_->registry.Collect());
}

}  // namespace troupe::telemetry
