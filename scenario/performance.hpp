// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// One participant's way from its launch to being up, request by request: create, ready, steps. A
/// value: what it asks is sent by somebody else, who brings the answers.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "protocol/requests.hpp"
#include "protocol/responses.hpp"
#include "scenario/plan.hpp"

namespace troupe::scenario {

/// Something to tell the person who waits.
struct Happening {
  enum class What : std::uint8_t { started, ready, step, up, failed };

  What what = What::started;
  TerminalId id{};  ///< 0 before it is started
  int line = 0;     ///< of the condition, the step or the participant
  std::string text{};
  Code code = Code::internal;  ///< of a failure
};

/// A secret's value, where its step or option names a variable.
struct SecretValue {
  std::string variable;
  std::string value;
};

/// Order: one request at a time; `answer` is called once for each that `request` gave.
/// Invariants: I1, a `wait` looks at what came since the first of the inputs before it, or since
///   the last match; what was there before cannot satisfy it.
class Performance {
 public:
  enum class State : std::uint8_t { playing, up, failed };

  /// `create` is the launch's, complete with environment and secrets.
  Performance(const Launch& launch, protocol::request::Create create,
              const std::vector<SecretValue>& secrets);

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] TerminalId id() const { return id_; }
  /// The terminal was asked for and the answer is not here yet.
  [[nodiscard]] bool creating() const { return asked_ && beats_[at_].kind == Kind::create; }

  /// The next request; nothing while one is not answered, and at the end.
  std::optional<protocol::Request> request();
  /// How long the daemon may take for the request that is out, beyond its own time.
  [[nodiscard]] Milliseconds allowed() const;
  std::vector<Happening> answer(const Result<protocol::Response>& answer);

 private:
  enum class Kind : std::uint8_t { create, mark, input, wait, exit, run };
  struct Beat {
    Kind kind = Kind::create;
    protocol::Request request{};
    int line = 0;
    Milliseconds time{0};
    std::optional<int> status{};  ///< wanted of `exit` and `run`; nothing: any
    std::string done{};           ///< told when it is done; empty: nothing
    bool is_ready = false;
  };

  void add_condition(const Condition& condition, Beat beat);
  void add_input(protocol::Request request, const Step& step);
  void add_step(const Step& step, const std::vector<SecretValue>& secrets);
  Result<> take(const Beat& beat, const protocol::Response& response);
  Result<> take_wait(const protocol::reply::Text& text);
  std::vector<Happening> fail(const Beat& beat, const Error& error);

  std::vector<Beat> beats_;
  std::size_t at_ = 0;
  bool asked_ = false;
  State state_ = State::playing;
  TerminalId id_{};
  CursorSpec cursor_ = CursorOldest{};
};

}  // namespace troupe::scenario
