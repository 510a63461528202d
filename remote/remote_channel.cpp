// SPDX-License-Identifier: MIT
#include "remote/remote_channel.hpp"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <utility>

namespace troupe::remote {
namespace {

/// A worker that sits in a name resolution cannot be stopped; nobody waits longer for it.
constexpr std::chrono::milliseconds terminate_deadline{1500};

/// The listener of one worker. Lives as long as the channel, or until the open is answered.
class Session final : public WorkerListener {
 public:
  Session(boost::asio::io_context& io, std::shared_ptr<Outlet> outlet, pty::WindowSize size,
          RemoteService::Opened done)
      : opened_(std::move(done)), outlet_(std::move(outlet)), io_(io), deadline_(io) {
    mailbox_->size = size;
  }

  ~Session() override { mailbox_->cancel(); }

  [[nodiscard]] const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }

  void ready() override;
  void failed_to_open(Error error) override;

  void event(pty::ChannelEvent event) override {
    if (handler_) {
      handler_(std::move(event));
    } else {
      early_.push_back(std::move(event));
    }
  }

  void finished(pty::ExitStatus status) override {
    ended_ = true;
    status_ = status;
    event(pty::EndOfStream{forced_});
    event(pty::ChildExit{status});
    answer_terminate();
  }

  void start(pty::ChannelHandler handler) {
    {
      const std::lock_guard lock(mailbox_->mutex);
      mailbox_->started = true;
    }
    mailbox_->ring();
    if (early_.empty()) {
      handler_ = std::move(handler);
      return;
    }
    // `start` must not run the handler before it returns; later events queue behind these.
    boost::asio::post(io_, [weak = weak_, handler = std::move(handler)]() mutable {
      if (const auto self = weak.lock()) {
        self->handler_ = std::move(handler);
        auto early = std::exchange(self->early_, {});
        for (auto& item : early) {
          self->handler_(std::move(item));
        }
      }
    });
  }

  void terminate(std::function<void(pty::TerminateResult)> done) {
    waiting_.push_back(std::move(done));
    if (ended_) {
      boost::asio::post(io_, [weak = weak_] {
        if (const auto self = weak.lock()) {
          self->answer_terminate();
        }
      });
      return;
    }
    mailbox_->cancel();
    deadline_.expires_after(terminate_deadline);
    deadline_.async_wait([weak = weak_](const boost::system::error_code& failure) {
      if (const auto self = weak.lock(); self && !failure) {
        self->answer_terminate();
      }
    });
  }

  void set_weak(std::weak_ptr<Session> weak) { weak_ = std::move(weak); }
  [[nodiscard]] bool ended() const { return ended_; }
  void force_end() {
    forced_ = true;
    mailbox_->cancel();
  }

 private:
  void answer_terminate() {
    deadline_.cancel();
    for (auto& done : std::exchange(waiting_, {})) {
      done(pty::TerminateResult{status_, {}});
    }
  }

  std::shared_ptr<Mailbox> mailbox_ = std::make_shared<Mailbox>();
  RemoteService::Opened opened_;
  std::shared_ptr<Outlet> outlet_;
  std::weak_ptr<Session> weak_;
  pty::ChannelHandler handler_;
  std::deque<pty::ChannelEvent> early_;
  std::vector<std::function<void(pty::TerminateResult)>> waiting_;
  std::optional<pty::ExitStatus> status_;
  bool ended_ = false;
  bool forced_ = false;
  boost::asio::io_context& io_;
  boost::asio::steady_timer deadline_;
};

class RemoteChannel final : public pty::Channel {
 public:
  explicit RemoteChannel(std::shared_ptr<Session> session) : session_(std::move(session)) {}

  void start(pty::ChannelHandler handler) override { session_->start(std::move(handler)); }

  void consumed(std::size_t chunks) override {
    {
      const std::lock_guard lock(mailbox().mutex);
      mailbox().unconsumed -= std::min(chunks, mailbox().unconsumed);
    }
    mailbox().ring();
  }

  Result<> write(std::string bytes, pty::WriteId id) override {
    if (session_->ended()) {
      return Error{Code::exited, "the connection has ended"};
    }
    {
      const std::lock_guard lock(mailbox().mutex);
      if (mailbox().queued_bytes + bytes.size() > pty::write_queue_bytes) {
        return Error{Code::busy, "the terminal does not take its input"};
      }
      if (bytes.empty()) {
        return success();
      }
      mailbox().queued_bytes += bytes.size();
      mailbox().writes.push_back(PendingWrite{std::move(bytes), 0, id});
    }
    mailbox().ring();
    return success();
  }

  [[nodiscard]] std::size_t queued_bytes() const override {
    const std::lock_guard lock(mailbox().mutex);
    return mailbox().queued_bytes;
  }

  Result<> resize(pty::WindowSize size) override {
    {
      const std::lock_guard lock(mailbox().mutex);
      mailbox().size = size;
      mailbox().resize = size;
    }
    mailbox().ring();
    return success();
  }

  void end_stream() override { session_->force_end(); }

  void signal(int number, pty::SignalTarget, std::function<void(Result<>)> done) override {
    {
      const std::lock_guard lock(mailbox().mutex);
      mailbox().signals.push_back(PendingSignal{number, std::move(done)});
    }
    mailbox().ring();
  }

  void terminate(std::function<void(pty::TerminateResult)> done) override {
    session_->terminate(std::move(done));
  }

  void holders(std::function<void(std::vector<int>)> done) override { done({}); }

  [[nodiscard]] std::optional<int> pid() const override { return std::nullopt; }

  [[nodiscard]] std::optional<pty::LineState> line_state() const override {
    if (mailbox().secret_question) {
      return pty::LineState{false, true};
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] Mailbox& mailbox() const { return *session_->mailbox(); }

  std::shared_ptr<Session> session_;
};

void Session::ready() {
  auto self = std::static_pointer_cast<Session>(outlet_->release(this));
  if (auto done = std::exchange(opened_, nullptr)) {
    done(std::unique_ptr<pty::Channel>(std::make_unique<RemoteChannel>(std::move(self))));
  }
}

void Session::failed_to_open(Error error) {
  const auto self = outlet_->release(this);  // the last reference: it must outlive the answer
  if (auto done = std::exchange(opened_, nullptr)) {
    done(std::move(error));
  }
}

}  // namespace

void open_channel(boost::asio::io_context& io, const std::shared_ptr<Outlet>& outlet,
                  WorkerThreads& threads, std::unique_ptr<Peer> peer, pty::WindowSize size,
                  RemoteService::Opened done) {
  auto session = std::make_shared<Session>(io, outlet, size, std::move(done));
  session->set_weak(session);
  outlet->hold(session);
  start_worker(threads, outlet, session->mailbox(), session, std::move(peer));
}

}  // namespace troupe::remote
