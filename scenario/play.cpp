// SPDX-License-Identifier: MIT
#include "scenario/play.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include "client/client.hpp"

namespace troupe::scenario {
namespace {

using client::Deadline;
using client::RequestNumber;

struct Asked {
  std::size_t who = 0;
  Deadline deadline;
};

/// A connection to another machine may take its time before the daemon answers a create.
constexpr Milliseconds patience = 6 * client::Client::patience;

class Player {
 public:
  Player(client::Connection& connection, Stage& stage, const OnHappening& on_happening)
      : connection_(connection), stage_(stage), on_happening_(on_happening) {}

  void send_cues() {
    for (const Stage::Cue& cue : stage_.cues()) {
      // The daemon would start the program in the home directory. Earlier participants may have
      // made this one, so that it is not looked for before.
      const auto* const create = std::get_if<protocol::request::Create>(&cue.request);
      std::error_code error;
      if (create != nullptr && create->kind == protocol::TerminalKind::pty &&
          !std::filesystem::is_directory(create->cwd, error)) {
        answer(cue.who, Error{Code::bad_request, "cwd: " + create->cwd + " is not a directory"});
        continue;
      }
      const Result<RequestNumber> number = connection_.send(cue.request);
      if (number) {
        asked_[*number] = {cue.who, client::after(cue.allowed + patience)};
      } else {
        answer(cue.who, number.error());
      }
    }
  }

  Result<> take_next() {
    const Result<client::Message> message = connection_.wait_next(deadline());
    if (!message) {
      return message.error();
    }
    const auto* const reply = std::get_if<client::Reply>(&*message);
    const auto asked = reply == nullptr ? asked_.end() : asked_.find(reply->request);
    if (asked == asked_.end()) {
      return success();
    }
    const std::size_t who = asked->second.who;
    asked_.erase(asked);
    const auto* const error = std::get_if<protocol::reply::Error>(&reply->response);
    if (error != nullptr) {
      answer(who, Error{error->code.value_or(Code::internal), error->message});
    } else {
      answer(who, reply->response);
    }
    return success();
  }

  [[nodiscard]] bool waiting() const { return !asked_.empty(); }

 private:
  void answer(std::size_t who, const Result<protocol::Response>& answer) {
    for (const Happening& happening : stage_.answer(who, answer)) {
      on_happening_(who, happening);
    }
  }

  [[nodiscard]] Deadline deadline() const {
    Deadline first = Deadline::max();
    for (const auto& [number, asked] : asked_) {
      first = std::min(first, asked.deadline);
    }
    return first;
  }

  client::Connection& connection_;
  Stage& stage_;
  const OnHappening& on_happening_;
  std::map<RequestNumber, Asked> asked_;
};

}  // namespace

Result<> play(client::Connection& connection, Stage& stage, const OnHappening& on_happening) {
  Player player(connection, stage, on_happening);
  Result<> result = success();
  while (!stage.finished()) {
    player.send_cues();
    if (!player.waiting()) {
      break;  // the last cue could not be sent
    }
    const Result<> taken = player.take_next();
    if (taken) {
      continue;
    }
    stage.stop();
    if (!result || taken.error().code != Code::cancelled) {
      return taken;
    }
    // Interrupted: only terminals that are on their way are waited for.
    result = taken;
    connection.interrupt_on(-1);
  }
  return result;
}

}  // namespace troupe::scenario
