// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Reads a recording back, row by row. Reads those of octowright-terminal too, which have no `seq`,
/// `t` and `offset`.

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace troupe::recording {

enum class EntryKind : std::uint8_t {
  start,
  output,
  input,
  resize,
  error,
  lost,
  truncated,
  stop,
  other,  ///< `session_start` and what later versions add
};

struct Entry {
  EntryKind kind = EntryKind::other;
  std::int64_t t_us = 0;     ///< since the first row; never less than that of the row before
  std::int64_t wall_us = 0;  ///< since the Unix epoch, of the row's `ts`
  std::string data;  ///< the bytes of output or input; the text of an error; a stop's reason
  bool masked = false;
  std::uint16_t cols = 0;  ///< of start and resize
  std::uint16_t rows = 0;
  std::optional<int> exit_code;
  std::string label;    ///< of `session_start`
  std::string command;  ///< of start
};

/// Reads one file from its begin.
///
/// Threads: one caller at a time; blocks on the file.
/// Bounds: a line over 8 MiB is stepped over. Lines that are no row are counted and left out; half
///   a line at the end (of a recording that still runs, or was killed) is not read.
class RecordingReader {
 public:
  /// `not_found` where there is no such file.
  static Result<RecordingReader> open(const std::string& path);

  /// The next row; nothing at the end.
  std::optional<Entry> next();

  /// Whether there is a further row; reads on to it, and `next` gives it. Before the first `next`:
  /// whether the file is a recording at all.
  bool has_next();

  [[nodiscard]] std::uint64_t bad_lines() const { return bad_lines_; }
  /// The end was in the middle of a line.
  [[nodiscard]] bool cut_off() const { return cut_off_; }

 private:
  explicit RecordingReader(UniqueFd file);
  std::optional<Entry> read_next();
  bool next_line(std::string& line);
  bool fill();

  UniqueFd file_;
  std::string buffer_;
  std::size_t position_ = 0;
  std::optional<Entry> ahead_;
  std::optional<std::int64_t> first_wall_us_;
  std::int64_t last_t_us_ = 0;
  std::uint64_t bad_lines_ = 0;
  bool cut_off_ = false;
};

}  // namespace troupe::recording
