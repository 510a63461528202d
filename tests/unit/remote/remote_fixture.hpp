// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Drives a remote channel by its events until a condition holds.

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "remote/remote_service.hpp"
#include "tests/support/remote_hosts.hpp"

namespace troupe::remote::test {

/// How `user` comes into the server; the command echoes what it reads.
inline SshOptions options_for(const troupe::test::SshServer& server) {
  SshOptions options;
  options.host = "127.0.0.1";
  options.port = server.port();
  options.user = troupe::test::SshServer::user();
  options.known_hosts = server.path("known_hosts");
  options.key_path = server.path("user");
  options.use_agent = false;
  options.command = "stty size; echo READY; exec cat";
  return options;
}

struct Remote {
  boost::asio::io_context io;
  std::unique_ptr<RemoteService> service =
      std::make_unique<RemoteService>(io, std::chrono::seconds(20));
  std::unique_ptr<pty::Channel> channel;
  std::optional<Error> error;    ///< of the open
  std::optional<Error> failure;  ///< of the connection
  std::string output;
  bool end_of_stream = false;
  std::optional<pty::ExitStatus> exit;

  ~Remote();
  RemoteService::Opened opened();
  /// Opens an SSH terminal of 80 by 24.
  void open(const SshOptions& options) { service->open_ssh(options, {80, 24}, opened()); }
  /// Runs the io context until `done()`; false after 20 s.
  bool run_until(const std::function<bool()>& done);
  bool open_done() const { return channel || error; }
  bool wait_for(const std::string& text);
};

}  // namespace troupe::remote::test
