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

namespace troupe::remote::test {

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
  /// Runs the io context until `done()`; false after 20 s.
  bool run_until(const std::function<bool()>& done);
  bool open_done() const { return channel || error; }
  bool wait_for(const std::string& text);
};

}  // namespace troupe::remote::test
