// SPDX-License-Identifier: MIT
#include "remote/worker.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace troupe::remote {
namespace {

constexpr std::size_t max_answer_bytes = 4096;

/// One worker thread's life: open, wait for the start, pump, end.
class Worker final : public Link {
 public:
  Worker(std::shared_ptr<Outlet> outlet, std::shared_ptr<Mailbox> mailbox,
         std::weak_ptr<WorkerListener> listener, std::unique_ptr<Peer> peer)
      : outlet_(std::move(outlet)),
        mailbox_(std::move(mailbox)),
        listener_(std::move(listener)),
        peer_(std::move(peer)) {}

  void run() {
    auto opened = peer_->open(*this);
    if (!opened) {
      interruptible(-1);
      peer_->close();
      fail_to_open(opened.error());
      return;
    }
    announce_ready();
    pump();
    interruptible(-1);
    const pty::ExitStatus status = peer_->exit_status();
    peer_->close();
    end(status);
  }

  // Link
  [[nodiscard]] int wake_fd() const override { return mailbox_->wake.get(); }

  [[nodiscard]] bool cancelled() const override {
    const std::lock_guard lock(mailbox_->mutex);
    return mailbox_->cancelled;
  }

  void interruptible(int socket) override {
    const std::lock_guard lock(mailbox_->mutex);
    mailbox_->interrupt.reset(socket < 0 ? -1 : ::fcntl(socket, F_DUPFD_CLOEXEC, 0));
    if (mailbox_->cancelled && mailbox_->interrupt) {
      ::shutdown(mailbox_->interrupt.get(), SHUT_RDWR);
    }
  }

  [[nodiscard]] pty::WindowSize size() const override {
    const std::lock_guard lock(mailbox_->mutex);
    return mailbox_->size;
  }

  std::optional<std::string> ask(std::string_view question, Echo echo) override {
    announce_ready();
    mailbox_->secret_question = echo == Echo::off;
    emit(std::string(question));
    auto answer = read_line(echo);
    mailbox_->secret_question = false;
    emit("\r\n");
    return answer;
  }

 private:
  struct Orders {
    std::optional<pty::WindowSize> resize;
    std::vector<PendingSignal> signals;
    bool may_read = false;
    bool has_input = false;
    bool cancelled = false;
  };

  void post(std::function<void(WorkerListener&)> task) {
    outlet_->post([listener = listener_, task = std::move(task)] {
      if (const auto alive = listener.lock()) {
        task(*alive);
      }
    });
  }

  void emit(std::string bytes) {
    {
      const std::lock_guard lock(mailbox_->mutex);
      ++mailbox_->unconsumed;
    }
    post([bytes = std::move(bytes)](WorkerListener& listener) mutable {
      listener.event(pty::Data{std::move(bytes)});
    });
  }

  void announce_ready() {
    if (!std::exchange(announced_, true)) {
      post([](WorkerListener& listener) { listener.ready(); });
    }
  }

  /// Before the first question an error is the launch's; after it, it is text in the terminal.
  void fail_to_open(const Error& error) {
    if (!announced_) {
      post([error](WorkerListener& listener) { listener.failed_to_open(error); });
      return;
    }
    emit(error.message + "\r\n");
    static constexpr int connection_failed = 255;  // what ssh itself exits with
    end(pty::ExitStatus{connection_failed, std::nullopt});
  }

  void end(const pty::ExitStatus& status) {
    fail_writes();
    post([status](WorkerListener& listener) { listener.finished(status); });
  }

  void fail_writes() {
    std::deque<PendingWrite> writes;
    std::vector<PendingSignal> signals;
    {
      const std::lock_guard lock(mailbox_->mutex);
      writes.swap(mailbox_->writes);
      signals.swap(mailbox_->signals);
      mailbox_->queued_bytes = 0;
    }
    for (const PendingWrite& write : writes) {
      report(write, false);
    }
    for (PendingSignal& signal : signals) {
      post([done = std::move(signal.done)](WorkerListener&) {
        done(Error{Code::exited, "the connection has ended"});
      });
    }
  }

  void report(const PendingWrite& write, bool complete) {
    if (write.id != 0) {
      post([id = write.id, taken = write.taken, complete](WorkerListener& listener) {
        listener.event(pty::Written{id, taken, complete});
      });
    }
  }

  Orders take_orders() {
    std::uint64_t rung = 0;
    [[maybe_unused]] const ssize_t got = ::read(wake_fd(), &rung, sizeof rung);
    Orders orders;
    const std::lock_guard lock(mailbox_->mutex);
    orders.resize = std::exchange(mailbox_->resize, std::nullopt);
    orders.signals.swap(mailbox_->signals);
    orders.may_read = mailbox_->started && mailbox_->unconsumed < pty::max_unconsumed_chunks;
    orders.has_input = !mailbox_->writes.empty();
    orders.cancelled = mailbox_->cancelled;
    return orders;
  }

  void pump() {
    while (true) {
      Orders orders = take_orders();
      if (orders.cancelled) {
        return;
      }
      if (orders.resize) {
        peer_->resize(*orders.resize);
      }
      for (PendingSignal& signal : orders.signals) {
        post([done = std::move(signal.done),
              result = peer_->signal(signal.number)](WorkerListener&) { done(result); });
      }
      if (orders.has_input && !feed_input()) {
        return;
      }
      // The library may hold decoded bytes that no poll will tell of, so it is always asked.
      if (orders.may_read && !drain_output(orders.may_read)) {
        return;
      }
      if (!wait(orders)) {
        return;
      }
    }
  }

  /// Reads until there is nothing more or the credit is used up; `may_read` tells which.
  bool drain_output(bool& may_read) {
    while (may_read) {
      auto outcome = peer_->read();
      if (!outcome) {
        fail(outcome.error());
        return false;
      }
      const bool empty = outcome->bytes.empty();
      if (!empty) {
        emit(std::move(outcome->bytes));
      }
      if (outcome->end) {
        return false;
      }
      if (empty) {
        return true;
      }
      const std::lock_guard lock(mailbox_->mutex);
      may_read = mailbox_->unconsumed < pty::max_unconsumed_chunks && !mailbox_->cancelled;
    }
    return true;
  }

  void fail(const Error& error) {
    if (cancelled()) {
      return;  // it was this side that cut the connection
    }
    post([error](WorkerListener& listener) { listener.event(pty::Failed{error}); });
  }

  /// Hands the front of the input queue to the peer; false ends the worker.
  bool feed_input() {
    while (true) {
      std::string front;
      {
        const std::lock_guard lock(mailbox_->mutex);
        if (mailbox_->writes.empty()) {
          return true;
        }
        const PendingWrite& write = mailbox_->writes.front();
        front = write.bytes.substr(write.taken, pty::max_chunk_bytes);
      }
      const auto taken = peer_->write(front);
      if (!taken) {
        fail(taken.error());
        return false;
      }
      take_input(*taken);
      if (*taken < front.size()) {
        blocked_ = true;
        return true;
      }
      blocked_ = false;
    }
  }

  void take_input(std::size_t bytes) {
    std::optional<PendingWrite> whole;
    {
      const std::lock_guard lock(mailbox_->mutex);
      PendingWrite& write = mailbox_->writes.front();
      write.taken += bytes;
      mailbox_->queued_bytes -= bytes;
      if (write.taken == write.bytes.size()) {
        whole = std::move(write);
        mailbox_->writes.pop_front();
      }
    }
    if (whole) {
      report(*whole, true);
    }
  }

  bool wait(const Orders& orders) {
    std::array<pollfd, 2> fds = {pollfd{wake_fd(), POLLIN, 0}, pollfd{peer_->socket(), 0, 0}};
    const bool window_closed = blocked_ && peer_->writes_need_input();
    const unsigned events = (orders.may_read || window_closed ? unsigned{POLLIN} : 0U) |
                            (peer_->wants_write() ? unsigned{POLLOUT} : 0U);
    fds[1].events = static_cast<short>(events);
    if (events == 0) {
      fds[1].fd = -1;  // a hang-up would otherwise spin while the reader has no credit
    }
    const auto keepalive = peer_->keepalive();
    const int timeout = keepalive.count() > 0 ? static_cast<int>(keepalive.count()) : -1;
    const int ready = ::poll(fds.data(), fds.size(), timeout);
    if (ready > 0 && window_closed && !orders.may_read) {
      peer_->service();
    }
    if (ready == 0) {
      if (const auto alive = peer_->keep_alive(); !alive) {
        fail(alive.error());
        return false;
      }
    }
    return ready >= 0 || errno == EINTR;
  }

  /// The next byte of input, in order, or nothing when cancelled.
  std::optional<char> next_byte() {
    while (true) {
      std::optional<char> byte;
      {
        const std::lock_guard lock(mailbox_->mutex);
        if (mailbox_->cancelled) {
          return std::nullopt;
        }
        if (!mailbox_->writes.empty() && !mailbox_->writes.front().bytes.empty()) {
          const PendingWrite& write = mailbox_->writes.front();
          byte = write.bytes[write.taken];
        }
      }
      if (byte) {
        take_input(1);
        return byte;
      }
      pollfd fd{wake_fd(), POLLIN, 0};
      ::poll(&fd, 1, -1);
      std::uint64_t rung = 0;
      [[maybe_unused]] const ssize_t got = ::read(wake_fd(), &rung, sizeof rung);
    }
  }

  /// A line of input with the editing of a cooked terminal's simplest keys.
  std::optional<std::string> read_line(Echo echo) {
    static constexpr char ctrl_c = 3;
    static constexpr char ctrl_d = 4;
    static constexpr char backspace = 8;
    static constexpr char del = 127;
    std::string line;
    while (const auto byte = next_byte()) {
      if (*byte == '\r' || *byte == '\n') {
        return line;
      }
      if (*byte == ctrl_c || (*byte == ctrl_d && line.empty())) {
        return std::nullopt;
      }
      if (*byte == del || *byte == backspace) {
        if (!line.empty()) {
          line.pop_back();
          if (echo == Echo::on) {
            emit("\b \b");
          }
        }
      } else if (line.size() < max_answer_bytes) {
        line.push_back(*byte);
        if (echo == Echo::on) {
          emit(std::string(1, *byte));
        }
      }
    }
    return std::nullopt;
  }

  std::shared_ptr<Outlet> outlet_;
  std::shared_ptr<Mailbox> mailbox_;
  std::weak_ptr<WorkerListener> listener_;
  std::unique_ptr<Peer> peer_;
  bool announced_ = false;
  bool blocked_ = false;
};

}  // namespace

Mailbox::Mailbox() : wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void Mailbox::ring() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake.get(), &one, sizeof one);
}

void Mailbox::cancel() {
  const std::lock_guard lock(mutex);
  cancelled = true;
  if (interrupt) {
    ::shutdown(interrupt.get(), SHUT_RDWR);
  }
  ring();
}

void start_worker(WorkerThreads& threads, std::shared_ptr<Outlet> outlet,
                  std::shared_ptr<Mailbox> mailbox, std::weak_ptr<WorkerListener> listener,
                  std::unique_ptr<Peer> peer) {
  threads.start(
      [worker = std::make_shared<Worker>(std::move(outlet), std::move(mailbox), std::move(listener),
                                         std::move(peer))] { worker->run(); });
}

}  // namespace troupe::remote
