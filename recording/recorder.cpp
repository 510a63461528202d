// SPDX-License-Identifier: MIT
#include "recording/recorder.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "recording/row_account.hpp"

namespace troupe::recording {

namespace {

/// What an event takes in the queue beside its text.
constexpr std::size_t event_overhead_bytes = 128;
/// Rows that are written together.
constexpr std::size_t batch_bytes = 256 * 1024;
/// How long rows may wait for others. Output that comes in small pieces would else wake the thread
/// for each, and that costs more than writing it.
constexpr std::chrono::milliseconds gather{20};
/// What an idle recorder keeps of the room for them.
constexpr std::size_t kept_rows_bytes = 160 * 1024;

struct Begin {};
struct Output {
  StreamOffset offset = 0;
  SharedBytes bytes;
};
struct Input {
  std::string keys;
  bool masked = false;
};
struct Resize {
  std::uint16_t cols = 0;
  std::uint16_t rows = 0;
};
struct Message {
  std::string text;
};
struct Lost {
  StreamOffset from = 0;
  StreamOffset to = 0;
  std::uint64_t rows = 0;
};
struct Event {
  Instant at;
  std::variant<Begin, Output, Input, Resize, Message, Lost, StopInfo> what;
};

Instant current_instant() {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  return {duration_cast<microseconds>(std::chrono::system_clock::now().time_since_epoch()).count(),
          duration_cast<microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count()};
}

std::size_t cost(const Event& event) {
  std::size_t text = 0;
  if (const auto* output = std::get_if<Output>(&event.what)) {
    text = output->bytes.size();
  } else if (const auto* input = std::get_if<Input>(&event.what)) {
    text = input->keys.size();
  } else if (const auto* message = std::get_if<Message>(&event.what)) {
    text = message->text.size();
  }
  return text + event_overhead_bytes;
}

/// Rows that are lost with them.
std::uint64_t rows_of(const std::deque<Event>& events) {
  std::uint64_t rows = 0;
  for (const Event& event : events) {
    const auto* const gap = std::get_if<Lost>(&event.what);
    const bool is_begin = std::holds_alternative<Begin>(event.what);
    rows += gap != nullptr ? gap->rows : (is_begin ? 0U : 1U);
  }
  return rows;
}

}  // namespace

struct RecorderGroup::State {
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t running = 0;
};

RecorderGroup::RecorderGroup() : state_(std::make_shared<State>()) {}
RecorderGroup::~RecorderGroup() = default;

bool RecorderGroup::wait_until_done(std::chrono::milliseconds patience) {
  std::unique_lock lock(state_->mutex);
  return state_->ended.wait_for(lock, patience, [this] { return state_->running == 0; });
}

/// What the owner and the thread have in common; the last of them frees it.
struct Recorder::Shared {
  explicit Shared(RecorderSpec given, Handler to_call)
      : spec(std::move(given)), handler(std::move(to_call)) {}

  /// Puts the event into the queue, or notes that it is lost. Under `mutex`.
  void put(Event event);
  void note_lost(const Event& event);
  /// What was lost goes in front of the next event.
  void put_lost(Instant at);
  void run(const std::shared_ptr<RecorderGroup::State>& group);
  bool is_idle();
  /// Waits for events and takes all; empty only where the owner is gone before any.
  std::deque<Event> take();
  /// Writes events until the stop row.
  Result<Closed> record(RowAccount& account);
  /// Writes what was made; the first rows give the file its name.
  Result<> write(RecordingFile& file, std::string_view rows, RowAccount& account);
  static void make_row(RecordingWriter& writer, const Event& event, std::string& rows);
  void tell(RecorderEvent event);

  const RecorderSpec spec;
  std::mutex mutex;
  std::condition_variable filled;
  std::deque<Event> queue;
  std::size_t queued_bytes = 0;
  std::optional<Lost> lost;
  std::optional<Resize> lost_size;
  std::uint64_t accepted = 0;
  bool abandoned = false;  ///< the owner is gone before anything was to be recorded
  bool stopped = false;    ///< a stop is queued, or the thread has given up
  bool urgent = false;     ///< somebody waits for what is queued: for the file, or its end

  std::mutex handler_mutex;
  Handler handler;
};

void Recorder::Shared::note_lost(const Event& event) {
  if (!lost) {
    lost.emplace();
  }
  ++lost->rows;
  if (const auto* output = std::get_if<Output>(&event.what)) {
    if (lost->from == lost->to) {
      lost->from = output->offset;
    }
    lost->to = output->offset + output->bytes.size();
  } else if (const auto* size = std::get_if<Resize>(&event.what)) {
    lost_size = *size;
  }
}

void Recorder::Shared::put_lost(Instant at) {
  if (lost) {
    queue.push_back({at, *std::exchange(lost, std::nullopt)});
    queued_bytes += event_overhead_bytes;
  }
  // A replay after the gap would have the wrong size without it.
  if (lost_size) {
    queue.push_back({at, *std::exchange(lost_size, std::nullopt)});
    queued_bytes += event_overhead_bytes;
  }
}

void Recorder::Shared::put(Event event) {
  const std::lock_guard lock(mutex);
  if (stopped) {
    return;
  }
  const bool is_stop = std::holds_alternative<StopInfo>(event.what);
  const std::size_t size = cost(event);
  // After a gap the queue drains to its half, or each single row would be followed by a gap.
  const std::size_t room = lost ? spec.queue_bytes / 2 : spec.queue_bytes;
  if (!is_stop && queued_bytes + size > room) {
    note_lost(event);
    return;
  }
  const bool was_empty = queue.empty();
  const bool was_full = queued_bytes >= batch_bytes;
  const bool is_begin = std::holds_alternative<Begin>(event.what);
  put_lost(event.at);
  queue.push_back(std::move(event));
  queued_bytes += size;
  ++accepted;
  stopped = is_stop;
  urgent = urgent || is_stop || is_begin;
  if (was_empty || urgent || (!was_full && queued_bytes >= batch_bytes)) {
    filled.notify_one();
  }
}

bool Recorder::Shared::is_idle() {
  const std::lock_guard lock(mutex);
  return queue.empty();
}

std::deque<Event> Recorder::Shared::take() {
  std::unique_lock lock(mutex);
  filled.wait(lock, [this] { return abandoned || !queue.empty(); });
  filled.wait_for(lock, gather,
                  [this] { return abandoned || urgent || queued_bytes >= batch_bytes; });
  std::deque<Event> events;
  std::size_t bytes = 0;
  while (!queue.empty() && bytes < batch_bytes) {
    bytes += cost(queue.front());
    events.push_back(std::move(queue.front()));
    queue.pop_front();
  }
  queued_bytes -= bytes;
  urgent = urgent && !queue.empty();  // a stop is the last of them
  return events;
}

void Recorder::Shared::make_row(RecordingWriter& writer, const Event& event, std::string& rows) {
  if (const auto* output = std::get_if<Output>(&event.what)) {
    writer.output(output->offset, output->bytes.view(), event.at, rows);
  } else if (const auto* input = std::get_if<Input>(&event.what)) {
    writer.input(input->keys, input->masked, event.at, rows);
  } else if (const auto* size = std::get_if<Resize>(&event.what)) {
    writer.resize(size->cols, size->rows, event.at, rows);
  } else if (const auto* message = std::get_if<Message>(&event.what)) {
    writer.error(message->text, event.at, rows);
  } else if (const auto* gap = std::get_if<Lost>(&event.what)) {
    writer.lost(gap->from, gap->to, gap->rows, event.at, rows);
  } else if (const auto* stop = std::get_if<StopInfo>(&event.what)) {
    writer.stop(*stop, event.at, rows);
  }
}

Result<Closed> Recorder::Shared::record(RowAccount& account) {
  RecordingWriter writer(spec.max_bytes, spec.secrets);
  std::optional<RecordingFile> file;
  std::string rows;
  for (bool ended = false; !ended;) {
    const std::deque<Event> events = take();
    if (events.empty()) {
      return Closed{};
    }
    rows.clear();
    if (!file) {
      Result<RecordingFile> created = RecordingFile::create(spec.place);
      if (!created) {
        account.untaken(rows_of(events));
        return std::move(created).error();
      }
      file.emplace(std::move(*created));
      writer.start(spec.info, events.front().at, rows);
    }
    for (const Event& event : events) {
      make_row(writer, event, rows);
      const auto* const gap = std::get_if<Lost>(&event.what);
      account.lost(gap != nullptr ? gap->rows : 0);
      ended = ended || std::holds_alternative<StopInfo>(event.what);
    }
    account.made(writer.rows_written(), writer.dropped_rows());
    if (Result<> written = write(*file, rows, account); !written) {
      return std::move(written).error();
    }
    // In the middle of a flood the room is needed again at once.
    if (rows.capacity() > kept_rows_bytes && is_idle()) {
      rows = {};
    }
  }
  return Closed{file->path(), account.in_file(), writer.bytes_written(), writer.truncated(),
                account.dropped()};
}

Result<> Recorder::Shared::write(RecordingFile& file, std::string_view rows, RowAccount& account) {
  const std::uint64_t old_size = file.size();
  const bool is_first = old_size == 0;
  if (Result<> written = file.write(rows); !written) {
    // What fitted stays, but a file without its name goes.
    if (!is_first) {
      account.written(rows.substr(0, file.size() - old_size));
    }
    return written;
  }
  if (is_first) {
    if (Result<> named = file.commit(); !named) {
      return named;
    }
    tell(Opened{file.path()});
  }
  account.written();
  return success();
}

void Recorder::Shared::tell(RecorderEvent event) {
  const std::lock_guard lock(handler_mutex);
  if (handler) {
    handler(std::move(event));
  }
}

void Recorder::Shared::run(const std::shared_ptr<RecorderGroup::State>& group) {
  RowAccount account;
  Result<Closed> result = record(account);
  {
    const std::lock_guard lock(mutex);
    stopped = true;
    account.untaken(rows_of(queue) + (lost ? lost->rows : 0));
    queue.clear();
    queued_bytes = 0;
  }
  if (result) {
    tell(std::move(*result));
  } else {
    tell(Failed{result.error(), account.in_file(), account.dropped()});
  }
  const std::lock_guard lock(group->mutex);
  --group->running;
  group->ended.notify_all();
}

Recorder::Recorder(RecorderGroup& group, RecorderSpec spec, Handler handler)
    : shared_(std::make_shared<Shared>(std::move(spec), std::move(handler))) {
  {
    const std::lock_guard lock(group.state_->mutex);
    ++group.state_->running;
  }
  std::thread([shared = shared_, state = group.state_] { shared->run(state); }).detach();
}

Recorder::~Recorder() {
  {
    const std::lock_guard lock(shared_->handler_mutex);
    shared_->handler = nullptr;
  }
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->accepted == 0) {
      shared_->stopped = true;
      shared_->abandoned = true;
      shared_->filled.notify_one();
    }
  }
  stop({"closed", std::nullopt, "", ""});
}

void Recorder::begin() {
  shared_->put({current_instant(), Begin{}});
}

void Recorder::output(StreamOffset offset, SharedBytes bytes) {
  if (!bytes.empty()) {
    shared_->put({current_instant(), Output{offset, std::move(bytes)}});
  }
}

void Recorder::input(std::string keys) {
  shared_->put({current_instant(), Input{std::move(keys), false}});
}

void Recorder::masked_input() {
  shared_->put({current_instant(), Input{{}, true}});
}

void Recorder::resize(std::uint16_t cols, std::uint16_t rows) {
  shared_->put({current_instant(), Resize{cols, rows}});
}

void Recorder::error(std::string message) {
  shared_->put({current_instant(), Message{std::move(message)}});
}

void Recorder::stop(StopInfo info) {
  shared_->put({current_instant(), std::move(info)});
}

bool Recorder::active() const {
  const std::lock_guard lock(shared_->mutex);
  return !shared_->stopped;
}

std::uint64_t Recorder::event_count() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->accepted;
}

}  // namespace troupe::recording
