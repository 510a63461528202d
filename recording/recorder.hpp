// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Records one terminal to a file, on a thread of its own: a disk that is slow, full or gone must
/// never be felt by the terminal.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "base/secret.hpp"
#include "base/shared_bytes.hpp"
#include "recording/recording_file.hpp"
#include "recording/recording_writer.hpp"

namespace troupe::recording {

inline constexpr std::size_t default_queue_bytes = 8U * 1024 * 1024;

/// The file is there under its name, with its first rows in it.
struct Opened {
  std::string path;
};
/// The recording is over, by itself: the disk is full, say. Rows up to here are readable. Last.
struct Failed {
  Error error;
  std::uint64_t rows = 0;  ///< in the file; 0 where it was never made
  std::uint64_t dropped_rows =
      0;  ///< what was taken and is not in it, besides what `Closed` counts
};
/// The recording ended as asked and everything is written. Last.
struct Closed {
  std::string path;  ///< empty where no row was ever committed
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;
  bool truncated = false;
  std::uint64_t dropped_rows = 0;  ///< at the ceiling, or because the queue was full
};
using RecorderEvent = std::variant<Opened, Failed, Closed>;

struct RecorderSpec {
  RecordingPlace place;
  RecordingInfo info;
  std::uint64_t max_bytes = 0;
  std::vector<Secret> secrets;
  std::size_t queue_bytes = default_queue_bytes;
};

/// Counts the recorders of a process that still write, so that it can let them finish at its end.
///
/// Threads: any.
class RecorderGroup {
 public:
  RecorderGroup();
  ~RecorderGroup();
  RecorderGroup(const RecorderGroup&) = delete;
  RecorderGroup& operator=(const RecorderGroup&) = delete;

  /// Waits until every recorder made with this group has ended; false after `patience`.
  bool wait_until_done(std::chrono::milliseconds patience);

  struct State;

 private:
  friend class Recorder;
  std::shared_ptr<State> state_;
};

/// One recording. Its owner only puts events into a queue.
///
/// Threads: members from one thread at a time, they never block on the disk; the handler runs on
///   the recorder's thread, until the destructor has returned.
///   The handler must not destroy the recorder.
/// Ownership: shares the output's buffers. The destructor stops (`closed`) what has begun and does
///   not wait: the thread writes what is queued and ends by itself (`RecorderGroup`).
/// Bounds: `queue_bytes` of events. While they do not fit, output is not recorded; the next row
///   that fits comes after one that names the lost offsets.
/// Order: rows come in the order of the calls. Nothing exists on disk before the first row, and the
///   file has its name once the first rows are in it.
class Recorder {
 public:
  using Handler = std::function<void(RecorderEvent)>;

  Recorder(RecorderGroup& group, RecorderSpec spec, Handler handler);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Makes the file now, with its first rows, and tells `Opened` (or `Failed`). Without it the
  /// first event does that.
  void begin();
  /// `offset` is the absolute offset of the first byte.
  void output(StreamOffset offset, SharedBytes bytes);
  /// Before the bytes go to the terminal. Pass no text that is masked.
  void input(std::string keys);
  void masked_input();
  void resize(std::uint16_t cols, std::uint16_t rows);
  void error(std::string message);
  /// The last row. Calls after it do nothing.
  void stop(StopInfo info);

  /// False once it has failed or was stopped: there is no use in calling it.
  [[nodiscard]] bool active() const;
  /// Events that were taken, for `event_count`.
  [[nodiscard]] std::uint64_t event_count() const;

  struct Shared;

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace troupe::recording
