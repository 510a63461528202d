// SPDX-License-Identifier: MIT
#include "telemetry/exposition.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::telemetry {
namespace {

using Families = std::vector<prometheus::MetricFamily>;
using prometheus::ClientMetric;
using prometheus::MetricType;

constexpr double us_per_s = 1e6;

// In the order of the enums of port.hpp and counters.hpp.
constexpr std::array<std::string_view, connectors> connector_words{"pty", "ssh", "telnet"};
constexpr std::array<std::string_view, close_causes> close_words{"terminated", "evicted",
                                                                 "shutdown", "failed"};
constexpr std::array<std::string_view, program_ends> program_words{"exited", "signalled", "failed",
                                                                   "unknown"};
constexpr std::array<std::string_view, subscription_ends> subscription_words{
    "terminated", "exited", "lagging", "replaced", "cancelled", "shutdown"};
constexpr std::array<std::string_view, wait_kinds> wait_words{"text", "command", "run", "exit"};
constexpr std::array<std::string_view, wait_ends> wait_end_words{"met", "timed_out", "failed",
                                                                 "cancelled"};
constexpr std::array<std::string_view, span_losses> loss_words{"queue_full", "failed", "rejected",
                                                               "file_full"};

struct About {
  const char* name;
  const char* help;
};
using Labels = std::vector<std::pair<const char*, std::string_view>>;

prometheus::MetricFamily& family(Families& families, const About& about, MetricType type) {
  families.push_back({about.name, about.help, type, {}});
  return families.back();
}

ClientMetric labelled(const Labels& labels) {
  ClientMetric metric;
  for (const auto& [name, value] : labels) {
    metric.label.push_back({name, std::string{value}});
  }
  return metric;
}

void add_counter(prometheus::MetricFamily& to, const Labels& labels, const Counter& counter) {
  ClientMetric metric = labelled(labels);
  metric.counter.value = static_cast<double>(counter.get());
  to.metric.push_back(std::move(metric));
}

void counter(Families& families, const About& about, const Counter& value) {
  add_counter(family(families, about, MetricType::Counter), {}, value);
}

template <std::size_t N>
void counters_by(Families& families, const About& about, const char* label,
                 const std::array<std::string_view, N>& words, const CounterGrid<N>& grid) {
  prometheus::MetricFamily& to = family(families, about, MetricType::Counter);
  for (std::size_t i = 0; i < N; ++i) {
    add_counter(to, {{label, words[i]}}, grid.cells[i].front());
  }
}

template <std::size_t Rows, std::size_t Columns>
void counters_by_two(Families& families, const About& about, std::array<const char*, 2> labels,
                     const std::array<std::string_view, Rows>& rows,
                     const std::array<std::string_view, Columns>& columns,
                     const CounterGrid<Rows, Columns>& grid) {
  prometheus::MetricFamily& to = family(families, about, MetricType::Counter);
  for (std::size_t i = 0; i < Rows; ++i) {
    for (std::size_t j = 0; j < Columns; ++j) {
      add_counter(to, {{labels[0], rows[i]}, {labels[1], columns[j]}}, grid.cells[i][j]);
    }
  }
}

void gauge(Families& families, const About& about, double value, const Labels& labels = {}) {
  ClientMetric metric = labelled(labels);
  metric.gauge.value = value;
  family(families, about, MetricType::Gauge).metric.push_back(std::move(metric));
}

void histogram(Families& families, const About& about, const DelayHistogram& delays) {
  ClientMetric metric;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < DelayHistogram::bounds_us.size(); ++i) {
    total += delays.count(i);
    metric.histogram.bucket.push_back(
        {total, static_cast<double>(DelayHistogram::bounds_us[i]) / us_per_s});
  }
  total += delays.count(DelayHistogram::bounds_us.size());
  metric.histogram.sample_count = total;
  metric.histogram.sample_sum = static_cast<double>(delays.sum_us()) / us_per_s;
  family(families, about, MetricType::Histogram).metric.push_back(std::move(metric));
}

double cpu_seconds() {
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) {
    return 0;
  }
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / us_per_s;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double resident_bytes() {
  unsigned long long pages = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%*u %llu", &pages) != 1) {
      pages = 0;
    }
    (void)std::fclose(file);
  }
  return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void terminals(Families& to, const Counters& c, const Gauges& g) {
  counters_by(to,
              {"octowright_terminal_launched_total", "Terminals whose program or session started"},
              "connector_type", connector_words, c.launched);
  counters_by(to, {"troupe_terminal_launch_failures_total", "Terminals that did not start"},
              "connector_type", connector_words, c.launch_failures);
  counters_by_two(to, {"octowright_terminal_closed_total", "Terminals that are gone, once each"},
                  {"connector_type", "cause"}, connector_words, close_words, c.closed);
  counters_by_two(to,
                  {"troupe_terminal_program_ends_total",
                   "Ends of terminals' programs; the terminal may stay readable"},
                  {"connector_type", "cause"}, connector_words, program_words, c.program_ends_by);
  counters_by(to, {"troupe_terminal_output_bytes_total", "Bytes that programs printed"},
              "connector_type", connector_words, c.output_bytes);
  counters_by(to,
              {"troupe_terminal_input_bytes_total",
               "Bytes accepted for programs, answers to their queries included"},
              "connector_type", connector_words, c.input_bytes);
  gauge(to, {"troupe_terminals", "Terminals, ended ones included"},
        static_cast<double>(g.terminals));
  gauge(to, {"troupe_terminals_running", "Terminals whose program runs"},
        static_cast<double>(g.running));
  gauge(to, {"troupe_terminal_retained_bytes", "Memory of screens, history, logs and journals"},
        static_cast<double>(g.retained_bytes));
  counter(to, {"troupe_journal_commands_started_total", "Commands that shells began"},
          c.commands_started);
  counter(to, {"troupe_journal_commands_finished_total", "Commands that shells finished"},
          c.commands_finished);
}

void clients(Families& to, const Counters& c, const Gauges& g) {
  gauge(to, {"troupe_connections", "Client connections"}, static_cast<double>(g.connections));
  gauge(to, {"troupe_subscriptions", "Subscriptions to terminals"},
        static_cast<double>(g.subscriptions));
  gauge(to,
        {"troupe_subscription_lag_bytes",
         "Bytes sent to subscribers that their sockets have not taken"},
        static_cast<double>(g.lag_bytes));
  gauge(to, {"troupe_subscription_lag_max_bytes", "The same, of the slowest subscriber"},
        static_cast<double>(g.lag_max_bytes));
  counters_by(to, {"troupe_subscription_ends_total", "Subscriptions that ended"}, "reason",
              subscription_words, c.subscription_ends_by);
  counter(to, {"troupe_subscription_resyncs_total", "Slow subscribers that were caught up"},
          c.resyncs);
  counter(to, {"troupe_subscription_lost_bytes_total", "Output that slow subscribers never saw"},
          c.lost_bytes);
  gauge(to, {"troupe_waits", "Waits that are pending"}, static_cast<double>(g.waits));
  counters_by_two(to, {"troupe_waits_total", "Waits that ended"}, {"kind", "outcome"}, wait_words,
                  wait_end_words, c.waits);
}

void the_rest(Families& to, const Counters& c, const Gauges& g, const ProcessFacts& facts) {
  counter(to, {"troupe_recordings_total", "Recordings that ended"}, c.recordings);
  counter(to, {"troupe_recordings_failed_total", "Recordings that a fault ended"},
          c.recordings_failed);
  counter(to, {"troupe_recording_dropped_rows_total", "Rows that recordings left out"},
          c.recording_dropped_rows);
  histogram(to,
            {"troupe_actor_delay_seconds", "From sending an actor a message until it is handled"},
            c.actor_delay);
  histogram(to, {"troupe_reactor_delay_seconds", "From a timer's due time until the io thread ran"},
            c.reactor_delay);
  counter(to, {"troupe_spans_sent_total", "Spans that were delivered"}, c.spans_sent);
  counters_by(to, {"troupe_spans_lost_total", "Spans that were not delivered"}, "reason",
              loss_words, c.spans_lost);
  gauge(to, {"troupe_spans_queued", "Spans that wait to be sent"},
        static_cast<double>(g.queued_spans));
  counter(to, {"troupe_scrapes_refused_total", "Connections for metrics beyond the limit"},
          c.scrapes_refused);
  gauge(to, {"troupe_build_info", "Always 1"}, 1, {{"version", facts.version}});
  gauge(to, {"process_start_time_seconds", "Unix time of the daemon's start"}, facts.started_s);
  ClientMetric cpu;
  cpu.counter.value = cpu_seconds();
  family(to, {"process_cpu_seconds_total", "Processor time of the daemon"}, MetricType::Counter)
      .metric.push_back(std::move(cpu));
  gauge(to, {"process_resident_memory_bytes", "Resident memory of the daemon"}, resident_bytes());
}

}  // namespace

std::string exposition(const Counters& counters, const Gauges& gauges, const ProcessFacts& facts) {
  Families families;
  terminals(families, counters, gauges);
  clients(families, counters, gauges);
  the_rest(families, counters, gauges, facts);
  std::ostringstream text;
  prometheus::TextSerializer{}.Serialize(text, families);
  return std::move(text).str();
}

}  // namespace troupe::telemetry
