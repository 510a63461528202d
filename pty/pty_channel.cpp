// SPDX-License-Identifier: MIT
#include "pty/pty_channel.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <system_error>
#include <utility>

#include "pty/on_io.hpp"
#include "pty/pty_device.hpp"
#include "pty/terminator.hpp"

namespace troupe::pty {

namespace {

Error has_ended() {
  return {Code::exited, "the terminal has ended"};
}

Result<> signal_result(int error) {
  if (error == 0) {
    return success();
  }
  return error == ESRCH ? has_ended() : system_error("cannot send the signal", error);
}

// On the scanner's thread.
int signal_members(const ProcessTable& table, int leader, int number) {
  int result = ESRCH;
  for (const auto& process : table.all()) {
    if (process.session != leader || process.dead()) {
      continue;
    }
    const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0U)));
    const auto now = read_process(process.pid);
    if (pidfd && now && now->start_time == process.start_time) {
      const int error = send_signal(pidfd.get(), number);
      result = result == 0 ? 0 : error;
    }
  }
  return result;
}

std::vector<ProcessInfo> named(const ProcessTable& table, const std::vector<int>& pids) {
  std::vector<ProcessInfo> result;
  for (const int pid : pids) {
    if (const auto* process = table.find(pid)) {
      result.push_back(*process);
    }
  }
  return result;
}

std::vector<int> living(const ProcessTable& table, const std::vector<ProcessInfo>& processes) {
  std::vector<int> result;
  for (const auto& process : processes) {
    const auto* now = table.find(process.pid);
    if (now != nullptr && now->start_time == process.start_time && !now->dead()) {
      result.push_back(process.pid);
    }
  }
  return result;
}

bool has_living_members(const ProcessTable& table, int leader) {
  return std::any_of(table.all().begin(), table.all().end(), [&](const ProcessInfo& process) {
    return process.session == leader && !process.dead();
  });
}

}  // namespace

PtyChannel::PtyChannel(boost::asio::io_context& io, std::weak_ptr<ProcessScanner> scanner,
                       SpawnedChild child)
    : io_(io),
      scanner_(std::move(scanner)),
      tty_path_(child.tty_path),
      stream_(std::make_shared<PtyStream>(io, std::move(child.master))),
      child_(Child::watch(io, std::move(child.pidfd), child.pid)) {}

PtyChannel::~PtyChannel() {
  life_.reset();
  if (!child_->reaped() && !terminating_) {
    Terminator::run(io_, scanner_, child_, nullptr, [](const std::vector<int>&) {});
  }
  stream_->close();
}

void PtyChannel::post(std::function<void()> call) {
  boost::asio::post(io_, [life = std::weak_ptr(life_), call = std::move(call)] {
    if (!life.expired()) {
      call();
    }
  });
}

void PtyChannel::start(ChannelHandler handler) {
  handler_ = std::make_shared<const ChannelHandler>(std::move(handler));
  const std::weak_ptr life = life_;
  stream_->start([this, life, keep = handler_](ChannelEvent event) {
    const auto* const end = std::get_if<EndOfStream>(&event);
    const bool over = end != nullptr;
    if (over && !end->forced && !life.expired()) {
      known_holders_.clear();  // they all let go
    }
    (*keep)(std::move(event));
    if (over && !life.expired()) {
      settle_if_over();
    }
  });
  post([this, life] {
    child_->on_exit([this, life](ExitStatus status) {
      // What the child printed before it died comes before the news of its death.
      if (!life.expired()) {
        const auto stream = stream_;
        stream->drain();
      }
      if (life.expired()) {
        return;
      }
      const auto keep = handler_;
      (*keep)(ChildExit{status});
      if (!life.expired()) {
        settle_if_over();
      }
    });
  });
}

void PtyChannel::consumed(std::size_t chunks) {
  stream_->consumed(chunks);
}

Result<> PtyChannel::write(std::string bytes, WriteId id) {
  return stream_->write(std::move(bytes), id);
}

std::size_t PtyChannel::queued_bytes() const {
  return stream_->queued_bytes();
}

Result<> PtyChannel::resize(WindowSize size) {
  return stream_->fd() < 0 ? has_ended() : set_window_size(stream_->fd(), size);
}

void PtyChannel::end_stream() {
  stream_->end();
}

std::optional<int> PtyChannel::pid() const {
  return child_->status() ? std::nullopt : std::optional<int>{child_->pid()};
}

std::optional<LineState> PtyChannel::line_state() const {
  return stream_->fd() < 0 ? std::nullopt : line_state_of(stream_->fd());
}

void PtyChannel::signal(int number, SignalTarget target, std::function<void(Result<>)> done) {
  Result<> result = success();
  if (number < 1 || number >= NSIG) {
    result = Error{Code::bad_request, "there is no such signal"};
  } else if (target == SignalTarget::session) {
    signal_session(number, std::move(done));
    return;
  } else if (target == SignalTarget::leader) {
    result = signal_result(child_->send(number));
  } else {
    const auto group = stream_->fd() < 0 ? std::nullopt : foreground_group_of(stream_->fd());
    result = !group ? has_ended() : signal_result(::kill(-*group, number) == 0 ? 0 : errno);
  }
  post([done = std::move(done), result] { done(result); });
}

void PtyChannel::signal_session(int number, std::function<void(Result<>)> done) {
  const auto scanner = scanner_.lock();
  // Once the leader is reaped its number may name a stranger's session.
  if (scanner == nullptr || child_->reaped()) {
    post([done = std::move(done)] { done(has_ended()); });
    return;
  }
  const OnIo then(io_, [life = std::weak_ptr(life_), done = std::move(done)](int error) {
    if (!life.expired()) {
      done(signal_result(error));
    }
  });
  scanner->scan([then, leader = child_->pid(), number](const ProcessTable& table) {
    then(signal_members(table, leader, number));
  });
}

void PtyChannel::holders(std::function<void(std::vector<int>)> done) {
  const auto scanner = scanner_.lock();
  // The path is ours only as long as the master is open.
  if (scanner == nullptr || stream_->fd() < 0) {
    post([done = std::move(done)] { done({}); });
    return;
  }
  const OnIo then(io_, [this, life = std::weak_ptr(life_),
                        done = std::move(done)](std::vector<ProcessInfo> holders) {
    if (life.expired()) {
      return;
    }
    std::vector<int> pids;
    for (const auto& holder : holders) {
      pids.push_back(holder.pid);
    }
    if (!stream_->ended()) {
      known_holders_ = std::move(holders);
    }
    done(std::move(pids));
  });
  scanner->scan([then, path = tty_path_](const ProcessTable& table) {
    then(named(table, holders_of(table, path)));
  });
}

void PtyChannel::settle_if_over() {
  if (!stream_->ended() || !child_->status() || std::exchange(settled_, true)) {
    return;
  }
  stream_->hang_up();
  const auto scanner = scanner_.lock();
  if (scanner == nullptr || terminating_) {
    return;
  }
  const OnIo then(io_, [this, life = std::weak_ptr(life_)](bool has_members) {
    if (!life.expired() && !terminating_ && !has_members) {
      child_->allow_reap();
    }
  });
  scanner->scan([then, leader = child_->pid()](const ProcessTable& table) {
    then(has_living_members(table, leader));
  });
}

void PtyChannel::terminate(std::function<void(TerminateResult)> done) {
  if (result_) {
    post([this, done = std::move(done)] { done(*result_); });
    return;
  }
  terminate_callbacks_.push_back(std::move(done));
  if (!std::exchange(terminating_, true)) {
    if (child_->reaped()) {
      post([this] { on_killed({}); });
      return;
    }
    const std::weak_ptr life = life_;
    Terminator::run(
        io_, scanner_, child_, [stream = stream_] { stream->hang_up(); },
        [this, life](std::vector<int> survivors) {
          if (!life.expired()) {
            on_killed(std::move(survivors));
          }
        });
  }
}

/// What left the session and was orphaned is none of the Terminator's, but may hold the terminal.
/// It is named, not killed: it may be a server that other terminals need, with a client here.
void PtyChannel::on_killed(std::vector<int> survivors) {
  const auto scanner = scanner_.lock();
  const bool open = stream_->fd() >= 0;
  if (scanner == nullptr || (open ? !slave_is_open(stream_->fd()) : known_holders_.empty())) {
    on_terminated(std::move(survivors));
    return;
  }
  const OnIo then(io_, [this, life = std::weak_ptr(life_),
                        survivors = std::move(survivors)](std::vector<int> holders) {
    if (!life.expired()) {
      holders.insert(holders.end(), survivors.begin(), survivors.end());
      std::sort(holders.begin(), holders.end());
      holders.erase(std::unique(holders.begin(), holders.end()), holders.end());
      on_terminated(std::move(holders));
    }
  });
  scanner->scan([then, open, path = tty_path_, known = known_holders_](const ProcessTable& table) {
    then(open ? holders_of(table, path) : living(table, known));
  });
}

void PtyChannel::on_terminated(std::vector<int> survivors) {
  result_ = TerminateResult{child_->status(), std::move(survivors)};
  const std::weak_ptr life = life_;
  // A callback may destroy this channel, and the answer with it.
  const auto result = *result_;
  for (const auto& done : std::exchange(terminate_callbacks_, {})) {
    if (!life.expired()) {
      done(result);
    }
  }
}

}  // namespace troupe::pty
