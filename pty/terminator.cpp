// SPDX-License-Identifier: MIT
#include "pty/terminator.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "pty/on_io.hpp"

namespace troupe::pty {

namespace {

struct Stage {
  int signal;
  std::chrono::milliseconds grace;
};

// Together well under the five seconds after which clients give up.
constexpr std::array stages = {
    Stage{SIGHUP, std::chrono::milliseconds(200)},
    Stage{SIGTERM, std::chrono::milliseconds(300)},
    Stage{SIGKILL, std::chrono::milliseconds(1000)},
};

}  // namespace

void Terminator::run(boost::asio::io_context& io, std::weak_ptr<ProcessScanner> scanner,
                     std::shared_ptr<Child> leader, std::function<void()> refused, Done done) {
  const auto self = std::make_shared<Terminator>(io, std::move(scanner), std::move(leader),
                                                 std::move(refused), std::move(done));
  self->arm();
  self->scan();
}

Terminator::Terminator(boost::asio::io_context& io, std::weak_ptr<ProcessScanner> scanner,
                       std::shared_ptr<Child> leader, std::function<void()> refused, Done done)
    : io_(io),
      scanner_(std::move(scanner)),
      leader_(std::move(leader)),
      refused_(std::move(refused)),
      done_(std::move(done)),
      timer_(io) {}

std::vector<Terminator::Found> Terminator::find(const ProcessTable& table, int leader) {
  std::vector<Found> result;
  for (const auto& process : table.session_tree(leader)) {
    UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, process.pid, 0U)));
    const auto now = read_process(process.pid);
    // Only what still is the process that the table saw.
    if (pidfd && now && now->start_time == process.start_time) {
      result.push_back({process.pid, process.start_time, std::move(pidfd)});
    }
  }
  return result;
}

void Terminator::scan() {
  if (scanning_) {
    return;
  }
  const auto scanner = scanner_.lock();
  if (scanner == nullptr) {
    // The service is gone, the daemon about to be: no time for courtesy.
    leader_->send(SIGKILL);
    finish();
    return;
  }
  scanning_ = true;
  const OnIo then(io_, [self = shared_from_this()](std::vector<Found> found) {
    self->scanning_ = false;
    self->on_found(std::move(found));
  });
  scanner->scan(
      [then, leader = leader_->pid()](const ProcessTable& table) { then(find(table, leader)); });
}

bool Terminator::tracked(const Found& found) const {
  return std::any_of(members_.begin(), members_.end(), [&](const Member& member) {
    return member.pid == found.pid && member.start_time == found.start_time;
  });
}

void Terminator::on_found(std::vector<Found> found) {
  if (!done_) {
    return;
  }
  for (auto& process : found) {
    if (!tracked(process)) {
      add(std::move(process));
    }
  }
  // Nothing lives of what we know, and the look that was just taken found nothing else.
  if (living().empty()) {
    finish();
  }
}

void Terminator::add(Found found) {
  members_.push_back({found.pid, found.start_time, {io_, found.pidfd.release()}});
  signal(members_.back());
  members_.back().pidfd.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                                   [self = shared_from_this(), index = members_.size() - 1](
                                       const boost::system::error_code& error) {
                                     if (!error) {
                                       self->on_death(index);
                                     }
                                   });
}

void Terminator::signal(const Member& member) {
  // native_handle is not const in Asio, though it changes nothing.
  const int pidfd = const_cast<Member&>(member).pidfd.native_handle();  // NOLINT
  const int error = send_signal(pidfd, stages.at(stage_).signal);
  send_signal(pidfd, SIGCONT);
  signal_refused_ = signal_refused_ || error == EPERM;
}

void Terminator::on_death(std::size_t index) {
  members_[index].alive = false;
  boost::system::error_code ignored;
  members_[index].pidfd.close(ignored);
  if (done_ && living().empty()) {
    scan();
  }
}

void Terminator::arm() {
  timer_.expires_after(stages.at(stage_).grace);
  timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error && self->done_) {
      self->on_grace_over();
    }
  });
}

void Terminator::on_grace_over() {
  if (stage_ + 1 == stages.size()) {
    finish();
    return;
  }
  ++stage_;
  if (signal_refused_ && refused_) {
    std::exchange(refused_, nullptr)();
  }
  for (const auto& member : members_) {
    if (member.alive) {
      signal(member);
    }
  }
  arm();
  // Those that were born since have not heard of it yet.
  scan();
}

std::vector<int> Terminator::living() const {
  std::vector<int> result;
  for (const auto& member : members_) {
    if (member.alive) {
      result.push_back(member.pid);
    }
  }
  return result;
}

void Terminator::finish() {
  timer_.cancel();
  auto survivors = living();
  for (auto& member : members_) {
    boost::system::error_code ignored;
    member.pidfd.close(ignored);
  }
  leader_->poll();
  leader_->allow_reap();
  refused_ = nullptr;
  std::exchange(done_, nullptr)(std::move(survivors));
}

}  // namespace troupe::pty
