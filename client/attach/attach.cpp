// SPDX-License-Identifier: MIT
#include "client/attach/attach.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <utility>

#include "base/random.hpp"
#include "client/attach/notice.hpp"
#include "client/attach/opening.hpp"
#include "client/attach/outer_terminal.hpp"
#include "client/attach/output_filter.hpp"
#include "client/attach/painter.hpp"
#include "client/attach/signal_source.hpp"
#include "client/attach/suspension.hpp"

namespace troupe::client {
namespace {

namespace request = protocol::request;
namespace reply = protocol::reply;
namespace event = protocol::event;
using std::chrono::milliseconds;

/// While this much waits for a slow outer terminal nothing more is read from the daemon.
constexpr std::size_t max_pending_bytes = std::size_t{256} * 1024;
/// While this much of the person's input is unanswered nothing more is read from the keyboard.
constexpr std::size_t max_unanswered_bytes = std::size_t{1024} * 1024;
/// How long an unfinished sequence from the keyboard may be the detach key.
constexpr int held_key_ms = 30;

class Session {
 public:
  Session(Client& client, const AttachOptions& options)
      : client_(client),
        options_(options),
        attachment_("troupe-" + random_hex(8)),
        scanner_(options.detach_key) {}

  Result<AttachOutcome> run();

 private:
  Result<> begin();
  Result<> loop();
  Result<> turn();
  void read_keyboard();
  void take_signal();
  void suspend();
  void window_changed();
  void show_notice(const std::string& what);
  void ask_for_repaint();
  [[nodiscard]] int poll_timeout_ms() const;
  void send_input(std::string bytes);
  void send_resize();
  void request(const protocol::Request& request, std::size_t input_bytes);
  void take_messages();
  void take_output(const Output& output);
  void take_reply(const Reply& reply);
  void take_event(const protocol::Response& response);
  void take_answer(const Reply& reply);
  void set_controller(const std::optional<std::string>& attachment);
  void repaint(std::string_view checkpoint);
  void emit(const std::string& bytes);
  void write_pending();
  void finish(AttachEnd end) {
    outcome_.end = end;
    done_ = true;
  }

  [[nodiscard]] bool observing() const { return options_.participation == Participation::observe; }

  Client& client_;
  const AttachOptions& options_;
  const std::string attachment_;
  SignalSource signals_{SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGWINCH, SIGCONT, SIGTSTP};
  std::optional<OuterTerminal> outer_;
  std::optional<Connection> connection_;
  RequestNumber subscription_ = 0;
  InputScanner scanner_;
  Painter painter_;
  Notice notice_{painter_};
  std::string pending_;
  std::map<RequestNumber, std::size_t> unanswered_;  ///< input bytes by request
  std::size_t unanswered_bytes_ = 0;
  RequestNumber resize_request_ = 0;  ///< in flight
  RequestNumber snapshot_request_ = 0;
  WindowSize terminal_size_;
  StreamOffset shown_ = 0;  ///< output before this offset is on the screen or in the repaint
  bool controlling_ = false;
  bool done_ = false;
  AttachOutcome outcome_;
};

Result<> Session::begin() {
  Result<Opening> opening = open_attachment(client_, options_, attachment_);
  if (!opening) {
    return opening.error();
  }
  const reply::Snapshot& snapshot = opening->snapshot;
  reply::Attached& attached = opening->attached;
  connection_.emplace(std::move(opening->connection));
  subscription_ = opening->subscription;
  controlling_ = attached.role == protocol::Role::controller;
  terminal_size_ = {attached.terminal.cols, attached.terminal.rows};

  Result<OuterTerminal> outer = OuterTerminal::enter(STDIN_FILENO);
  if (!outer) {
    return outer.error();
  }
  outer_.emplace(std::move(*outer));
  painter_.begin(snapshot.terminal, outer_->size(), options_.detach_key, controlling_, pending_);
  repaint(snapshot.checkpoint);
  painter_.hint(snapshot.text, pending_);
  shown_ = snapshot.terminal.output_tail;
  take_output(Output{subscription_, attached.available_offset, attached.end_offset,
                     std::move(attached.replay)});
  if (const auto* const exited = std::get_if<protocol::Exited>(&attached.terminal.lifecycle)) {
    outcome_.exit_code = exited->exit_code;
    finish(AttachEnd::exited);
  } else if (controlling_) {
    send_resize();
  }
  return success();
}

Result<AttachOutcome> Session::run() {
  Result<> result = begin();
  if (result) {
    result = loop();
  }
  if (outer_) {
    const Deadline deadline = after(milliseconds{1000});
    while (!pending_.empty() && Clock::now() < deadline) {
      pollfd poll_fd{outer_->fd(), POLLOUT, 0};
      ::poll(&poll_fd, 1, 100);
      write_pending();
    }
    outer_->set_undo(painter_.modes().restore());
    outer_->leave();
  }
  return result ? Result<AttachOutcome>{outcome_} : Result<AttachOutcome>{result.error()};
}

Result<> Session::loop() {
  while (!done_) {
    const Result<> result = turn();
    take_messages();
    if (!result && !done_) {
      if (result.error().code != Code::io) {
        return result;
      }
      outcome_.reason = outcome_.reason.empty() ? result.error().message : outcome_.reason;
      finish(AttachEnd::closed);
    }
  }
  return success();
}

Result<> Session::turn() {
  const bool read_daemon = pending_.size() < max_pending_bytes;
  const bool read_keys = unanswered_bytes_ < max_unanswered_bytes;
  const int daemon_events = (read_daemon ? POLLIN : 0) | (connection_->wants_write() ? POLLOUT : 0);
  const int outer_events = (read_keys ? POLLIN : 0) | (pending_.empty() ? 0 : POLLOUT);
  std::array<pollfd, 3> fds{pollfd{outer_->fd(), static_cast<short>(outer_events), 0},
                            pollfd{connection_->fd(), static_cast<short>(daemon_events), 0},
                            pollfd{signals_.fd(), POLLIN, 0}};
  const int ready = ::poll(fds.data(), fds.size(), poll_timeout_ms());
  if (notice_.end_when_over(Clock::now())) {
    ask_for_repaint();
  }
  if (ready == 0) {
    std::string released;
    scanner_.release(released);
    send_input(std::move(released));
  }
  if (fds[2].revents != 0) {
    take_signal();
  }
  if ((fds[0].revents & POLLOUT) != 0) {
    write_pending();
  }
  if ((fds[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
    read_keyboard();
  }
  if (fds[1].revents == 0 && !connection_->wants_write()) {
    return success();
  }
  return read_daemon ? connection_->pump() : connection_->flush();
}

int Session::poll_timeout_ms() const {
  return scanner_.holding() ? held_key_ms : notice_.poll_timeout_ms(Clock::now());
}

void Session::read_keyboard() {
  std::array<char, 16384> chunk;
  const ssize_t count = ::read(outer_->fd(), chunk.data(), chunk.size());
  if (count <= 0) {
    if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      outcome_.reason = "the window is gone";
      finish(AttachEnd::closed);
    }
    return;
  }
  std::string input;
  const auto verdict = scanner_.feed({chunk.data(), static_cast<std::size_t>(count)}, input);
  send_input(std::move(input));
  if (verdict == InputScanner::Verdict::detach) {
    (void)connection_->flush();
    finish(AttachEnd::detached);
  }
}

void Session::take_signal() {
  const int number = signals_.take();
  if (number == 0) {
    return;
  }
  if (number == SIGTSTP) {
    suspend();
  } else if (number == SIGWINCH || number == SIGCONT) {
    if (number == SIGCONT) {
      outer_->resume();
    }
    window_changed();
  } else {
    outcome_.signal = number;
    finish(AttachEnd::signalled);
  }
}

void Session::window_changed() {
  painter_.window_changed(outer_->size());
  if (controlling_ && !(outer_->size() == terminal_size_)) {
    send_resize();
  } else {
    ask_for_repaint();
  }
}

void Session::suspend() {
  pending_.clear();  // the repaint shows it
  emit(stop_and_come_back(*outer_, painter_));
  window_changed();
}

void Session::ask_for_repaint() {
  if (snapshot_request_ == 0) {
    request(request::Snapshot{options_.id, 0}, 0);
  }
}

void Session::show_notice(const std::string& what) {
  notice_.show(what, Clock::now());
  ask_for_repaint();
}

void Session::request(const protocol::Request& request, std::size_t input_bytes) {
  if (connection_->mode() == Mode::single) {
    Result<Reply> answer = client_.call(request, Client::patience);
    if (answer) {
      snapshot_request_ = answer->request;
      take_answer(*answer);
    }
    snapshot_request_ = 0;
    return;
  }
  const Result<RequestNumber> number = connection_->send(request);
  if (!number) {
    return;
  }
  unanswered_[*number] = input_bytes;
  unanswered_bytes_ += input_bytes;
  if (std::holds_alternative<request::Resize>(request)) {
    resize_request_ = *number;
  } else if (std::holds_alternative<request::Snapshot>(request)) {
    snapshot_request_ = *number;
  }
}

void Session::send_input(std::string bytes) {
  if (bytes.empty()) {
    return;
  }
  painter_.clear_hint(pending_);
  if (!controlling_) {
    if (!observing()) {
      pending_ += '\a';  // somebody else has control: the keys go nowhere
      show_notice("watching only: another client has control; attach --takeover takes it");
    }
    return;
  }
  request::Write write;
  write.id = options_.id;
  write.attachment_id = attachment_;
  const std::size_t size = bytes.size();
  write.data = std::move(bytes);
  request(write, size);
}

void Session::send_resize() {
  const WindowSize size = outer_->size();
  if (size.cols == 0 || size.rows == 0 || size == terminal_size_ || resize_request_ != 0) {
    return;
  }
  request(request::Resize{options_.id, attachment_, size.cols, size.rows}, 0);
}

void Session::take_messages() {
  while (!done_ && pending_.size() < 4 * max_pending_bytes) {
    std::optional<Message> message = connection_->next();
    if (!message) {
      return;
    }
    if (const auto* const output = std::get_if<Output>(&*message)) {
      take_output(*output);
    } else {
      take_reply(std::get<Reply>(*message));
    }
  }
}

void Session::take_output(const Output& output) {
  std::string_view bytes = output.bytes;
  if (output.end <= shown_) {
    return;
  }
  if (output.start < shown_) {
    bytes.remove_prefix(std::min<std::size_t>(bytes.size(), shown_ - output.start));
  }
  shown_ = output.end;
  std::string forwarded;
  painter_.output(bytes, forwarded);
  emit(forwarded);
}

void Session::take_reply(const Reply& reply) {
  if (reply.request != subscription_) {
    take_answer(reply);
  } else {
    take_event(reply.response);
  }
}

void Session::take_answer(const Reply& reply) {
  const auto found = unanswered_.find(reply.request);
  if (found != unanswered_.end()) {
    unanswered_bytes_ -= found->second;
    unanswered_.erase(found);
  }
  if (reply.request == resize_request_) {
    resize_request_ = 0;
    if (controlling_ && std::holds_alternative<reply::Ok>(reply.response)) {
      send_resize();  // the window may have changed again meanwhile
    }
  }
  if (reply.request == snapshot_request_) {
    snapshot_request_ = 0;
    if (const auto* const snapshot = std::get_if<reply::Snapshot>(&reply.response)) {
      if (snapshot->terminal.output_tail >= shown_) {
        repaint(snapshot->checkpoint);
        shown_ = snapshot->terminal.output_tail;
      } else {
        request(request::Snapshot{options_.id, 0}, 0);  // output overtook it
      }
    }
  }
}

void Session::take_event(const protocol::Response& response) {
  if (const auto* const resized = std::get_if<event::Resized>(&response)) {
    terminal_size_ = {resized->cols, resized->rows};
    painter_.terminal_resized(terminal_size_);
    repaint(resized->checkpoint);
  } else if (const auto* const resync = std::get_if<event::Resync>(&response)) {
    terminal_size_ = {resync->terminal.cols, resync->terminal.rows};
    painter_.terminal_resized(terminal_size_);
    repaint(resync->checkpoint);
    shown_ = resync->offset;
  } else if (const auto* const changed = std::get_if<event::ControllerChanged>(&response)) {
    set_controller(changed->attachment_id);
  } else if (const auto* const title = std::get_if<event::TitleChanged>(&response)) {
    painter_.title(title->title, pending_);
  } else if (const auto* const exited = std::get_if<event::Exited>(&response)) {
    outcome_.exit_code = exited->exit_code;
    finish(AttachEnd::exited);
  } else if (const auto* const ended = std::get_if<event::Ended>(&response)) {
    outcome_.reason = std::string(protocol::to_text(ended->reason));
    finish(AttachEnd::closed);
  }
}

void Session::set_controller(const std::optional<std::string>& attachment) {
  const bool before = std::exchange(controlling_, !observing() && attachment == attachment_);
  if (controlling_) {
    send_resize();
  }
  if (before == controlling_) {
    return;
  }
  painter_.remark(controlling_ ? "" : "watching only", pending_);
  if (!controlling_) {
    show_notice("another client took control, watching only; attach --takeover takes it back");
  } else if (notice_.end()) {
    ask_for_repaint();
  }
}

void Session::repaint(std::string_view checkpoint) {
  std::string painted;
  painter_.repaint(checkpoint, painted);
  emit(painted);
}

void Session::emit(const std::string& bytes) {
  if (outer_) {
    outer_->set_undo(painter_.modes().restore());
  }
  pending_ += bytes;
  write_pending();
}

void Session::write_pending() {
  if (!outer_ || pending_.empty()) {
    return;
  }
  const long count = outer_->write_some(pending_);
  if (count < 0) {
    outcome_.reason = "the window is gone";
    finish(AttachEnd::closed);
    pending_.clear();
    return;
  }
  pending_.erase(0, static_cast<std::size_t>(count));
}

}  // namespace

Result<AttachOutcome> attach(Client& client, const AttachOptions& options) {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) {
    return Error{Code::bad_request, "attach needs a terminal on standard input and output"};
  }
  return Session{client, options}.run();
}

}  // namespace troupe::client
