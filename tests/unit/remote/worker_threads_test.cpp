// SPDX-License-Identifier: MIT
#include "remote/worker_threads.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>

using troupe::remote::WorkerThreads;
using namespace std::chrono_literals;

TEST_CASE("worker_threads: the end waits for those that end and what they held is gone") {
  auto held = std::make_shared<std::atomic<int>>(0);
  std::promise<void> go;
  WorkerThreads threads;
  threads.start([held, wait = go.get_future().share()] {
    wait.wait();
    ++*held;
  });
  CHECK_FALSE(threads.finish(1ms));
  for (int i = 0; i < 7; ++i) {
    threads.start([held] { ++*held; });
  }
  go.set_value();
  REQUIRE(threads.finish(20s));
  CHECK(*held == 8);
  CHECK(held.use_count() == 1);
}

TEST_CASE("worker_threads: one that hangs is left behind and touches nothing") {
  auto go = std::make_shared<std::promise<void>>();
  auto over = std::make_shared<std::promise<void>>();
  {
    WorkerThreads threads;
    threads.start([go, over] {
      go->get_future().wait();
      over->set_value();
    });
    CHECK_FALSE(threads.finish(1ms));
  }
  auto ended = over->get_future();
  go->set_value();
  CHECK(ended.wait_for(20s) == std::future_status::ready);
}
