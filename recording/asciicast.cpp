// SPDX-License-Identifier: MIT
#include "recording/asciicast.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/utf8.hpp"
#include "recording/json_text.hpp"
#include "recording/seconds.hpp"

namespace troupe::recording {

namespace {

constexpr std::uint16_t default_cols = 80;
constexpr std::uint16_t default_rows = 24;
constexpr std::size_t piece_bytes = 64 * 1024;

}  // namespace

void AsciicastWriter::header(const Entry& entry, std::string& out) {
  has_header_ = true;
  const std::string cols = std::to_string(entry.cols != 0 ? entry.cols : default_cols);
  const std::string rows = std::to_string(entry.rows != 0 ? entry.rows : default_rows);
  const std::string type = "xterm-256color";
  if (version_ == AsciicastVersion::v2) {
    out += "{\"version\":2,\"width\":" + cols + ",\"height\":" + rows;
  } else {
    out += "{\"version\":3,\"term\":{\"cols\":" + cols + ",\"rows\":" + rows + ",\"type\":\"" +
           type + "\"}";
  }
  if (entry.wall_us > 0) {
    out += ",\"timestamp\":" + std::to_string(entry.wall_us / us_per_s);
  }
  if (!entry.command.empty()) {
    out += ",\"command\":" + json_string(entry.command);
  }
  if (!label_.empty()) {
    out += ",\"title\":" + json_string(label_);
  }
  if (version_ == AsciicastVersion::v2) {
    out += ",\"env\":{\"TERM\":\"" + type + "\"}";
  }
  out += "}\n";
  base_us_ = entry.t_us;
  last_us_ = entry.t_us;
}

void AsciicastWriter::event(char code, std::string_view data, std::int64_t t_us, std::string& out) {
  last_us_ = std::max(t_us, last_us_);
  out += "[" + seconds_text(last_us_ - base_us_) + ", \"" + code + "\", ";
  append_json_string(data, out);
  out += "]\n";
  if (version_ == AsciicastVersion::v3) {
    base_us_ = last_us_;
  }
}

void AsciicastWriter::add(const Entry& entry, std::string& out) {
  if (entry.kind == EntryKind::other) {
    label_ = entry.label.empty() ? label_ : entry.label;
    return;
  }
  if (!has_header_) {
    header(entry, out);
  }
  switch (entry.kind) {
    case EntryKind::output: {
      std::string bytes = std::exchange(held_, {}) + entry.data;
      const std::size_t tail = incomplete_utf8_tail(bytes);
      held_ = bytes.substr(bytes.size() - tail);
      bytes.resize(bytes.size() - tail);
      if (!bytes.empty()) {
        event('o', is_utf8(bytes) ? bytes : to_valid_utf8(bytes), entry.t_us, out);
      }
      return;
    }
    case EntryKind::input:
      if (input_ == Input::include && !entry.masked && !entry.data.empty()) {
        event('i', to_valid_utf8(entry.data), entry.t_us, out);
      }
      return;
    case EntryKind::resize:
      if (entry.cols != 0 && entry.rows != 0) {
        event('r', std::to_string(entry.cols) + "x" + std::to_string(entry.rows), entry.t_us, out);
      }
      return;
    case EntryKind::lost:
      event('m', "output lost", entry.t_us, out);
      return;
    case EntryKind::truncated:
      event('m', "recording truncated", entry.t_us, out);
      return;
    case EntryKind::stop:
      last_us_ = std::max(entry.t_us, last_us_);
      finish(out);
      if (version_ == AsciicastVersion::v3 && entry.exit_code) {
        event('x', std::to_string(*entry.exit_code), entry.t_us, out);
      }
      return;
    default:
      return;
  }
}

void AsciicastWriter::finish(std::string& out) {
  if (!has_header_) {
    header({}, out);
  }
  if (!held_.empty()) {
    event('o', to_valid_utf8(std::exchange(held_, {})), last_us_, out);
  }
}

Result<> export_asciicast(RecordingReader& reader, AsciicastWriter& writer,
                          const std::function<Result<>(std::string_view)>& write) {
  std::string text;
  while (const std::optional<Entry> entry = reader.next()) {
    writer.add(*entry, text);
    if (text.size() >= piece_bytes) {
      if (Result<> written = write(text); !written) {
        return written;
      }
      text.clear();
    }
  }
  writer.finish(text);
  return write(text);
}

std::int64_t play_delay_us(std::int64_t previous_us, std::int64_t t_us,
                           const PlayOptions& options) {
  std::int64_t pause = std::max<std::int64_t>(0, t_us - previous_us);
  if (options.max_idle_us) {
    pause = std::min(pause, std::max<std::int64_t>(0, *options.max_idle_us));
  }
  const double speed = options.speed > 0 && std::isfinite(options.speed) ? options.speed : 1.0;
  return static_cast<std::int64_t>(std::min(static_cast<double>(pause) / speed, 1e15));
}

}  // namespace troupe::recording
