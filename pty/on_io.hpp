// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The way back from a thread that may block to the io thread.

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <memory>
#include <tuple>
#include <utility>

namespace troupe::pty {

/// Calls a function on the io thread, once, from any thread. Keeps `io.run()` from returning until
/// then.
///
/// The function is moved into the post: were it copied, the job that was left behind on the other
/// thread could be the last to destroy what the function holds, there.
template <class Then>
class OnIo {
 public:
  OnIo(boost::asio::io_context& io, Then then)
      : state_(std::make_shared<State>(
            State{boost::asio::require(io.get_executor(),
                                       boost::asio::execution::outstanding_work_t::tracked),
                  std::move(then)})) {}

  template <class... Args>
  void operator()(Args... args) const {
    boost::asio::post(state_->executor, [then = std::move(state_->then),
                                         values = std::make_tuple(std::move(args)...)]() mutable {
      std::apply(then, std::move(values));
    });
  }

 private:
  using Tracked =
      decltype(boost::asio::require(std::declval<boost::asio::io_context&>().get_executor(),
                                    boost::asio::execution::outstanding_work_t::tracked));
  struct State {
    Tracked executor;
    Then then;
  };
  std::shared_ptr<State> state_;
};

}  // namespace troupe::pty
