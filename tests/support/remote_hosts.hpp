// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Hosts on loopback for tests of remote terminals: a scripted one, and a real sshd.

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/unique_fd.hpp"

namespace troupe::test {

/// A listening socket, and what a scripted host does with the first caller.
class ScriptedHost {
 public:
  explicit ScriptedHost(std::function<void(int)> script);
  ~ScriptedHost();
  ScriptedHost(const ScriptedHost&) = delete;
  ScriptedHost& operator=(const ScriptedHost&) = delete;
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

void say(int fd, std::string_view bytes);
/// Reads until `wanted` has been seen or the peer is gone.
std::string listen_for(int fd, std::string_view wanted);

/// inetutils' telnetd on a port of its own; each caller gets `script` on a terminal, without login.
class TelnetServer {
 public:
  explicit TelnetServer(const std::string& script);
  ~TelnetServer();
  TelnetServer(const TelnetServer&) = delete;
  TelnetServer& operator=(const TelnetServer&) = delete;

  static bool is_installed();
  void serve_one();
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  std::filesystem::path dir_;
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::vector<pid_t> children_;
};

/// OpenSSH's server on a port of its own, with keys made for the test: `user` and `locked` (its
/// passphrase is "open sesame") may come in, `stranger` not.
class SshServer {
 public:
  SshServer();
  ~SshServer();
  SshServer(const SshServer&) = delete;
  SshServer& operator=(const SshServer&) = delete;

  /// Serves the next caller with `sshd -i`.
  void serve_one();
  [[nodiscard]] std::string path(const std::string& name) const { return (dir_ / name).string(); }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// Whom it lets in.
  [[nodiscard]] static std::string user();

 private:
  [[nodiscard]] std::string text(const std::string& name) const;

  std::filesystem::path dir_;
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::vector<pid_t> children_;
};

}  // namespace troupe::test
