// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A terminal's recording as text: one JSON object a line, in the order in which things happened.
/// It is made from the byte stream itself, never from the screen, so playing it back gives the same
/// bytes.
///
///     {"ts":"2026-09-01T12:00:00.000123Z","seq":0,"t":0.000000,"action":"session_start",
///      "kind":"terminal","instance_id":"00aabbccddee","format":1,"program":"troupe
///      0.1.0","label":"x"}
///     … "action":"terminal_start","connector_type":"pty","cols":80,"rows":24,"command":"bash"}
///     … "action":"terminal_output","offset":0,"data":"bash-5.2$ "}
///     … "action":"terminal_output","offset":10,"data_base64":"/w=="}
///     … "action":"terminal_input","keys":"ls\r"}
///     … "action":"terminal_input","keys":"***","masked":true}
///     … "action":"terminal_resize","cols":100,"rows":30}
///     … "action":"terminal_error","message":"…"}
///     … "action":"recording_lost","lost_from":4096,"lost_to":8192,"rows":1}
///     … "action":"recording_truncated","limit_bytes":1048576,"bytes_written":1040000}
///     … "action":"terminal_stop","reason":"eof","exit_code":0,"dropped_rows":0,"dropped_bytes":0}
///
/// `ts` is UTC with microseconds; `seq` counts rows from 0; `t` is monotonic, in seconds since the
/// first row. `data` is UTF-8; bytes that are not stand in a row with `data_base64` in its place.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/secret.hpp"

namespace troupe::recording {

/// One moment on both clocks, in microseconds.
struct Instant {
  std::int64_t wall_us = 0;    ///< since the Unix epoch
  std::int64_t steady_us = 0;  ///< monotonic
};

/// What a recording says of its terminal.
struct RecordingInfo {
  std::string instance_id;  ///< 12 hex digits
  std::string kind = "pty";
  std::string label;
  std::string command;  ///< the program, without arguments: those can hold secrets
  std::string program;  ///< what recorded it, e.g. `troupe 0.1.0`
  std::uint16_t cols = 80;
  std::uint16_t rows = 24;
};

/// How a recording ended.
struct StopInfo {
  std::string reason;  ///< `closed` (asked for), `eof` (the terminal ended) or `error`
  std::optional<int> exit_code;
  std::string signal;   ///< name, or empty
  std::string message;  ///< of `error`; cut at 256 bytes
};

/// Makes the rows of one recording and appends them, whole lines only, to a string of the caller's.
///
/// Threads: none of its own; one caller at a time.
/// Bounds: a row of output has at most 64 KiB of it. Holds back at most 3 bytes of an unfinished
///   character and what can be the start of a secret. Of `max_bytes` enough is kept free for the
///   truncation and the stop row: they are always written; what did not fit is counted in the
///   latter. Of the first output that does not fit the begin is kept; the rest of that row counts
///   in bytes only.
/// Order: rows come in the order of the calls; held-back output comes with the next output or stop.
class RecordingWriter {
 public:
  /// `max_bytes` 0 is no ceiling; a lower one than 4 KiB counts as that. Each of `secrets` is
  /// masked wherever it would stand in a row, if it has 4 bytes or more: to look for shorter ones
  /// would mask ordinary text. `input` that is masked has nothing to do with them or its length.
  explicit RecordingWriter(std::uint64_t max_bytes = 0, std::vector<Secret> secrets = {});

  void start(const RecordingInfo& info, Instant now, std::string& out);
  void output(StreamOffset offset, std::string_view bytes, Instant now, std::string& out);
  void input(std::string_view keys, bool masked, Instant now, std::string& out);
  void resize(std::uint16_t cols, std::uint16_t rows, Instant now, std::string& out);
  void error(std::string_view message, Instant now, std::string& out);
  /// Output from … to (exclusive) and `rows` rows were not recorded.
  void lost(StreamOffset from, StreamOffset to, std::uint64_t rows, Instant now, std::string& out);
  void stop(const StopInfo& info, Instant now, std::string& out);

  [[nodiscard]] std::uint64_t rows_written() const { return rows_; }
  [[nodiscard]] std::uint64_t bytes_written() const { return bytes_; }
  [[nodiscard]] std::uint64_t dropped_rows() const { return dropped_rows_; }
  [[nodiscard]] bool truncated() const { return truncated_; }

 private:
  std::string head(std::string_view action, Instant now);
  std::string timestamp(std::int64_t wall_us);
  void emit(const std::string& row, std::size_t payload_bytes, Instant now, std::string& out);
  void append(const std::string& row, std::string& out);
  [[nodiscard]] bool fits(const std::string& row) const;
  void truncate(Instant now, std::string& out);
  void make_output_row(StreamOffset offset, std::string_view bytes, Instant now, std::string& row);
  void last_output_row(StreamOffset offset, std::string_view bytes, Instant now, std::string& out);
  void output_row(StreamOffset offset, std::string_view bytes, Instant now, std::string& out);
  void flush_held(Instant now, std::string& out);
  [[nodiscard]] std::size_t held_back(std::string_view bytes) const;
  [[nodiscard]] std::string scrubbed(std::string_view text) const;

  std::uint64_t max_bytes_;
  std::vector<Secret> secrets_;  ///< the longest first
  std::optional<std::int64_t> first_steady_us_;
  /// Rows come by the hundred each second: the text of the second is made once.
  std::optional<std::int64_t> dated_second_;
  std::string date_;
  std::string output_row_;
  std::string held_;
  StreamOffset held_offset_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t dropped_rows_ = 0;
  std::uint64_t dropped_bytes_ = 0;
  bool truncated_ = false;
};

}  // namespace troupe::recording
