// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A thread for what may block, so that the io thread never does.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace troupe::pty {

/// Runs jobs one after the other on a thread of its own, with all signals blocked.
///
/// Threads: `post` from any thread.
/// Order: jobs run in the order in which they were posted. The destructor waits for the running
///   job and destroys the rest unrun.
class Worker {
 public:
  using Job = std::function<void()>;

  /// `name` is what the system's tools show, at most 15 bytes.
  explicit Worker(const char* name);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  void post(Job job);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace troupe::pty
