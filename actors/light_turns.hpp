// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Turns of actors that the io thread takes itself. A key press crosses between the io thread and
/// its two actors four times, and to wake a thread for each costs more than all that they do for
/// it. So a message that is quickly handled is handled where it arose, if its receiver is idle;
/// everything else goes to the workers.

#include <caf/actor.hpp>
#include <caf/execution_unit.hpp>
#include <caf/send.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "actors/decisions/light_budget.hpp"
#include "actors/supervision.hpp"

namespace caf {
class actor_system;
class resumable;
}  // namespace caf

namespace troupe::actors {

/// A message that carries no more than this many bytes is light.
inline constexpr std::size_t light_bytes = 1024;

/// What handling a message costs, as its sender sees it.
enum class Weight : std::uint8_t { heavy, light };
inline Weight weight_of_bytes(std::size_t bytes) {
  return bytes <= light_bytes ? Weight::light : Weight::heavy;
}

/// Threads: one, the io thread; `here` and the free functions from any.
/// Ownership: holds a reference to each actor that waits for its turn.
/// Invariants: an actor runs on one thread at a time, and handles its messages in the order of
///   their sending, whoever runs it. A turn is a few messages at most.
/// Bounds: `LightBudget`; actors beyond it are left to the workers.
class LightTurns final : private caf::execution_unit {
 public:
  using Clock = std::int64_t (*)();  ///< monotonic microseconds
  explicit LightTurns(Clock clock = steady_us) : clock_(clock) {}
  LightTurns(const LightTurns&) = delete;
  LightTurns& operator=(const LightTurns&) = delete;
  ~LightTurns() override;

  /// Before it nobody has a turn here. The system outlives this, or `resign` comes first.
  void adopt(caf::actor_system& system);
  /// The workers take over what waits; nobody has a turn here any more.
  void resign();

  /// Sends; a receiver that was idle waits here for `run`.
  template <class Message>
  void tell(const caf::actor& receiver, Message message) {
    const Capture capture(*this);
    caf::anon_send(receiver, std::move(message));
  }
  /// As `tell`, and what is light is handled before this returns, if the receiver is idle.
  template <class Message>
  void tell_now(const caf::actor& receiver, Weight weight, Message message) {
    if (weight == Weight::light) {
      tell(receiver, std::move(message));
      run();
    } else {
      caf::anon_send(receiver, std::move(message));
    }
  }
  /// Gives a turn to each that waits, and to those that they tell something light.
  void run();
  /// An actor has its turn on this thread, by this object.
  [[nodiscard]] bool running() const;

  /// Whose turn it is on the calling thread; nobody's on a worker.
  [[nodiscard]] static LightTurns* here();
  /// For the scheduler: takes the job if it is to wait for `run`.
  [[nodiscard]] static bool take(caf::resumable* job);

 private:
  class Capture {
   public:
    explicit Capture(LightTurns& turns);
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    ~Capture();
  };

  void exec_later(caf::resumable* job) override;
  void give_turn(caf::resumable* job);
  [[nodiscard]] bool adopted() const { return system_ != nullptr; }

  Clock clock_;
  std::vector<caf::resumable*> waiting_;
  LightBudget budget_;
};

/// From an actor to another: what is light is handled on the thread of the sender, if that is the
/// io thread.
template <class Message>
void tell(const caf::actor& receiver, Weight weight, Message message) {
  LightTurns* const turns = weight == Weight::light ? LightTurns::here() : nullptr;
  if (turns != nullptr) {
    turns->tell(receiver, std::move(message));
  } else {
    caf::anon_send(receiver, std::move(message));
  }
}

}  // namespace troupe::actors
