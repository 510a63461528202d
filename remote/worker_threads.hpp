// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The threads of remote terminals, so that they can be waited for: a thread that still works in
/// libssh or libcrypto when the process exits uses what their own exit handlers free.

#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace troupe::remote {

/// Threads: members from one thread at a time; what runs is on threads of its own.
/// Ownership: a thread that has not ended by itself when this goes is left behind.
/// Bounds: ended threads are joined whenever another starts.
class WorkerThreads {
 public:
  WorkerThreads();
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  /// Runs it with all signals blocked: those are the io thread's business.
  void start(std::function<void()> run);
  /// Joins those that end in time; false where one did not.
  bool finish(std::chrono::milliseconds patience);

 private:
  struct State;
  void reap();

  std::shared_ptr<State> state_;
  std::vector<std::thread> threads_;
};

}  // namespace troupe::remote
