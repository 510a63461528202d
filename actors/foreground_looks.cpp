// SPDX-License-Identifier: MIT
#include "actors/foreground_looks.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <caf/send.hpp>
#include <chrono>
#include <map>
#include <utility>

namespace troupe::actors {
namespace {

// A walk over the processes is not repeated before this, nor before three times its own cost: a
// client that lists before each request must not cost a core.
constexpr std::chrono::steady_clock::duration least_pause = std::chrono::milliseconds{15};
constexpr int cost_factor = 3;

}  // namespace

ForegroundLooks::ForegroundLooks(boost::asio::io_context& io, pty::PtyService& ptys)
    : ptys_(ptys), timer_(io) {}

void ForegroundLooks::forget(TerminalId terminal) {
  looks_.erase(terminal.value);
}

void ForegroundLooks::look(io::Foreground request) {
  const bool hurried = static_cast<bool>(request.reply_to);
  if (request.queries.empty() || (hurried && is_fresh(request.queries))) {
    answer(request);
    return;
  }
  waiting_.push_back(std::move(request));
  if (!walking_) {
    hurried ? walk() : walk_when_rested();
  }
}

// What nobody waits for is not looked at before the pause is over, for all terminals at once.
void ForegroundLooks::walk_when_rested() {
  if (Clock::now() >= fresh_until_) {
    walk();
    return;
  }
  timer_.expires_at(fresh_until_);
  timer_.async_wait([this](const auto& error) {
    if (!error && !walking_ && !waiting_.empty()) {
      walk();
    }
  });
}

bool ForegroundLooks::is_fresh(const std::vector<io::Foreground::Query>& queries) const {
  if (Clock::now() >= fresh_until_) {
    return false;
  }
  return std::all_of(queries.begin(), queries.end(), [&](const auto& q) {
    auto const at = looks_.find(q.query.key);
    return at != looks_.end() && at->second.state && at->second.pid == q.query.leader_pid;
  });
}

void ForegroundLooks::walk() {
  walking_ = true;
  std::vector<io::Foreground> served = std::exchange(waiting_, {});
  // Clients that list at the same moment ask about the same terminals.
  std::map<std::uint64_t, io::Foreground::Query> queries;
  for (const io::Foreground& request : served) {
    for (const auto& q : request.queries) {
      queries.emplace(q.query.key, q);
    }
  }
  std::vector<pty::ForegroundQuery> wanted;
  Terminals terminals;
  for (const auto& [key, q] : queries) {
    wanted.push_back(q.query);
    terminals.emplace(key, q.terminal);
    looks_[key].pid = q.query.leader_pid;
  }
  ptys_.foreground(std::move(wanted), [this, started = Clock::now(), served = std::move(served),
                                       terminals = std::move(terminals)](auto answers) {
    on_walked(started, served, terminals, answers);
  });
}

void ForegroundLooks::on_walked(Clock::time_point started,
                                const std::vector<io::Foreground>& served,
                                const Terminals& terminals,
                                const std::vector<pty::ForegroundAnswer>& answers) {
  walking_ = false;
  Clock::time_point const now = Clock::now();
  fresh_until_ = now + std::max(least_pause, (now - started) * cost_factor);
  for (const pty::ForegroundAnswer& answer : answers) {
    const auto at = looks_.find(answer.key);
    if (at == looks_.end()) {
      continue;  // it ended meanwhile
    }
    ForegroundState state{answer.process, answer.cwd};
    const bool nobody = state == ForegroundState{};
    if (at->second.state != state) {
      at->second.state = state;
      caf::anon_send(terminals.at(answer.key), ForegroundChanged{std::move(state)});
    }
    if (nobody) {
      looks_.erase(at);  // it may have ended before it was asked about
    }
  }
  // The terminals have the news in their mailboxes before anybody who asked is answered.
  for (const io::Foreground& request : served) {
    answer(request);
  }
  if (std::any_of(waiting_.begin(), waiting_.end(),
                  [](const io::Foreground& r) { return static_cast<bool>(r.reply_to); })) {
    walk();
  } else if (!waiting_.empty()) {
    walk_when_rested();
  }
}

void ForegroundLooks::answer(const io::Foreground& request) const {
  if (!request.reply_to) {
    return;
  }
  ForegroundKnown known{request.key, {}};
  for (const auto& q : request.queries) {
    const auto at = looks_.find(q.query.key);
    if (at != looks_.end() && at->second.state) {
      known.terminals.emplace_back(q.query.key, *at->second.state);
    }
  }
  caf::anon_send(request.reply_to, std::move(known));
}

}  // namespace troupe::actors
