// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The state that a remote channel (io thread) and its worker thread share, and the worker's loop.

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.hpp"
#include "pty/channel.hpp"
#include "remote/outlet.hpp"
#include "remote/peer.hpp"
#include "remote/worker_threads.hpp"

namespace troupe::remote {

struct PendingWrite {
  std::string bytes;
  std::size_t taken = 0;
  pty::WriteId id = 0;
};

struct PendingSignal {
  int number = 0;
  std::function<void(Result<>)> done;
};

/// What the io thread wants of the worker. Guarded by `mutex`; `wake` is rung after each change.
/// Bounds: `queued_bytes` <= pty::write_queue_bytes (the channel refuses more).
struct Mailbox {
  std::mutex mutex;
  UniqueFd wake;  ///< eventfd
  std::deque<PendingWrite> writes;
  std::size_t queued_bytes = 0;
  std::vector<PendingSignal> signals;
  std::optional<pty::WindowSize> resize;
  pty::WindowSize size;
  std::size_t unconsumed = 0;  ///< chunks delivered and not consumed
  bool started = false;
  bool cancelled = false;
  UniqueFd interrupt;  ///< duplicate of the socket that a cancel shuts down
  std::atomic<bool> secret_question{false};

  Mailbox();
  void ring() const;
  void cancel();
};

/// Where the worker's news go; called on the io thread.
class WorkerListener {
 public:
  WorkerListener() = default;
  WorkerListener(const WorkerListener&) = delete;
  WorkerListener& operator=(const WorkerListener&) = delete;
  virtual ~WorkerListener() = default;
  virtual void ready() = 0;
  virtual void failed_to_open(Error error) = 0;
  virtual void event(pty::ChannelEvent event) = 0;
  virtual void finished(pty::ExitStatus status) = 0;
};

/// Starts a thread that opens `peer`, runs it until its end, and reports to `listener` through
/// `outlet`. A listener that is gone hears nothing.
void start_worker(WorkerThreads& threads, std::shared_ptr<Outlet> outlet,
                  std::shared_ptr<Mailbox> mailbox, std::weak_ptr<WorkerListener> listener,
                  std::unique_ptr<Peer> peer);

}  // namespace troupe::remote
