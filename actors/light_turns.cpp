// SPDX-License-Identifier: MIT
#include "actors/light_turns.hpp"

#include <caf/actor_system.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

namespace troupe::actors {
namespace {

// Of this thread: who gives turns, and who takes what is sent. Set for the time of a call only, so
// that two services can share a thread.
thread_local LightTurns* turns_here = nullptr;
thread_local LightTurns* taker_here = nullptr;

// Messages of one turn: a key press brings one. The rest of a full mailbox is work for a worker.
constexpr std::size_t messages_a_turn = 1;

}  // namespace

LightTurns::Capture::Capture(LightTurns& turns) {
  taker_here = turns.adopted() ? &turns : nullptr;
}
LightTurns::Capture::~Capture() {
  taker_here = nullptr;
}

LightTurns::~LightTurns() {
  resign();
}

void LightTurns::adopt(caf::actor_system& system) {
  system_ = &system;
}

void LightTurns::resign() {
  if (!adopted()) {
    return;
  }
  for (caf::resumable* const job : std::exchange(waiting_, {})) {
    exec_later(job);
  }
  system_ = nullptr;
}

LightTurns* LightTurns::here() {
  return turns_here;
}

bool LightTurns::running() const {
  return turns_here == this;
}

bool LightTurns::take(caf::resumable* job) {
  if (taker_here == nullptr) {
    return false;
  }
  taker_here->waiting_.push_back(job);
  return true;
}

void LightTurns::exec_later(caf::resumable* job) {
  system().scheduler().enqueue(job);
}

void LightTurns::run() {
  if (running()) {
    return;  // an actor's turn led here: the outer call sees to it
  }
  // By index: a turn adds who comes after.
  for (std::size_t next = 0; next < waiting_.size(); ++next) {
    give_turn(waiting_[next]);
  }
  waiting_.clear();
}

void LightTurns::give_turn(caf::resumable* job) {
  std::int64_t const start = clock_();
  if (!budget_.allows(start)) {
    exec_later(job);
    return;
  }
  turns_here = this;
  const auto result = job->resume(this, messages_a_turn);
  turns_here = nullptr;
  budget_.spent(clock_() - start);
  if (result == caf::resumable::resume_later) {
    exec_later(job);
  } else {
    caf::intrusive_ptr_release(job);
  }
}

}  // namespace troupe::actors
