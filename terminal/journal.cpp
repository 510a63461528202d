// SPDX-License-Identifier: MIT
#include "terminal/journal.hpp"

#include <algorithm>
#include <utility>

#include "base/utf8.hpp"
#include "terminal/command_text.hpp"

namespace troupe::terminal {
namespace {

/// A record as JSON without its texts takes no more than this.
constexpr std::size_t record_overhead_bytes = 640;

bool before(const Cursor& a, const Cursor& b) {
  return std::pair(a.seq, a.col) < std::pair(b.seq, b.col);
}

std::size_t listing_size(const CommandRecord& record) {
  return record_overhead_bytes + (record.command ? json_string_size(*record.command) : 0) +
         (record.cwd ? json_string_size(*record.cwd) : 0);
}

/// Compares every byte, so that the time tells nothing about where a guess is wrong.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) {
    return false;
  }
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned>(a[i] ^ b[i]);
  }
  return difference == 0;
}

}  // namespace

Journal::Journal(const RowSource& rows, const JournalLimits& limits, std::string nonce)
    : rows_(rows), limits_(limits), nonce_(std::move(nonce)) {
  limits_.records = std::max<std::size_t>(limits_.records, 1);
}

bool Journal::carries_nonce(const Mark& mark) const {
  return !nonce_.empty() && mark.nonce && same_secret(*mark.nonce, nonce_);
}

bool Journal::accepts(Dialect dialect) {
  if (!dialect_) {
    dialect_ = dialect;
  }
  return *dialect_ == dialect;
}

void Journal::declare(const Mark& mark) {
  const bool trusted = carries_nonce(mark);
  if (declared_ && declared_trusted_ && !trusted) {
    return;  // a program cannot replace what the shell itself declared
  }
  declared_ = cut_utf8(*mark.command, limits_.command_bytes);
  declared_trusted_ = trusted;
}

/// A shell that learns of an input's further commands as they begin declares it again, longer.
bool Journal::extend(const Mark& mark) {
  if (!running_ || state_ != State::running ||
      running_->record.command_source != CommandSource::declared ||
      (running_->nonce_at_start && !carries_nonce(mark))) {
    return false;
  }
  std::string& command = *running_->record.command;
  if (!mark.command->empty()) {
    std::string text(cut_utf8(*mark.command, limits_.command_bytes));
    const bool longer =
        text.size() > command.size() && text.compare(0, command.size(), command) == 0;
    if (longer) {
      command = std::move(text);
    }
    return longer;
  }
  if (!input_) {
    return false;
  }
  const TextReader reader(rows_, limits_.command_bytes);
  std::string text = recover_command(rows_, reader.resolve(*input_),
                                     reader.present(running_->start).at, limits_.command_bytes);
  if (text.empty()) {
    return false;
  }
  command = std::move(text);
  running_->record.command_source = CommandSource::screen;
  return true;
}

JournalChange Journal::mark(const Mark& mark, const MarkPlace& place, const WorkingDirectory& cwd,
                            std::int64_t wall_ms) {
  JournalChange change;
  if (mark.kind == MarkKind::command_line) {
    if (!extend(mark)) {
      declare(mark);
    }
    return change;
  }
  if (mark.kind == MarkKind::continuation) {
    // While a record runs it is another shell's, or one more line of a paste.
    if (!running_ && dialect_ == mark.dialect && reads_input()) {
      state_ = State::continued;
      change.continued = true;
    }
    return change;
  }
  if (!accepts(mark.dialect)) {
    return change;
  }
  switch (mark.kind) {
    case MarkKind::prompt:
      if (running_) {
        change.finished = close_incomplete(place.begin, wall_ms);
      }
      declared_.reset();
      state_ = State::prompt;
      break;
    case MarkKind::input:
      input_ = make_place(rows_, rows_.cursor());
      state_ = State::input;
      break;
    case MarkKind::executed:
      if (repeats_start()) {
        merge_start(mark);
        break;
      }
      if (running_) {
        change.finished = close_incomplete(place.begin, wall_ms);
      }
      open(mark, place, cwd, wall_ms);
      if (!reads_input()) {
        input_.reset();
      }
      change.started = running_->record.index;
      state_ = State::running;
      break;
    case MarkKind::finished:
      if (running_) {
        running_->record.exit_code = mark.status;
        running_->record.trusted = running_->nonce_at_start && carries_nonce(mark);
        change.finished = close(place.begin, wall_ms);
      }
      state_ = State::idle;
      break;
    case MarkKind::command_line:
    case MarkKind::continuation:
      break;
  }
  return change;
}

bool Journal::repeats_start() const {
  return running_ && state_ == State::running && !printed_since_start_ &&
         running_->start.cursor == rows_.cursor();
}

/// The second of two doubled C can know what the first did not.
void Journal::merge_start(const Mark& mark) {
  running_->nonce_at_start = running_->nonce_at_start || carries_nonce(mark);
  if (running_->record.command_source != CommandSource::declared && (mark.command || declared_)) {
    set_command(running_->record, mark);
  }
}

void Journal::set_command(CommandRecord& record, const Mark& mark) {
  std::string text;
  record.command_source = CommandSource::declared;
  if (declared_) {
    text = std::move(*declared_);
  } else if (mark.command) {
    text = cut_utf8(*mark.command, limits_.command_bytes);
  } else if (reads_input() && input_) {
    record.command_source = CommandSource::screen;
    const Anchor from = TextReader(rows_, limits_.command_bytes).resolve(*input_);
    text = recover_command(rows_, from, rows_.cursor(), limits_.command_bytes);
  }
  declared_.reset();
  if (text.empty()) {
    record.command.reset();
    record.command_source = CommandSource::none;
  } else {
    record.command = std::move(text);
  }
}

void Journal::open(const Mark& mark, const MarkPlace& place, const WorkingDirectory& cwd,
                   std::int64_t wall_ms) {
  Entry entry;
  entry.start = make_place(rows_, rows_.cursor());
  entry.nonce_at_start = carries_nonce(mark);
  entry.record.index = next_++;
  entry.record.running = true;
  entry.record.start_offset = place.end;
  entry.record.started_ms = wall_ms;
  entry.record.cwd = cwd.path();
  entry.record.cwd_source = cwd.source();
  set_command(entry.record, mark);
  running_ = std::move(entry);
  printed_since_start_ = false;
}

std::uint64_t Journal::close(StreamOffset end, std::int64_t wall_ms) {
  Entry entry = std::move(*running_);
  running_.reset();
  entry.end = make_place(rows_, rows_.cursor());
  entry.record.running = false;
  entry.record.end_offset = end;
  entry.record.ended_ms = wall_ms;
  const std::uint64_t index = entry.record.index;
  finished_.push_back(std::move(entry));
  if (finished_.size() > limits_.records) {
    finished_.pop_front();
    ++oldest_;
  }
  return index;
}

std::uint64_t Journal::close_incomplete(StreamOffset end, std::int64_t wall_ms) {
  running_->record.incomplete = true;
  return close(end, wall_ms);
}

JournalChange Journal::exited(StreamOffset end, std::int64_t wall_ms) {
  JournalChange change;
  if (running_) {
    running_->record.pty_exited = true;
    change.finished = close_incomplete(end, wall_ms);
  }
  state_ = State::idle;
  return change;
}

void Journal::restart(std::string nonce) {
  nonce_ = std::move(nonce);
  state_ = State::idle;
  dialect_.reset();
  input_.reset();
  declared_.reset();
  running_.reset();
  finished_.clear();
  oldest_ = next_;
}

std::optional<std::uint64_t> Journal::running_index() const {
  return running_ ? std::optional(running_->record.index) : std::nullopt;
}

std::optional<std::uint64_t> Journal::latest_index() const {
  return next_ > oldest_ ? std::optional(next_ - 1) : std::nullopt;
}

const Journal::Entry* Journal::entry(std::uint64_t index) const {
  if (index < oldest_ || index >= next_) {
    return nullptr;
  }
  if (running_ && running_->record.index == index) {
    return &*running_;
  }
  return &finished_[static_cast<std::size_t>(index - oldest_)];
}

CommandRecord Journal::render(const Entry& entry, StreamOffset tail) const {
  const TextReader reader(rows_, limits_.listing_bytes);
  CommandRecord record = entry.record;
  const Anchor start = reader.present(entry.start);
  record.evicted = start.evicted;
  record.start = start.at;
  if (record.running) {
    record.end = rows_.cursor();
    record.end_offset = tail;
  } else {
    record.end = reader.present(entry.end).at;
  }
  if (before(record.end, record.start)) {
    record.end = record.start;
  }
  return record;
}

std::optional<CommandRecord> Journal::record(std::uint64_t index, StreamOffset tail) const {
  const Entry* found = entry(index);
  return found != nullptr ? std::optional(render(*found, tail)) : std::nullopt;
}

JournalListing Journal::list(std::optional<std::uint64_t> from, std::size_t limit, bool newest,
                             StreamOffset tail) const {
  JournalListing listing;
  listing.oldest_index = oldest_;
  listing.next_index = next_;
  std::uint64_t begin = std::max(from.value_or(oldest_), oldest_);
  std::uint64_t end = next_;
  if (limit != 0 && begin < end && end - begin > limit) {
    (newest ? begin : end) = newest ? end - limit : begin + limit;
  }
  std::size_t size = 0;
  for (std::uint64_t i = begin; i < end; ++i) {
    CommandRecord record = render(*entry(newest ? end - 1 - (i - begin) : i), tail);
    size += listing_size(record);
    if (size > limits_.listing_bytes && !listing.records.empty()) {
      listing.truncated = true;
      break;
    }
    listing.records.push_back(std::move(record));
  }
  if (newest) {
    std::reverse(listing.records.begin(), listing.records.end());
  }
  return listing;
}

std::size_t Journal::memory_bytes() const {
  std::size_t bytes = finished_.size() * sizeof(Entry);
  for (const Entry& entry : finished_) {
    bytes += (entry.record.command ? entry.record.command->capacity() : 0) +
             (entry.record.cwd ? entry.record.cwd->capacity() : 0);
  }
  return bytes;
}

}  // namespace troupe::terminal
