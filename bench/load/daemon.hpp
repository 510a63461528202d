// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The daemon under test: started, owned, asked, watched through /proc, and stopped.

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/load/connection.hpp"

namespace troupe::bench {

/// How to start a daemon. `{name}` and `{dir}` stand for the runtime name and its root.
struct DaemonCommand {
  std::vector<std::string> command;
  std::vector<std::string> environment;  // KEY=VALUE
  std::string registration = "{dir}/{name}/service.json";
};

/// A running daemon. Shut down (or killed) at the end of its life.
class Daemon {
 public:
  /// Starts it in `directory`, waits for its registration and claims it.
  Daemon(const DaemonCommand& command, const std::string& directory);
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  ~Daemon();

  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  [[nodiscard]] bool has_feature(const std::string& name) const;

  /// One request on a connection of its own; throws on an `error` answer.
  std::string ask(std::string_view request) const;
  /// Creates an 80 x 24 terminal and gives its id.
  std::string create(const std::vector<std::string>& command) const;
  void terminate(const std::string& id) const;

  /// User and system time of the process so far, of threads that ended too.
  [[nodiscard]] double cpu_ms() const;
  /// The same without threads that ended.
  [[nodiscard]] double living_threads_cpu_ms() const;
  [[nodiscard]] double resident_kib() const;
  [[nodiscard]] double threads() const;

 private:
  [[nodiscard]] double status_number(const std::string& key) const;
  void await_registration(const std::string& path);

  pid_t pid_ = -1;
  Endpoint endpoint_;
  std::string instance_id_;
  std::vector<std::string> features_;
  std::unique_ptr<Connection> owner_;
};

/// The request fields of a `create` for `command`, and the id in its answer.
std::string create_request(const std::vector<std::string>& command);
std::string created_id(const std::string& answer);

}  // namespace troupe::bench
