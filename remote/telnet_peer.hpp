// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Telnet (RFC 854) as a `Peer`: option negotiation by RFC 1143 rules through libtelnet, NAWS,
/// TTYPE, BINARY, SGA, ECHO, the host's character set.

#include <memory>
#include <string>
#include <string_view>

#include "remote/options.hpp"
#include "remote/peer.hpp"

namespace troupe::remote {

/// The protocol without a socket: bytes in, text and answers out.
///
/// Threads: one caller at a time.
/// Invariants: an option is answered once per change of state, whatever the peer repeats.
/// Bounds: an unfinished subnegotiation over 256 KiB is an error; what waits to be sent is what
///   the last calls produced (the owner takes it).
class TelnetSession {
 public:
  TelnetSession(Charset charset, pty::WindowSize size);
  TelnetSession(const TelnetSession&) = delete;
  TelnetSession& operator=(const TelnetSession&) = delete;
  ~TelnetSession();

  /// The opening offer: WILL BINARY, WILL SGA.
  void start();
  /// Bytes from the peer; returns the text they carry, as UTF-8.
  Result<std::string> receive(std::string_view bytes);
  /// Typed UTF-8: in the peer's set, IAC doubled, DEL as BS, and without BINARY a lone CR as CR
  /// NUL.
  void type(std::string_view text);
  void resize(pty::WindowSize size);
  void interrupt();   ///< IAC IP
  void keep_alive();  ///< IAC NOP
  /// What is to be sent now, in order.
  std::string take_output();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::unique_ptr<Peer> make_telnet_peer(TelnetOptions options);

}  // namespace troupe::remote
