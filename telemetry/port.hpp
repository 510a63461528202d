// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What the service tells of its work. The whole interface that other folders see: they report
/// events as small values and never know whether anybody listens.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/ids.hpp"

namespace troupe::telemetry {

// -- the closed sets of label values: cardinality is bounded by construction ---------------------

enum class Connector : std::uint8_t { pty, ssh, telnet };
inline constexpr std::size_t connectors = 3;

/// Why a terminal was closed.
enum class CloseCause : std::uint8_t { terminated, evicted, shutdown, failed };
inline constexpr std::size_t close_causes = 4;

/// How the program of a terminal ended; `failed` where its channel broke, `unknown` where the kind
/// does not tell.
enum class ProgramEnd : std::uint8_t { exited, signalled, failed, unknown };
inline constexpr std::size_t program_ends = 4;

enum class SubscriptionEnd : std::uint8_t {
  terminated,
  exited,
  lagging,
  replaced,
  cancelled,
  shutdown
};
inline constexpr std::size_t subscription_ends = 6;

enum class WaitKind : std::uint8_t { text, command, run, exit };
inline constexpr std::size_t wait_kinds = 4;
enum class WaitEnd : std::uint8_t { met, timed_out, failed, cancelled };
inline constexpr std::size_t wait_ends = 4;

/// How a recording ended, and what of the terminal is not in it.
struct RecordingEnd {
  bool failed = false;
  std::uint64_t dropped_rows = 0;
};

// -- spans ---------------------------------------------------------------------------------------

enum class SpanName : std::uint8_t { launch, close, send_input };

/// One operation on a terminal. Holds neither content, nor its size: the length of a password is a
/// secret too.
struct Span {
  SpanName name = SpanName::launch;
  Connector connector = Connector::pty;
  TerminalId terminal;
  std::int64_t start_ns = 0;  ///< Unix time
  std::int64_t end_ns = 0;
  /// The code of the failure, of static storage; empty where it went well.
  std::string_view error;
};

/// Where the service reports to; this one listens to nothing.
///
/// Threads: any, all members.
/// Bounds: no member blocks. `output` and `input` cost one relaxed addition; `span` a short lock.
class Port {
 public:
  Port() = default;
  Port(const Port&) = delete;
  Port& operator=(const Port&) = delete;
  virtual ~Port() = default;

  virtual void launched(Connector) {}
  virtual void launch_failed(Connector) {}
  virtual void closed(Connector, CloseCause) {}
  virtual void program_ended(Connector, ProgramEnd) {}
  virtual void output(Connector, std::size_t /*bytes*/) {}
  virtual void input(Connector, std::size_t /*bytes*/) {}
  virtual void subscription_ended(SubscriptionEnd) {}
  /// A slow subscriber was caught up; so many bytes of output it never saw.
  virtual void output_lost(std::uint64_t /*bytes*/) {}
  virtual void wait_ended(WaitKind, WaitEnd) {}
  virtual void command_started() {}
  virtual void command_finished() {}
  virtual void recording_ended(const RecordingEnd&) {}
  /// From sending a message to an actor until it is handled.
  virtual void actor_delay(std::chrono::microseconds) {}
  virtual void span(const Span&) {}
  /// False: composing one is a waste.
  [[nodiscard]] virtual bool wants_spans() const { return false; }
};

/// The port of a service that nobody watches.
inline Port& no_telemetry() {
  static Port none;
  return none;
}

}  // namespace troupe::telemetry
