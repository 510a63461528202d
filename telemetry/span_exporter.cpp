// SPDX-License-Identifier: MIT
#include "telemetry/span_exporter.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

#include "base/random.hpp"
#include "telemetry/otlp_json.hpp"

namespace troupe::telemetry {
namespace {

using Clock = SpanSink::Clock;

constexpr std::chrono::milliseconds longest_pause{30'000};
// Beyond the farewell: for the thread to notice.
constexpr std::chrono::milliseconds grace{200};

std::unique_ptr<SpanSink> make_sink(const SpanSettings& settings, const std::string& version) {
  return settings.target.file.empty() ? make_http_sink(settings, version)
                                      : make_file_sink(settings.target.file);
}

/// The share of the trace ids below it is what is sampled, as for any other sender of the trace.
bool is_sampled(const std::string& trace_id, double share) {
  constexpr std::size_t digits = 14;  // 56 bits
  const double drawn = static_cast<double>(
      std::strtoull(trace_id.substr(trace_id.size() - digits).c_str(), nullptr, 16));
  return drawn < share * static_cast<double>(1ULL << 56U);
}

SpanLoss loss_of(Fate fate) {
  if (fate == Fate::full) {
    return SpanLoss::file_full;
  }
  return fate == Fate::retry ? SpanLoss::failed : SpanLoss::rejected;
}

}  // namespace

/// Shared with the thread, which may outlive the exporter.
struct SpanExporter::State {
  explicit State(Parts parts)
      : settings(std::move(parts.settings)),
        version(std::move(parts.version)),
        counters(std::move(parts.counters)),
        warn(std::move(parts.warn)),
        sink(parts.sink ? std::move(parts.sink) : make_sink(settings, version)),
        first_pause(parts.first_pause),
        queue(parts.queue_bytes) {}

  void run();
  void export_batch(std::vector<Span> batch);
  bool wait_for_batch();
  bool pause(std::chrono::milliseconds time);
  void settle(const Delivery& delivery, std::size_t spans);
  void tell(const Delivery& delivery);
  Clock::time_point deadline();
  void lost(SpanLoss why, std::size_t spans) { counters->spans_lost.at(why).add(spans); }

  const SpanSettings settings;
  const std::string version;
  const std::shared_ptr<Counters> counters;
  Report warn;  // guarded: it is dropped when the thread is left behind
  const std::unique_ptr<SpanSink> sink;
  const std::chrono::milliseconds first_pause;
  SpanQueue queue;
  bool healthy = true;  // only the thread

  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable ended;
  bool stopping = false;
  bool done = false;
  Clock::time_point last_moment = Clock::time_point::max();
};

struct SpanExporter::Worker {
  std::thread thread;
};

void SpanExporter::State::run() {
  while (wait_for_batch()) {
    export_batch(queue.take(settings.batch));
  }
  const std::lock_guard lock(mutex);
  done = true;
  ended.notify_all();
}

/// False when there is nothing left to do, or no time.
bool SpanExporter::State::wait_for_batch() {
  std::unique_lock lock(mutex);
  wake.wait(lock, [&] { return stopping || queue.size() > 0; });
  wake.wait_for(lock, settings.delay, [&] { return stopping || queue.size() >= settings.batch; });
  if (stopping && Clock::now() >= last_moment) {
    lost(SpanLoss::failed, queue.take(queue.size()).size());
  }
  return !stopping || queue.size() > 0;
}

/// True where the exporter goes on after it.
bool SpanExporter::State::pause(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex);
  return !wake.wait_for(lock, time, [&] { return stopping; });
}

Clock::time_point SpanExporter::State::deadline() {
  const std::lock_guard lock(mutex);
  return std::min(last_moment, Clock::now() + settings.timeout);
}

void SpanExporter::State::export_batch(std::vector<Span> batch) {
  std::vector<std::string> ids;
  if (settings.sampled < 1.0) {
    std::erase_if(batch, [&](const Span&) {
      std::string id = random_hex(16);
      const bool out = !is_sampled(id, settings.sampled);
      if (!out) {
        ids.push_back(std::move(id));
      }
      return out;
    });
  }
  if (batch.empty()) {
    return;
  }
  std::size_t next_id = 0;
  const auto random = [&](std::size_t bytes) {
    return bytes == 16 && next_id < ids.size() ? ids[next_id++] : random_hex(bytes);
  };
  const std::string line = otlp_traces(batch, settings.resource, version, random);
  std::chrono::milliseconds next_pause = first_pause;
  Delivery delivery;
  for (int attempt = 1;; ++attempt) {
    delivery = sink->deliver(line, deadline());
    tell(delivery);
    if (delivery.fate != Fate::retry || attempt == max_attempts || !pause(next_pause)) {
      break;
    }
    next_pause = std::min(next_pause * 2, longest_pause);
  }
  settle(delivery, batch.size());
}

void SpanExporter::State::settle(const Delivery& delivery, std::size_t spans) {
  if (delivery.fate != Fate::sent) {
    lost(loss_of(delivery.fate), spans);
    return;
  }
  std::size_t const refused =
      static_cast<std::size_t>(std::min<std::uint64_t>(delivery.rejected, spans));
  lost(SpanLoss::rejected, refused);
  counters->spans_sent.add(spans - refused);
}

void SpanExporter::State::tell(const Delivery& delivery) {
  const bool sent = delivery.fate == Fate::sent;
  if (!sent && healthy) {
    const std::lock_guard lock(mutex);
    if (warn) {
      warn("spans do not reach " + settings.target.place() + ": " + delivery.why);
    }
  }
  healthy = sent;
}

SpanExporter::SpanExporter(Parts parts)
    : state_(std::make_shared<State>(std::move(parts))), worker_(std::make_unique<Worker>()) {
  worker_->thread = std::thread([state = state_] { state->run(); });
}

SpanExporter::~SpanExporter() {
  std::unique_lock lock(state_->mutex);
  state_->stopping = true;
  state_->last_moment = Clock::now() + farewell;
  state_->wake.notify_all();
  state_->sink->hurry(state_->last_moment);
  const bool done =
      state_->ended.wait_until(lock, state_->last_moment + grace, [&] { return state_->done; });
  state_->warn = nullptr;
  lock.unlock();
  done ? worker_->thread.join() : worker_->thread.detach();
}

void SpanExporter::add(const Span& span) {
  std::size_t const waiting = state_->queue.push(span);
  if (waiting == 0) {
    state_->lost(SpanLoss::queue_full, 1);
  } else if (waiting == 1 || waiting == state_->settings.batch) {
    const std::lock_guard lock(state_->mutex);  // else the wake-up could be missed
    state_->wake.notify_one();
  }
}

std::size_t SpanExporter::queued() const {
  return state_->queue.size();
}

}  // namespace troupe::telemetry
