// SPDX-License-Identifier: MIT
#include "scenario/stage.hpp"

#include <algorithm>

namespace troupe::scenario {

Stage::Stage(std::vector<Performance> performances, const Plan& plan)
    : performances_(std::move(performances)) {
  for (const Launch& launch : plan.launches) {
    needs_.push_back(launch.needs);
  }
}

std::vector<Stage::Cue> Stage::cues() {
  std::vector<Cue> cues;
  for (std::size_t who = 0; who < performances_.size() && !stopped_; ++who) {
    const bool may = std::all_of(needs_[who].begin(), needs_[who].end(), [&](std::size_t need) {
      return performances_[need].state() == Performance::State::up;
    });
    if (!may) {
      continue;
    }
    if (std::optional<protocol::Request> request = performances_[who].request()) {
      cues.push_back({who, std::move(*request), performances_[who].allowed()});
    }
  }
  return cues;
}

std::vector<Happening> Stage::answer(std::size_t who, const Result<protocol::Response>& answer) {
  std::vector<Happening> happenings = performances_.at(who).answer(answer);
  stopped_ = stopped_ || performances_[who].state() == Performance::State::failed;
  return happenings;
}

bool Stage::up() const {
  return std::all_of(performances_.begin(), performances_.end(),
                     [](const Performance& it) { return it.state() == Performance::State::up; });
}

bool Stage::finished() const {
  const bool creating = std::any_of(performances_.begin(), performances_.end(),
                                    [](const Performance& it) { return it.creating(); });
  return up() || (stopped_ && !creating);
}

std::vector<TerminalId> Stage::terminals() const {
  std::vector<TerminalId> ids;
  for (const Performance& performance : performances_) {
    if (performance.id() != TerminalId{}) {
      ids.push_back(performance.id());
    }
  }
  return ids;
}

}  // namespace troupe::scenario
