// SPDX-License-Identifier: MIT
#include "client/cli/player.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "client/attach/outer_terminal.hpp"
#include "client/attach/output_filter.hpp"
#include "client/attach/signal_source.hpp"
#include "client/cli/context.hpp"

namespace troupe::client::cli {
namespace {

using std::chrono::microseconds;
using Clock = std::chrono::steady_clock;

constexpr char ctrl_c = 0x03;

class Player {
 public:
  Player() : to_terminal_(::isatty(STDOUT_FILENO) != 0) {}

  int run(recording::RecordingReader& reader, const recording::PlayOptions& options);

 private:
  void take_terminal();
  void leave_terminal();
  /// Both return early once playing is over.
  void wait_until_due();
  void show(std::string_view bytes);
  void write_to_outer(std::string_view bytes);
  /// Waits for keys, signals or (with `POLLOUT`) room in the terminal; at most until `due`.
  void poll_once(std::optional<Clock::time_point> due, short outer_events);
  void read_keys();
  void finish(int status) {
    status_ = status;
    over_ = true;
  }

  const bool to_terminal_;
  SignalSource signals_{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  std::optional<OuterTerminal> outer_;  ///< where there is a keyboard to listen to
  OutputFilter filter_;
  Clock::time_point due_ = Clock::now();  ///< of the next row; pauses push it on
  bool paused_ = false;
  bool over_ = false;
  int status_ = exit_status::ok;
};

void Player::take_terminal() {
  if (!to_terminal_ || ::isatty(STDIN_FILENO) == 0) {
    return;
  }
  Result<OuterTerminal> outer = OuterTerminal::enter(STDIN_FILENO);
  if (outer) {
    outer_.emplace(std::move(*outer));
  }
}

void Player::leave_terminal() {
  if (outer_) {
    outer_->set_undo(filter_.modes().restore());
    outer_->leave();
  } else if (to_terminal_) {
    print(filter_.modes().restore());
  }
}

void Player::read_keys() {
  std::array<char, 4096> keys;
  const ssize_t count = ::read(outer_->fd(), keys.data(), keys.size());
  for (ssize_t at = 0; at < count; ++at) {
    if (keys[static_cast<std::size_t>(at)] == ctrl_c) {
      return finish(exit_status::signal_base + SIGINT);
    }
    if (keys[static_cast<std::size_t>(at)] == 'q') {
      return finish(exit_status::ok);
    }
    paused_ = paused_ != (keys[static_cast<std::size_t>(at)] == ' ');
  }
  if (count == 0) {
    finish(exit_status::error);  // the window is gone
  }
}

void Player::poll_once(std::optional<Clock::time_point> due, short outer_events) {
  timespec left{};
  if (due) {
    const auto rest = std::max(*due - Clock::now(), Clock::duration::zero());
    left.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(rest).count();
    left.tv_nsec = (rest % std::chrono::seconds{1}).count();
  }
  std::array<pollfd, 2> fds{
      pollfd{signals_.fd(), POLLIN, 0},
      pollfd{outer_ ? outer_->fd() : -1, static_cast<short>(POLLIN | outer_events), 0}};
  if (::ppoll(fds.data(), fds.size(), due ? &left : nullptr, nullptr) <= 0) {
    return;
  }
  if (const int number = fds[0].revents != 0 ? signals_.take() : 0; number != 0) {
    return finish(exit_status::signal_base + number);
  }
  if ((fds[1].revents & ~POLLOUT) != 0) {
    read_keys();
  }
}

void Player::wait_until_due() {
  while (!over_ && (paused_ || Clock::now() < due_)) {
    const auto before = Clock::now();
    const bool was_paused = paused_;
    poll_once(paused_ ? std::nullopt : std::optional{due_}, 0);
    if (was_paused) {
      due_ += Clock::now() - before;
    }
  }
}

void Player::write_to_outer(std::string_view bytes) {
  while (!bytes.empty() && !over_) {
    const long written = outer_->write_some(bytes);
    if (written < 0) {
      return finish(exit_status::error);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
    if (!bytes.empty()) {
      poll_once(std::nullopt, POLLOUT);
    }
  }
}

void Player::show(std::string_view bytes) {
  std::string shown;
  if (to_terminal_) {
    filter_.feed(bytes, shown);
    bytes = shown;
  }
  if (outer_) {
    outer_->set_undo(filter_.modes().restore());
    write_to_outer(bytes);
  } else if (!print(bytes)) {
    finish(exit_status::ok);
  }
}

int Player::run(recording::RecordingReader& reader, const recording::PlayOptions& options) {
  take_terminal();
  std::int64_t previous_us = 0;
  while (!over_) {
    const std::optional<recording::Entry> entry = reader.next();
    if (!entry) {
      break;
    }
    due_ += microseconds{recording::play_delay_us(previous_us, entry->t_us, options)};
    previous_us = entry->t_us;
    wait_until_due();
    if (!over_ && entry->kind == recording::EntryKind::output) {
      show(entry->data);
    }
  }
  leave_terminal();
  return status_;
}

}  // namespace

int play(recording::RecordingReader& reader, const recording::PlayOptions& options) {
  return Player{}.run(reader, options);
}

}  // namespace troupe::client::cli
