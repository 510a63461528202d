// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The manners all actors of the project share. CAF's defaults print to stdout, which belongs to
/// nobody here.

#include <time.h>

#include <caf/actor_clock.hpp>
#include <caf/event_based_actor.hpp>
#include <chrono>
#include <exception>

#include "actors/decisions/moment.hpp"

namespace troupe::actors {

/// Unknown messages are dropped in silence; an exception ends the actor, and only it.
inline void supervise(caf::event_based_actor* self) {
  self->set_default_handler(caf::drop);
  self->set_exception_handler(
      [](std::exception_ptr&) -> caf::error { return caf::exit_reason::unhandled_exception; });
}

/// The machine's monotonic clock: for delays that are real also where a test moves the actors' one.
inline std::int64_t steady_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count();
}

/// The processor time of the calling thread: what a turn cost, whoever else wanted the processor.
inline std::int64_t thread_us() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<std::int64_t>(used.tv_sec) * 1'000'000 + used.tv_nsec / 1000;
}

/// Both clocks, read now. The monotonic one is the actor's, which tests move by hand.
inline Moment current_moment(caf::event_based_actor* self) {
  using namespace std::chrono;
  return {duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count(),
          duration_cast<microseconds>(self->clock().now().time_since_epoch()).count()};
}

}  // namespace troupe::actors
