// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// CAF's scheduling by one shared queue, with the wake-ups that a key press cannot afford left out.
/// CAF's own `work_sharing` wakes a worker for every job, also where none sleeps, and wakes it
/// while it holds the lock that the worker needs next: a message costs two context switches more.

#include <caf/detail/thread_safe_actor_clock.hpp>
#include <caf/policy/unprofiled.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/coordinator.hpp>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <thread>

#include "actors/light_turns.hpp"

namespace troupe::actors {

/// A scheduler policy: one queue for all workers, in order of arrival.
///
/// Threads: any may enqueue; workers dequeue.
/// Invariants: while a job waits, some worker is awake or on its way. What `LightTurns` takes does
///   not wait here.
class QuickSharing : public caf::policy::unprofiled {
 public:
  using Queue = std::list<caf::resumable*>;

  struct coordinator_data {  // CAF's name
    explicit coordinator_data(caf::scheduler::abstract_coordinator*) {}
    Queue queue;
    std::mutex lock;
    std::condition_variable cv;
    std::size_t sleeping = 0;
  };
  struct worker_data {  // CAF's name
    explicit worker_data(caf::scheduler::abstract_coordinator*) {}
  };

  template <class Coordinator>
  void enqueue(Coordinator* self, caf::resumable* job) {
    if (LightTurns::take(job)) {
      return;
    }
    Queue one{job};
    bool wake = false;
    {
      const std::lock_guard guard(d(self).lock);
      d(self).queue.splice(d(self).queue.end(), one);
      wake = d(self).sleeping > 0;
    }
    if (wake) {
      d(self).cv.notify_one();
    }
  }
  template <class Coordinator>
  void central_enqueue(Coordinator* self, caf::resumable* job) {
    enqueue(self, job);
  }
  template <class Worker>
  void external_enqueue(Worker* self, caf::resumable* job) {
    enqueue(self->parent(), job);
  }
  template <class Worker>
  void internal_enqueue(Worker* self, caf::resumable* job) {
    enqueue(self->parent(), job);
  }
  template <class Worker>
  void resume_job_later(Worker* self, caf::resumable* job) {
    enqueue(self->parent(), job);
  }

  template <class Worker>
  caf::resumable* dequeue(Worker* self) {
    auto& data = d(self->parent());
    std::unique_lock guard(data.lock);
    while (data.queue.empty()) {
      ++data.sleeping;
      data.cv.wait(guard);
      --data.sleeping;
    }
    caf::resumable* const job = data.queue.front();
    data.queue.pop_front();
    return job;
  }

  template <class Worker, class Function>
  void foreach_resumable(Worker*, Function) {}

  template <class Coordinator, class Function>
  void foreach_central_resumable(Coordinator* self, Function function) {
    const std::lock_guard guard(d(self).lock);
    for (caf::resumable* const job : d(self).queue) {
      function(job);
    }
    d(self).queue.clear();
  }
};

/// The scheduler of that policy, with a clock that an actor's end does not wake. CAF wakes its own
/// to cancel the actor's receive timeouts, and actors here have none: what they wait for are
/// messages to themselves, which CAF does not cancel. A connection for each key ends an actor each.
/// The thread of the base's own clock sleeps for good.
class QuickCoordinator final : public caf::scheduler::coordinator<QuickSharing> {
 public:
  using Base = caf::scheduler::coordinator<QuickSharing>;
  using Base::Base;

  caf::detail::thread_safe_actor_clock& clock() noexcept override { return clock_; }

 protected:
  void start() override {
    Base::start();
    timer_ = std::thread{[this] { clock_.run_dispatch_loop(); }};
  }
  void stop() override {
    Base::stop();
    clock_.cancel_dispatch_loop();
    timer_.join();
  }

 private:
  class Clock final : public caf::detail::thread_safe_actor_clock {
   public:
    void cancel_timeouts(caf::abstract_actor*) override {}
  };
  Clock clock_;
  std::thread timer_;
};

}  // namespace troupe::actors
