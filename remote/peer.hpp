// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The two halves of a remote terminal's worker: `Peer` speaks one protocol over a socket, `Link`
/// is what it may ask of the channel that runs it. A worker thread of its own lets a protocol
/// library block (name resolution, key exchange) without anybody else noticing.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "pty/channel.hpp"

namespace troupe::remote {

enum class Echo : std::uint8_t { off, on };

/// The worker's view of its channel.
///
/// Threads: the worker thread only.
class Link {
 public:
  Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  virtual ~Link() = default;

  /// Becomes readable when the channel wants attention (cancel, input, resize); poll it beside
  /// the socket while connecting.
  [[nodiscard]] virtual int wake_fd() const = 0;
  [[nodiscard]] virtual bool cancelled() const = 0;
  /// Lets a cancel break blocking calls on this socket (by shutting it down). -1 takes it back.
  virtual void interruptible(int socket) = 0;
  [[nodiscard]] virtual pty::WindowSize size() const = 0;
  /// Shows `question` in the terminal and waits for a line of input there; nothing when cancelled
  /// (or by Ctrl-C, Ctrl-D). The terminal is announced as ready by the first question. Answers are
  /// at most 4,096 bytes.
  virtual std::optional<std::string> ask(std::string_view question, Echo echo) = 0;
};

struct ReadOutcome {
  std::string bytes;  ///< UTF-8 output; may be empty (nothing to read just now)
  bool end = false;   ///< the far side has ended the stream
};

/// One protocol connection.
///
/// Threads: constructed anywhere, then the worker thread only.
class Peer {
 public:
  Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  virtual ~Peer() = default;

  /// Connects and logs in; returns when output can flow. Errors carry no secret.
  virtual Result<> open(Link& link) = 0;
  /// The connected socket, and whether it must be polled for writing too.
  [[nodiscard]] virtual int socket() const = 0;
  [[nodiscard]] virtual bool wants_write() const = 0;
  /// What is there to read now, at most `pty::max_chunk_bytes`; never blocks.
  virtual Result<ReadOutcome> read() = 0;
  /// Takes typed UTF-8; returns how many bytes were taken (0: try when writable); never blocks.
  virtual Result<std::size_t> write(std::string_view text) = 0;
  /// Whether input that was not taken may become possible by what arrives (a protocol window);
  /// `service` then looks at what arrived without delivering it.
  [[nodiscard]] virtual bool writes_need_input() const { return false; }
  virtual void service() {}
  virtual void resize(pty::WindowSize size) = 0;
  virtual Result<> signal(int number) = 0;
  /// Called when nothing happened for `keepalive()`; zero means never.
  [[nodiscard]] virtual std::chrono::milliseconds keepalive() const = 0;
  virtual Result<> keep_alive() = 0;
  [[nodiscard]] virtual pty::ExitStatus exit_status() const = 0;
  virtual void close() = 0;
};

}  // namespace troupe::remote
