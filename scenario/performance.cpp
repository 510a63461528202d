// SPDX-License-Identifier: MIT
#include "scenario/performance.hpp"

#include <algorithm>
#include <utility>

namespace troupe::scenario {
namespace {

namespace request = protocol::request;
namespace reply = protocol::reply;

/// Text that a reply may bring along; nobody looks at it.
constexpr std::size_t small_bytes = 1;

/// The end of a shell becomes known a moment after that of its text.
constexpr Milliseconds shell_end_wait{5000};

std::string status_text(std::optional<std::int32_t> status) {
  return status ? "status " + std::to_string(*status) : std::string("no status");
}

Result<> check_status(std::optional<int> wanted, std::optional<std::int32_t> got,
                      const std::string& what) {
  if (!wanted || got == *wanted) {
    return success();
  }
  return Error{Code::exited, what + " with " + status_text(got) + " instead of status " +
                                 std::to_string(*wanted)};
}

Result<> take_exit(const reply::Exit& exit, std::optional<int> wanted) {
  if (exit.timed_out) {
    return Error{Code::timeout, "the program did not end in time"};
  }
  const std::string how = exit.signal ? "the program was ended by " + *exit.signal + ","
                                      : std::string("the program ended");
  return check_status(wanted, exit.exit_code, how);
}

Result<> take_run(const reply::CommandOutput& output, std::optional<int> wanted) {
  if (!output.record) {
    return Error{Code::timeout,
                 "no command was seen to start; either the shell does not mark its commands "
                 "(options: integrate: true), or it waits for the rest of the line, such as a "
                 "closing quote"};
  }
  if (output.timed_out) {
    return Error{Code::timeout, "the command did not end in time"};
  }
  return check_status(wanted, output.record->exit_code, "the command ended");
}

/// The command ended the shell (`exit 3`, `exec make`): its status is the shell's own.
bool took_the_shell_along(const reply::CommandOutput& output) {
  return output.record && output.record->pty_exited && !output.record->exit_code;
}

struct SetId {
  TerminalId id;
  template <class Request>
  void operator()(Request& request) const {
    if constexpr (requires { request.id; }) {
      request.id = id;
    }
  }
};

std::string secret_of(const std::vector<SecretValue>& secrets, const std::string& variable) {
  const auto found = std::find_if(secrets.begin(), secrets.end(),
                                  [&](const SecretValue& it) { return it.variable == variable; });
  return found == secrets.end() ? std::string{} : found->value;
}

}  // namespace

Performance::Performance(const Launch& launch, request::Create create,
                         const std::vector<SecretValue>& secrets) {
  Beat beat;
  beat.request = std::move(create);
  beat.line = launch.line;
  beats_.push_back(std::move(beat));
  if (launch.ready) {
    Beat ready;
    ready.line = launch.ready_line;
    ready.done = "ready";
    ready.is_ready = true;
    add_condition(*launch.ready, std::move(ready));
  }
  for (const Step& step : launch.steps) {
    add_step(step, secrets);
  }
}

void Performance::add_condition(const Condition& condition, Beat beat) {
  beat.time = condition.timeout;
  if (condition.exit) {
    beat.kind = Kind::exit;
    beat.status = condition.exit->status;
    beat.request = request::WaitExit{{}, condition.timeout.count()};
  } else if (condition.command) {
    beat.kind = Kind::run;
    beat.status = 0;
    beat.request = request::Run{{}, {}, *condition.command, condition.timeout.count(), small_bytes};
  } else {
    request::Wait wait;
    wait.needle = condition.needle;
    wait.regex = condition.regex;
    if (condition.idle) {
      wait.idle_ms = condition.idle->count();
    }
    wait.timeout_ms = condition.timeout.count();
    wait.max_bytes = small_bytes;
    beat.kind = Kind::wait;
    beat.request = std::move(wait);
  }
  beats_.push_back(std::move(beat));
}

void Performance::add_input(protocol::Request request, const Step& step) {
  if (beats_.back().kind != Kind::input) {
    Beat mark;
    mark.kind = Kind::mark;
    mark.line = step.line;
    mark.request = request::Since{{}, CursorNow{}, small_bytes};
    beats_.push_back(std::move(mark));
  }
  Beat beat;
  beat.kind = Kind::input;
  beat.line = step.line;
  beat.done = step.name();
  beat.request = std::move(request);
  beats_.push_back(std::move(beat));
}

void Performance::add_step(const Step& step, const std::vector<SecretValue>& secrets) {
  if (const auto* const send = std::get_if<step::Send>(&step.what)) {
    add_input(request::Write{{}, {}, send->text + (send->enter ? "\r" : ""), false}, step);
  } else if (const auto* const keys = std::get_if<step::Keys>(&step.what)) {
    add_input(request::Keys{{}, {}, keys->keys, false}, step);
  } else if (const auto* const paste = std::get_if<step::Paste>(&step.what)) {
    add_input(request::Paste{{}, {}, paste->text, false}, step);
  } else if (const auto* const secret = std::get_if<step::Secret>(&step.what)) {
    add_input(request::Write{{}, {}, secret_of(secrets, secret->variable) + "\r", false}, step);
  } else {
    Beat beat;
    beat.line = step.line;
    beat.done = step.name();
    if (const auto* const wait = std::get_if<step::Wait>(&step.what)) {
      add_condition(wait->condition, std::move(beat));
      return;
    }
    const auto& run = std::get<step::Run>(step.what);
    beat.kind = Kind::run;
    beat.status = run.status;
    beat.time = run.timeout;
    beat.request = request::Run{{}, {}, run.line, run.timeout.count(), small_bytes};
    beats_.push_back(std::move(beat));
  }
}

std::optional<protocol::Request> Performance::request() {
  if (asked_ || state_ != State::playing) {
    return std::nullopt;
  }
  asked_ = true;
  Beat& beat = beats_[at_];
  if (beat.kind != Kind::create) {
    std::visit(SetId{id_}, beat.request);
  }
  if (auto* const wait = std::get_if<request::Wait>(&beat.request)) {
    wait->cursor = cursor_;
  }
  // Each is asked once, and a secret need not stay here.
  return std::exchange(beat.request, protocol::Request{});
}

Milliseconds Performance::allowed() const {
  return beats_[at_].time;
}

Result<> Performance::take_wait(const reply::Text& text) {
  const TextSlice& slice = text.slice;
  cursor_ = CursorAt{slice.next.seq, slice.next.col, slice.next.epoch};
  if (text.matched) {
    return success();
  }
  return text.reason == WaitReason::exit
             ? Error{Code::exited, "the program ended before it happened"}
             : Error{Code::timeout, "it did not happen in time"};
}

Result<> Performance::take(const Beat& beat, const protocol::Response& response) {
  if (const auto* const created = std::get_if<reply::Created>(&response);
      created != nullptr && beat.kind == Kind::create) {
    id_ = created->terminal.id;
    return success();
  }
  if (const auto* const text = std::get_if<reply::Text>(&response)) {
    if (beat.kind == Kind::wait) {
      return take_wait(*text);
    }
    cursor_ = CursorAt{text->slice.next.seq, text->slice.next.col, text->slice.next.epoch};
    return success();
  }
  if (const auto* const exit = std::get_if<reply::Exit>(&response)) {
    return take_exit(*exit, beat.status);
  }
  if (const auto* const output = std::get_if<reply::CommandOutput>(&response)) {
    const Cursor& next = output->slice.next;
    cursor_ = CursorAt{next.seq, next.col, next.epoch};
    return take_run(*output, beat.status);
  }
  return std::holds_alternative<reply::Ok>(response) && beat.kind == Kind::input
             ? success()
             : Result<>{Error{Code::internal, "the daemon gave another kind of answer"}};
}

std::vector<Happening> Performance::fail(const Beat& beat, const Error& error) {
  state_ = State::failed;
  const std::string what = beat.kind == Kind::create ? "" : beat.done + ": ";
  return {{Happening::What::failed, id_, beat.line, what + error.message, error.code}};
}

std::vector<Happening> Performance::answer(const Result<protocol::Response>& answer) {
  asked_ = false;
  Beat& beat = beats_[at_];
  if (beat.kind == Kind::run && beat.status && answer) {
    const auto* const output = std::get_if<reply::CommandOutput>(&*answer);
    if (output != nullptr && took_the_shell_along(*output)) {
      beat.kind = Kind::exit;
      beat.time = shell_end_wait;
      beat.request = request::WaitExit{{}, shell_end_wait.count()};
      return {};
    }
  }
  const Result<> taken = answer ? take(beat, *answer) : Result<>{answer.error()};
  if (!taken) {
    return fail(beat, taken.error());
  }
  std::vector<Happening> happenings;
  if (beat.kind == Kind::create) {
    happenings.push_back({Happening::What::started, id_, beat.line, {}, {}});
  } else if (!beat.done.empty()) {
    happenings.push_back({beat.is_ready ? Happening::What::ready : Happening::What::step,
                          id_,
                          beat.line,
                          beat.done,
                          {}});
  }
  if (++at_ == beats_.size()) {
    --at_;
    state_ = State::up;
    happenings.push_back({Happening::What::up, id_, beat.line, {}, {}});
  }
  return happenings;
}

}  // namespace troupe::scenario
