// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What a terminal talks to: a duplex byte stream with a size and an end. A PTY is one kind;
/// the interface asks for nothing that a remote shell could not give.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace troupe::pty {

struct WindowSize {
  std::uint16_t cols = 80;
  std::uint16_t rows = 24;
  bool operator==(const WindowSize&) const = default;
};

/// How a child ended: exactly one of the two is set; neither where the kind cannot know.
struct ExitStatus {
  std::optional<int> exit_code;  ///< 0 … 255 of a child that exited
  std::optional<int> signal;     ///< the signal number that killed it
  /// `exit_code`, or 128 + n for a death by signal n.
  [[nodiscard]] std::optional<int> shell_code() const {
    return signal ? std::optional<int>{128 + *signal} : exit_code;
  }
  bool operator==(const ExitStatus&) const = default;
};

/// The line discipline as the program left it. `canonical && !echo` is what a password prompt does.
struct LineState {
  bool echo = false;
  bool canonical = false;
};

enum class SignalTarget : std::uint8_t { foreground, session, leader };

/// Names a write whose progress the caller wants to hear of; 0 means that it does not.
using WriteId = std::uint64_t;

// -- events, in the order in which they happened on this channel ---------------------------------

/// Output, 1 byte … `max_chunk_bytes`. Each one takes one credit until `consumed()`.
struct Data {
  std::string bytes;
};
/// A write with an id is over: `written` bytes were taken by the terminal; all of them where
/// `complete`. Comes in the order of the writes, and for every such write that was accepted.
struct Written {
  WriteId id = 0;
  std::uint64_t written = 0;
  bool complete = false;
};
/// The output is over: no `Data` follows. `forced` where `end_stream()` asked for it.
struct EndOfStream {
  bool forced = false;
};
/// The child is dead. Says nothing about the stream: output may still follow. What the child itself
/// printed came before, unless the credit or the chunk ran out.
struct ChildExit {
  ExitStatus status;
};
/// The channel failed while the child lived. Followed by `EndOfStream`.
struct Failed {
  Error error;
};
using ChannelEvent = std::variant<Data, Written, EndOfStream, ChildExit, Failed>;
using ChannelHandler = std::function<void(ChannelEvent)>;

/// What `terminate` could not kill (a process in uninterruptible sleep, or another user's).
struct TerminateResult {
  std::optional<ExitStatus> status;
  std::vector<int> survivors;
};

inline constexpr std::size_t max_chunk_bytes = 64 * 1024;
inline constexpr std::size_t max_unconsumed_chunks = 2;
inline constexpr std::size_t write_queue_bytes = 4 * 1024 * 1024;

/// A terminal's far side. Driven by the terminal actor through the bridge to the io thread.
///
/// Threads: only the io thread, all members, the destructor too; handlers and callbacks run there.
/// Ownership: owns its descriptors and its child. Destroying it hangs up, kills what is left of the
///   session in the background, reaps, and drops the handler: no event or callback comes later.
/// Bounds: at most `max_unconsumed_chunks` chunks are delivered and not consumed; beyond that
///   nothing is read and the child blocks. At most `write_queue_bytes` wait to be written; a write
///   that does not fit is refused whole (`busy`).
/// Order: one write is never interleaved with another; events come in stream order; `EndOfStream`
///   and `ChildExit` come once each, in either order. No call runs the handler before it returns.
class Channel {
 public:
  Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;
  virtual ~Channel() = default;

  /// Starts to read. Until then the child's output waits in the kernel. Call once.
  virtual void start(ChannelHandler handler) = 0;

  /// Gives back the credit of so many `Data` events.
  virtual void consumed(std::size_t chunks) = 0;

  /// Queues input. `exited` after the stream ended, `busy` where the queue is full.
  virtual Result<> write(std::string bytes, WriteId id) = 0;

  /// Bytes that are queued and not yet taken.
  [[nodiscard]] virtual std::size_t queued_bytes() const = 0;

  virtual Result<> resize(WindowSize size) = 0;

  /// Ends the stream now although something may still hold it (`drain_ms`): what was read is
  /// delivered, then `EndOfStream{forced}`; the holders get no signal.
  virtual void end_stream() = 0;

  virtual void signal(int number, SignalTarget target, std::function<void(Result<>)> done) = 0;

  /// Hangs up, then asks, then kills, the whole session; answers when everything is dead and
  /// reaped or cannot be killed: within milliseconds where the hang-up is obeyed, 2 s at most.
  /// Later calls get the same answer. Events keep coming until the answer.
  virtual void terminate(std::function<void(TerminateResult)> done) = 0;

  /// The processes that hold the stream open after the child's exit (`held_by`).
  virtual void holders(std::function<void(std::vector<int>)> done) = 0;

  /// The child's process id while there is one on this machine.
  [[nodiscard]] virtual std::optional<int> pid() const = 0;

  /// Nothing where the kind or the moment does not tell.
  [[nodiscard]] virtual std::optional<LineState> line_state() const = 0;
};

}  // namespace troupe::pty
