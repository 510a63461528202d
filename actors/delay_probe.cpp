// SPDX-License-Identifier: MIT
#include "actors/delay_probe.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <caf/send.hpp>
#include <chrono>
#include <utility>

#include "actors/messages.hpp"

namespace troupe::actors {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

constexpr std::chrono::seconds interval{1};

microseconds since(Clock::time_point then) {
  return std::chrono::duration_cast<microseconds>(Clock::now() - then);
}

}  // namespace

/// Shared with its handlers: one may be queued when the probe goes.
class DelayProbe::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(boost::asio::io_context& io, const Observer& observer, caf::actor probed)
      : observer_(observer), probed_(std::move(probed)), timer_(io) {}

  void arm() {
    timer_.expires_after(interval);
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error && !self->over_) {
        self->probe();
        self->arm();
      }
    });
  }
  void end() {
    over_ = true;
    timer_.cancel();
    probed_ = {};
  }

 private:
  void probe() {
    observer_.count([&](telemetry::Metrics& m) { m.reactor_delay(since(timer_.expiry())); });
    const auto now = Clock::now().time_since_epoch();
    caf::anon_send(probed_, DelayProbed{std::chrono::duration_cast<microseconds>(now).count()});
  }

  const Observer& observer_;
  caf::actor probed_;
  boost::asio::steady_timer timer_;
  bool over_ = false;
};

DelayProbe::DelayProbe(boost::asio::io_context& io, const Observer& observer, caf::actor probed)
    : impl_(std::make_shared<Impl>(io, observer, std::move(probed))) {
  impl_->arm();
}

DelayProbe::~DelayProbe() {
  impl_->end();
}

void count_actor_delay(const Observer& observer, std::int64_t sent_us) {
  observer.count([&](telemetry::Metrics& m) {
    m.actor_delay(since(Clock::time_point{microseconds{sent_us}}));
  });
}

}  // namespace troupe::actors
