// SPDX-License-Identifier: MIT
#include "recording/recording_writer.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "base/base64.hpp"
#include "base/utf8.hpp"
#include "recording/json_text.hpp"
#include "recording/redaction.hpp"
#include "recording/seconds.hpp"

namespace troupe::recording {

namespace {

constexpr std::size_t max_output_row_bytes = 64 * 1024;
/// What is kept of the room for a row: one for each chunk costs more than the chunk.
constexpr std::size_t kept_row_bytes = 2 * max_output_row_bytes;
constexpr std::uint64_t min_ceiling_bytes = 4096;
/// Both rows that are written beyond the last ordinary one, at their longest.
constexpr std::uint64_t reserved_bytes = 1536;
constexpr std::size_t min_secret_bytes = 4;
constexpr std::size_t max_message_bytes = 256;

std::string field(std::string_view name, std::string_view text) {
  return ",\"" + std::string(name) + "\":" + json_string(text);
}
std::string field(std::string_view name, std::uint64_t number) {
  return ",\"" + std::string(name) + "\":" + std::to_string(number);
}

}  // namespace

RecordingWriter::RecordingWriter(std::uint64_t max_bytes, std::vector<Secret> secrets)
    : max_bytes_(max_bytes == 0 ? 0 : std::max(max_bytes, min_ceiling_bytes)),
      secrets_(std::move(secrets)) {
  secrets_.erase(
      std::remove_if(secrets_.begin(), secrets_.end(),
                     [](const Secret& secret) { return secret.size() < min_secret_bytes; }),
      secrets_.end());
  // One that is the beginning of another would leave that one's end.
  std::sort(secrets_.begin(), secrets_.end(),
            [](const Secret& a, const Secret& b) { return a.size() > b.size(); });
}

std::string RecordingWriter::timestamp(std::int64_t wall_us) {
  std::int64_t seconds = wall_us / us_per_s;
  std::int64_t micros = wall_us % us_per_s;
  if (micros < 0) {
    micros += us_per_s;
    --seconds;
  }
  if (seconds != dated_second_) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    std::array<char, 32> date{};
    const std::size_t length = std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &parts);
    date_.assign(date.data(), length);
    dated_second_ = seconds;
  }
  return date_ + "." + six_digits(micros) + "Z";
}

std::string RecordingWriter::head(std::string_view action, Instant now) {
  const std::int64_t since =
      std::max<std::int64_t>(0, now.steady_us - first_steady_us_.value_or(now.steady_us));
  return "{\"ts\":\"" + timestamp(now.wall_us) + "\",\"seq\":" + std::to_string(rows_) +
         ",\"t\":" + seconds_text(since) + ",\"action\":\"" + std::string(action) + "\"";
}

void RecordingWriter::append(const std::string& row, std::string& out) {
  out += row;
  out += "}\n";
  ++rows_;
  bytes_ += row.size() + 2;
}

bool RecordingWriter::fits(const std::string& row) const {
  return max_bytes_ == 0 || bytes_ + row.size() + 2 + reserved_bytes <= max_bytes_;
}

void RecordingWriter::truncate(Instant now, std::string& out) {
  truncated_ = true;
  append(head("recording_truncated", now) + field("limit_bytes", max_bytes_) +
             field("bytes_written", bytes_),
         out);
}

void RecordingWriter::emit(const std::string& row, std::size_t payload_bytes, Instant now,
                           std::string& out) {
  if (!truncated_ && !fits(row)) {
    truncate(now, out);
  }
  if (truncated_) {
    ++dropped_rows_;
    dropped_bytes_ += payload_bytes;
    return;
  }
  append(row, out);
}

void RecordingWriter::start(const RecordingInfo& info, Instant now, std::string& out) {
  first_steady_us_ = now.steady_us;
  std::string session = head("session_start", now) + field("kind", "terminal") +
                        field("instance_id", info.instance_id) + field("format", 1);
  if (!info.program.empty()) {
    session += field("program", info.program);
  }
  if (!info.label.empty()) {
    session += field("label", scrubbed(info.label));
  }
  emit(session, 0, now, out);
  std::string terminal = head("terminal_start", now) + field("connector_type", info.kind) +
                         field("cols", info.cols) + field("rows", info.rows);
  if (!info.command.empty()) {
    terminal += field("command", scrubbed(info.command));
  }
  emit(terminal, 0, now, out);
}

/// The end of `bytes` that only later bytes can decide: part of a character, or of a secret.
std::size_t RecordingWriter::held_back(std::string_view bytes) const {
  std::size_t result = incomplete_utf8_tail(bytes);
  for (const Secret& secret : secrets_) {
    for (std::size_t length = std::min(secret.size() - 1, bytes.size()); length > result;
         --length) {
      if (bytes.substr(bytes.size() - length) == secret.view().substr(0, length)) {
        result = length;
      }
    }
  }
  return result;
}

std::string RecordingWriter::scrubbed(std::string_view text) const {
  std::string result(text);
  for (const Secret& secret : secrets_) {
    for (std::size_t at = result.find(secret.view()); at != std::string::npos;
         at = result.find(secret.view(), at + mask.size())) {
      result.replace(at, secret.size(), mask);
    }
  }
  return result;
}

void RecordingWriter::output(StreamOffset offset, std::string_view bytes, Instant now,
                             std::string& out) {
  if (!held_.empty() && held_offset_ + held_.size() != offset) {
    flush_held(now, out);
  }
  while (!bytes.empty()) {
    const std::size_t taken = std::min(
        bytes.size(), max_output_row_bytes - std::min(held_.size(), max_output_row_bytes / 2));
    std::string joined;
    std::string_view chunk = bytes.substr(0, taken);
    const StreamOffset start = offset - held_.size();
    if (!held_.empty()) {
      joined = std::exchange(held_, {}).append(chunk);
      chunk = joined;
    }
    const std::size_t tail = held_back(chunk);
    if (tail < chunk.size()) {
      output_row(start, chunk.substr(0, chunk.size() - tail), now, out);
    }
    held_.assign(chunk.substr(chunk.size() - tail));
    held_offset_ = start + (chunk.size() - tail);
    offset += taken;
    bytes.remove_prefix(taken);
  }
}

/// Without its end, as every row before `append`.
void RecordingWriter::make_output_row(StreamOffset offset, std::string_view bytes, Instant now,
                                      std::string& row) {
  const std::string clean = secrets_.empty() ? std::string() : scrubbed(bytes);
  const std::string_view text = secrets_.empty() ? bytes : std::string_view(clean);
  row.append(head("terminal_output", now)).append(field("offset", offset));
  if (is_utf8(text)) {
    row += ",\"data\":";
    append_json_string(text, row);
  } else {
    row += ",\"data_base64\":\"" + base64_encode(text) + "\"";
  }
}

void RecordingWriter::output_row(StreamOffset offset, std::string_view bytes, Instant now,
                                 std::string& out) {
  if (truncated_) {
    ++dropped_rows_;
    dropped_bytes_ += bytes.size();
    return;
  }
  // Without a ceiling nobody asks for the row's size first: it is made where it shall stand.
  if (max_bytes_ == 0) {
    const std::size_t before = out.size();
    make_output_row(offset, bytes, now, out);
    out += "}\n";
    ++rows_;
    bytes_ += out.size() - before;
    return;
  }
  output_row_.clear();
  make_output_row(offset, bytes, now, output_row_);
  if (fits(output_row_)) {
    append(output_row_, out);
  } else {
    last_output_row(offset, bytes, now, out);
  }
  if (output_row_.capacity() > kept_row_bytes) {
    output_row_ = {};
  }
}

/// What fits of a row at the ceiling. How long text gets in a row is known once it is there, so it
/// is tried; this happens once in a recording.
void RecordingWriter::last_output_row(StreamOffset offset, std::string_view bytes, Instant now,
                                      std::string& out) {
  std::string kept_row;
  std::size_t kept = 0;
  std::size_t too_many = bytes.size();
  while (kept + 1 < too_many) {
    const std::size_t tried = kept + (too_many - kept) / 2;
    const std::string_view part = bytes.substr(0, tried);
    // A cut within a character spoils it, and one within a secret shows its begin.
    const std::string_view whole = part.substr(0, tried - held_back(part));
    output_row_.clear();
    make_output_row(offset, whole, now, output_row_);
    if (whole.size() <= kept || !fits(output_row_)) {
      too_many = tried;
      continue;
    }
    kept = whole.size();
    kept_row = output_row_;
  }
  if (kept != 0) {
    append(kept_row, out);
  } else {
    ++dropped_rows_;
  }
  truncate(now, out);
  dropped_bytes_ += bytes.size() - kept;
}

void RecordingWriter::flush_held(Instant now, std::string& out) {
  if (!held_.empty()) {
    output_row(held_offset_, std::exchange(held_, {}), now, out);
  }
}

void RecordingWriter::input(std::string_view keys, bool masked, Instant now, std::string& out) {
  if (truncated_) {
    ++dropped_rows_;
    return;
  }
  std::string row = head("terminal_input", now);
  if (masked) {
    row += field("keys", mask) + ",\"masked\":true";
  } else if (is_utf8(keys)) {
    row += field("keys", scrubbed(keys));
  } else {
    row += ",\"keys_base64\":\"" + base64_encode(scrubbed(keys)) + "\"";
  }
  emit(row, 0, now, out);
}

void RecordingWriter::resize(std::uint16_t cols, std::uint16_t rows, Instant now,
                             std::string& out) {
  emit(head("terminal_resize", now) + field("cols", cols) + field("rows", rows), 0, now, out);
}

void RecordingWriter::error(std::string_view message, Instant now, std::string& out) {
  emit(head("terminal_error", now) +
           field("message", cut_utf8(to_valid_utf8(scrubbed(message)), 16 * max_message_bytes)),
       0, now, out);
}

void RecordingWriter::lost(StreamOffset from, StreamOffset to, std::uint64_t rows, Instant now,
                           std::string& out) {
  flush_held(now, out);
  emit(head("recording_lost", now) + field("lost_from", from) + field("lost_to", to) +
           field("rows", rows),
       to - from, now, out);
}

void RecordingWriter::stop(const StopInfo& info, Instant now, std::string& out) {
  flush_held(now, out);
  std::string row = head("terminal_stop", now) + field("reason", cut_utf8(info.reason, 32));
  if (info.exit_code) {
    row += ",\"exit_code\":" + std::to_string(*info.exit_code);
  }
  if (!info.signal.empty()) {
    row += field("signal", cut_utf8(info.signal, 32));
  }
  if (!info.message.empty()) {
    const std::string message = to_valid_utf8(scrubbed(info.message));
    std::size_t limit = max_message_bytes;
    while (limit > 0 && json_string(cut_utf8(message, limit)).size() > 2 * max_message_bytes) {
      limit /= 2;
    }
    row += field("message", cut_utf8(message, limit));
  }
  append(row + field("dropped_rows", dropped_rows_) + field("dropped_bytes", dropped_bytes_), out);
}

}  // namespace troupe::recording
