// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How worker threads reach the io thread without keeping the io context alive: the owner closes
/// the outlet, later posts go nowhere.

#include <functional>
#include <memory>
#include <mutex>
#include <set>

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace troupe::remote {

/// Threads: `post` from any; the rest only on the io thread.
/// Ownership: keeps what waits to be answered alive until it is released or the outlet is closed.
class Outlet {
 public:
  explicit Outlet(boost::asio::io_context& io) : io_(&io) {}
  void post(std::function<void()> task);
  void close();

  void hold(std::shared_ptr<void> waiting);
  /// Gives back what `hold` kept.
  std::shared_ptr<void> release(const void* waiting);

 private:
  std::mutex mutex_;
  boost::asio::io_context* io_;
  std::set<std::shared_ptr<void>> waiting_;
};

}  // namespace troupe::remote
