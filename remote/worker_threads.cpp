// SPDX-License-Identifier: MIT
#include "remote/worker_threads.hpp"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <utility>

namespace troupe::remote {

/// Outlives the owner where a thread does.
struct WorkerThreads::State {
  std::mutex mutex;
  std::condition_variable ended;
  std::vector<std::thread::id> over;  ///< those that have nothing left to do but to end
  std::size_t running = 0;

  bool is_over(std::thread::id id) const {
    return std::find(over.begin(), over.end(), id) != over.end();
  }
};

WorkerThreads::WorkerThreads() : state_(std::make_shared<State>()) {}

WorkerThreads::~WorkerThreads() {
  finish(std::chrono::milliseconds{0});
  for (std::thread& left : threads_) {
    left.detach();
  }
}

void WorkerThreads::start(std::function<void()> run) {
  {
    const std::lock_guard lock(state_->mutex);
    reap();
    ++state_->running;
  }
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  threads_.emplace_back([state = state_, run = std::move(run)]() mutable {
    run();
    run = nullptr;  // what it holds goes before its end is told
    const std::lock_guard lock(state->mutex);
    state->over.push_back(std::this_thread::get_id());
    --state->running;
    state->ended.notify_all();
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool WorkerThreads::finish(std::chrono::milliseconds patience) {
  std::unique_lock lock(state_->mutex);
  state_->ended.wait_for(lock, patience, [this] { return state_->running == 0; });
  reap();
  return threads_.empty();
}

/// Under the mutex; none of these takes it any more.
void WorkerThreads::reap() {
  std::erase_if(threads_, [this](std::thread& thread) {
    const std::thread::id id = thread.get_id();
    if (!state_->is_over(id)) {
      return false;
    }
    std::erase(state_->over, id);
    thread.join();
    return true;
  });
}

}  // namespace troupe::remote
