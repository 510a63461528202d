// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// All participants of a scenario: who may start, who waits for whom, and how a failure ends it. A
/// value like `Performance`.

#include <cstddef>
#include <string>
#include <vector>

#include "scenario/performance.hpp"
#include "scenario/plan.hpp"

namespace troupe::scenario {

/// Invariants: I1, nothing is asked for a participant before all that it needs are up; I2, after
///   the first failure or `stop` nothing is asked any more; I3, it is not finished while a terminal
///   may still come into being, so that whoever tidies up knows them all.
class Stage {
 public:
  /// One request of one participant.
  struct Cue {
    std::size_t who = 0;
    protocol::Request request;
    Milliseconds allowed{0};
  };

  explicit Stage(std::vector<Performance> performances, const Plan& plan);

  /// What is to be sent now, in the order of the plan.
  std::vector<Cue> cues();
  std::vector<Happening> answer(std::size_t who, const Result<protocol::Response>& answer);
  /// No more requests.
  void stop() { stopped_ = true; }

  [[nodiscard]] bool up() const;
  [[nodiscard]] bool finished() const;
  /// Terminals that came into being, in the order of the plan.
  [[nodiscard]] std::vector<TerminalId> terminals() const;
  [[nodiscard]] const Performance& performance(std::size_t who) const {
    return performances_.at(who);
  }

 private:
  std::vector<Performance> performances_;
  std::vector<std::vector<std::size_t>> needs_;
  bool stopped_ = false;
};

}  // namespace troupe::scenario
