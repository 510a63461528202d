// SPDX-License-Identifier: MIT
#include "telemetry/span_exporter.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/unique_fd.hpp"
#include "telemetry/http_post.hpp"

namespace troupe::telemetry {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds batch_delay{1000};
constexpr milliseconds patience_at_the_end{1000};
constexpr mode_t file_mode = 0600;

Result<> append(const std::string& path, std::string_view text) {
  const UniqueFd file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, file_mode));
  while (file.get() >= 0 && !text.empty()) {
    const ssize_t written = ::write(file.get(), text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      break;
    }
    text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
  return text.empty() ? success() : Result<>{Error{Code::io, std::strerror(errno)}};
}

}  // namespace

/// What the owner and the thread have in common; the last of them frees it.
struct SpanExporter::Shared {
  Shared(SpanSettings given, Dropped to_call)
      : settings(std::move(given)), dropped(std::move(to_call)) {}

  void run();
  std::vector<Span> take();
  [[nodiscard]] Result<> deliver(const std::vector<Span>& spans) const;

  const SpanSettings settings;
  const Dropped dropped;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Span> queue;
  bool ending = false;
  bool ended = false;
};

/// Waits for spans and gives them a moment to become more; empty at the end.
std::vector<Span> SpanExporter::Shared::take() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [this] { return ending || !queue.empty(); });
  changed.wait_for(lock, batch_delay, [this] { return ending; });
  return std::exchange(queue, {});
}

Result<> SpanExporter::Shared::deliver(const std::vector<Span>& spans) const {
  std::string text = otlp_json(spans, settings.service_name);
  if (const auto* const file = std::get_if<FileEndpoint>(&settings.endpoint)) {
    return append(file->path, text + "\n");
  }
  return http_post(std::get<HttpEndpoint>(settings.endpoint), settings, std::move(text));
}

void SpanExporter::Shared::run() {
  while (true) {
    const std::vector<Span> spans = take();
    if (spans.empty()) {
      break;
    }
    if (!deliver(spans)) {
      dropped(spans.size());
    }
  }
  const std::lock_guard lock(mutex);
  ended = true;
  changed.notify_all();
}

SpanExporter::SpanExporter(SpanSettings settings, Dropped dropped)
    : shared_(std::make_shared<Shared>(std::move(settings), std::move(dropped))) {
  // Detached: at the end a collector that hangs is left behind.
  std::thread([shared = shared_] { shared->run(); }).detach();
}

SpanExporter::~SpanExporter() {
  std::unique_lock lock(shared_->mutex);
  shared_->ending = true;
  shared_->changed.notify_all();
  shared_->changed.wait_for(lock, patience_at_the_end, [this] { return shared_->ended; });
}

void SpanExporter::add(Span span) {
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->queue.size() < max_queued_spans) {
      shared_->queue.push_back(std::move(span));
      if (shared_->queue.size() == 1) {
        shared_->changed.notify_all();
      }
      return;
    }
  }
  shared_->dropped(1);
}

}  // namespace troupe::telemetry
