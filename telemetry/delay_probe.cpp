// SPDX-License-Identifier: MIT
#include "telemetry/delay_probe.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <utility>

namespace troupe::telemetry {

class DelayProbe::Impl : public std::enable_shared_from_this<DelayProbe::Impl> {
 public:
  Impl(boost::asio::io_context& io, DelayHistogram& delays, std::function<void()> each_turn)
      : timer_(io), delays_(delays), each_turn_(std::move(each_turn)) {}

  void arm() {
    timer_.expires_after(interval);
    timer_.async_wait([self = shared_from_this()](const auto& error) {
      if (!error && !self->ended_) {
        self->turn();
      }
    });
  }
  void end() {
    ended_ = true;
    timer_.cancel();
  }

 private:
  void turn() {
    delays_.observe(std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - timer_.expiry()));
    each_turn_();
    arm();
  }

  boost::asio::steady_timer timer_;
  DelayHistogram& delays_;
  std::function<void()> each_turn_;
  bool ended_ = false;
};

DelayProbe::DelayProbe(boost::asio::io_context& io, DelayHistogram& delays,
                       std::function<void()> each_turn)
    : impl_(std::make_shared<Impl>(io, delays, std::move(each_turn))) {
  impl_->arm();
}
DelayProbe::~DelayProbe() {
  impl_->end();
}

}  // namespace troupe::telemetry
