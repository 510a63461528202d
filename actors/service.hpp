// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The running service: the actor system, the registry and the bridge, behind one door. The
/// daemon's main program needs nothing else of this folder.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/decisions/log.hpp"
#include "actors/decisions/ownership.hpp"
#include "actors/session_core.hpp"
#include "actors/settings.hpp"
#include "base/unique_fd.hpp"
#include "telemetry/gauges.hpp"
#include "telemetry/port.hpp"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace troupe::actors {

struct ServiceOptions {
  ServiceIdentity identity;
  Settings settings;
  Ownership::Mode mode = Ownership::Mode::owned;
  std::uint64_t child_open_files = 0;  ///< soft RLIMIT_NOFILE of children; 0: the daemon's
  Log log;
  telemetry::Port* telemetry = nullptr;  ///< outlives the service; null: nobody watches
  /// Terminals that held much are destroyed: the allocator may give their memory back. On a
  /// worker, which shall not wait for it.
  std::function<void()> give_back_memory;
  /// The end began: accept nobody any more. On the io thread.
  std::function<void()> stopping;
  /// All terminals and connections are gone: stop running `io`. On the io thread.
  std::function<void()> stopped;
  /// The agent socket of the newest attached client changed; empty: there is none. On the io
  /// thread.
  std::function<void(const std::string& path)> agent_changed;
};

/// The names that this service announces.
std::vector<std::string> service_features(const Settings& settings);

/// Threads: construct and destroy where no thread runs `io`; `accept` and `stop` on the io thread.
/// Ownership: owns the worker threads. Borrows `io`, which must be run for anything to happen.
/// Order: `stopped` comes once, after the last terminal is dead and the last answer is written or
///   its time is up.
class Service {
 public:
  Service(boost::asio::io_context& io, ServiceOptions options);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  /// Joins the workers.
  ~Service();

  void accept(UniqueFd socket);
  /// Ends every terminal, then every connection.
  void stop();
  /// Figures of the terminals and clients that are there now. From any thread.
  [[nodiscard]] telemetry::Gauges gauges() const;
  /// Asks the actors how late they are (`Port::actor_delay`); one question at a time. From any
  /// thread.
  void probe();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace troupe::actors
