// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Measures how late the io thread and the actors are, once a second.

#include <caf/actor.hpp>
#include <memory>

#include "actors/observer.hpp"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace troupe::actors {

/// Threads: construct and destroy where no thread runs `io`; works on the io thread.
/// Ownership: borrows `observer`. `probed` is answered by counting the age of its `DelayProbed`.
class DelayProbe {
 public:
  DelayProbe(boost::asio::io_context& io, const Observer& observer, caf::actor probed);
  ~DelayProbe();
  DelayProbe(const DelayProbe&) = delete;
  DelayProbe& operator=(const DelayProbe&) = delete;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

/// Counts how long a probe was on its way; for the actor that was probed.
void count_actor_delay(const Observer& observer, std::int64_t sent_us);

}  // namespace troupe::actors
