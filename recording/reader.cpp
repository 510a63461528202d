// SPDX-License-Identifier: MIT
#include "recording/reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/base64.hpp"
#include "recording/seconds.hpp"

namespace troupe::recording {

namespace {

using Json = nlohmann::json;

constexpr std::size_t max_line_bytes = 8U * 1024 * 1024;
constexpr std::size_t read_bytes = 256 * 1024;
constexpr double max_t_seconds = 1e10;

/// `2026-09-01T12:00:00[.123456]Z` in microseconds since the epoch.
std::optional<std::int64_t> wall_time(const std::string& text) {
  std::tm parts{};
  int length = 0;
  if (std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &parts.tm_year, &parts.tm_mon,
                  &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &length) != 6) {
    return std::nullopt;
  }
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  std::int64_t result = static_cast<std::int64_t>(::timegm(&parts)) * us_per_s;
  std::size_t at = static_cast<std::size_t>(length);
  if (at < text.size() && text[at] == '.') {
    std::int64_t weight = us_per_s / 10;
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, weight /= 10) {
      result += (text[at] - '0') * weight;
    }
  }
  return result;
}

std::string text_of(const Json& row, const char* name) {
  const auto found = row.find(name);
  return found != row.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint16_t size_of(const Json& row, const char* name) {
  const auto found = row.find(name);
  return found != row.end() && found->is_number_unsigned() && *found <= 65535U
             ? found->get<std::uint16_t>()
             : std::uint16_t{0};
}

EntryKind kind_of(std::string_view action) {
  constexpr std::array<std::pair<std::string_view, EntryKind>, 8> kinds{{
      {"terminal_start", EntryKind::start},
      {"terminal_output", EntryKind::output},
      {"terminal_input", EntryKind::input},
      {"terminal_resize", EntryKind::resize},
      {"terminal_error", EntryKind::error},
      {"terminal_stop", EntryKind::stop},
      {"recording_lost", EntryKind::lost},
      {"recording_truncated", EntryKind::truncated},
  }};
  const auto* const found = std::find_if(kinds.begin(), kinds.end(),
                                         [action](const auto& row) { return row.first == action; });
  return found == kinds.end() ? EntryKind::other : found->second;
}

/// The bytes of `name`, or of `name_base64`.
std::string bytes_of(const Json& row, const std::string& name) {
  if (const std::string encoded = text_of(row, (name + "_base64").c_str()); !encoded.empty()) {
    Result<std::string> decoded = base64_decode(encoded);
    return decoded ? std::move(*decoded) : std::string();
  }
  return text_of(row, name.c_str());
}

std::string data_of(const Json& row, EntryKind kind) {
  switch (kind) {
    case EntryKind::output: {
      // A recorder that compares screens says `reset` where it begins anew.
      const auto reset = row.find("reset");
      const bool is_reset = reset != row.end() && reset->is_boolean() && reset->get<bool>();
      return (is_reset ? "\x1b"
                         "c"
                       : "") +
             bytes_of(row, "data");
    }
    case EntryKind::input:
      return bytes_of(row, "keys");
    case EntryKind::error:
      return text_of(row, "message");
    case EntryKind::stop:
      return text_of(row, "reason");
    default:
      return {};
  }
}

Entry entry_of(const Json& row, EntryKind kind) {
  Entry entry;
  entry.kind = kind;
  entry.data = data_of(row, kind);
  entry.masked = kind == EntryKind::input &&
                 (row.contains("masked") || row.contains("byte_count")) && entry.data == "***";
  entry.cols = size_of(row, "cols");
  entry.rows = size_of(row, "rows");
  if (const auto code = row.find("exit_code"); code != row.end() && code->is_number_integer()) {
    entry.exit_code = code->get<int>();
  }
  entry.label = text_of(row, "label");
  entry.command = text_of(row, "command");
  return entry;
}

}  // namespace

RecordingReader::RecordingReader(UniqueFd file) : file_(std::move(file)) {}

Result<RecordingReader> RecordingReader::open(const std::string& path) {
  UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file) {
    return Error{errno == ENOENT ? Code::not_found : Code::io, path + ": " + std::strerror(errno)};
  }
  return RecordingReader(std::move(file));
}

bool RecordingReader::fill() {
  buffer_.erase(0, position_);
  position_ = 0;
  const std::size_t old_size = buffer_.size();
  buffer_.resize(old_size + read_bytes);
  ssize_t count = -1;
  do {
    count = ::read(file_.get(), buffer_.data() + old_size, read_bytes);
  } while (count < 0 && errno == EINTR);
  buffer_.resize(old_size + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return count > 0;
}

bool RecordingReader::next_line(std::string& line) {
  bool is_too_long = false;
  std::size_t searched = position_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line.assign(buffer_, position_, end - position_);
      position_ = end + 1;
      if (!is_too_long) {
        return true;
      }
      ++bad_lines_;
      is_too_long = false;
      searched = position_;
      continue;
    }
    if (buffer_.size() - position_ > max_line_bytes) {
      is_too_long = true;
      position_ = buffer_.size();
    }
    const std::size_t rest = buffer_.size() - position_;
    if (!fill()) {
      cut_off_ = is_too_long || rest != 0;
      return false;
    }
    searched = rest;
  }
}

bool RecordingReader::has_next() {
  if (!ahead_) {
    ahead_ = read_next();
  }
  return ahead_.has_value();
}

std::optional<Entry> RecordingReader::next() {
  return ahead_ ? std::exchange(ahead_, std::nullopt) : read_next();
}

std::optional<Entry> RecordingReader::read_next() {
  for (std::string line; next_line(line);) {
    const Json row = Json::parse(line, nullptr, false);
    const std::string action = row.is_object() ? text_of(row, "action") : std::string();
    if (action.empty()) {
      ++bad_lines_;
      continue;
    }
    Entry entry = entry_of(row, kind_of(action));
    entry.wall_us = wall_time(text_of(row, "ts")).value_or(first_wall_us_.value_or(0) + last_t_us_);
    if (!first_wall_us_) {
      first_wall_us_ = entry.wall_us;
    }
    entry.t_us = entry.wall_us - *first_wall_us_;
    if (const auto t = row.find("t"); t != row.end() && t->is_number()) {
      const double seconds = t->get<double>();
      if (seconds >= 0 && seconds < max_t_seconds) {
        entry.t_us = std::llround(seconds * static_cast<double>(us_per_s));
      }
    }
    entry.t_us = std::max(entry.t_us, last_t_us_);
    last_t_us_ = entry.t_us;
    return entry;
  }
  return std::nullopt;
}

}  // namespace troupe::recording
