// SPDX-License-Identifier: MIT

#include <netdb.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <utility>
#include <vector>

#include "telemetry/otlp_json.hpp"
#include "telemetry/span_sink.hpp"

namespace troupe::telemetry {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using Clock = SpanSink::Clock;

constexpr std::size_t answer_bytes = 64U * 1024;
constexpr unsigned too_many_requests = 429;
constexpr unsigned bad_gateway = 502;
constexpr unsigned unavailable = 503;
constexpr unsigned gateway_timeout = 504;

/// Numbers and `localhost` without asking anybody; a name by the system's resolver, which can take
/// its time: this is the exporter's own thread.
std::vector<tcp::endpoint> resolve(const std::string& host, std::uint16_t port) {
  boost::system::error_code fault;
  const auto address = asio::ip::make_address(host, fault);
  if (!fault) {
    return {{address, port}};
  }
  if (host == "localhost") {
    return {{asio::ip::address_v4::loopback(), port}, {asio::ip::address_v6::loopback(), port}};
  }
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) {
    return {};
  }
  std::vector<tcp::endpoint> endpoints;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    tcp::endpoint endpoint;
    if ((at->ai_family == AF_INET || at->ai_family == AF_INET6) &&
        at->ai_addrlen <= endpoint.capacity()) {
      std::copy_n(reinterpret_cast<const char*>(at->ai_addr), at->ai_addrlen,
                  reinterpret_cast<char*>(endpoint.data()));
      endpoint.resize(at->ai_addrlen);
      endpoint.port(port);
      endpoints.push_back(endpoint);
    }
  }
  ::freeaddrinfo(found);
  return endpoints;
}

Delivery judge(unsigned status, const std::string& body) {
  if (status / 100 == 2) {
    return {Fate::sent, rejected_spans(body), {}};
  }
  const bool later = status == too_many_requests || status == bad_gateway ||
                     status == unavailable || status == gateway_timeout;
  return {later ? Fate::retry : Fate::rejected, 0, "HTTP status " + std::to_string(status)};
}

/// One request and its answer; lives while the sink's io_context runs.
class Exchange {
 public:
  using Request = http::request<http::string_body>;

  Exchange(asio::io_context& io, const Request& request)
      : socket_(io), timer_(io), request_(request) {
    parser_.body_limit(answer_bytes);
  }

  void start(const std::vector<tcp::endpoint>& endpoints, Clock::time_point deadline) {
    deadline_ = deadline;
    arm();
    asio::async_connect(socket_, endpoints, [this](const auto& error, const tcp::endpoint&) {
      error ? end(error) : write();
    });
  }
  void hurry(Clock::time_point deadline) {
    if (!over_ && deadline < deadline_) {
      deadline_ = deadline;
      arm();
    }
  }
  [[nodiscard]] const Delivery& delivery() const { return delivery_; }

 private:
  void arm() {
    timer_.expires_at(deadline_);
    timer_.async_wait([this](const auto& error) {
      if (!error && !over_) {
        late_ = true;
        boost::system::error_code ignored;
        socket_.close(ignored);
      }
    });
  }
  void write() {
    http::async_write(socket_, request_, [this](const auto& error, std::size_t) {
      // A collector may answer before it has read everything, and hang up.
      error ? end(error) : read();
    });
  }
  void read() {
    http::async_read(socket_, buffer_, parser_, [this](const auto& error, std::size_t) {
      error && !parser_.is_header_done() ? end(error) : end({});
    });
  }
  void end(const boost::system::error_code& error) {
    over_ = true;
    timer_.cancel();
    delivery_ = error ? Delivery{Fate::retry, 0, late_ ? "it took too long" : error.message()}
                      : judge(parser_.get().result_int(), parser_.get().body());
  }

  tcp::socket socket_;
  asio::steady_timer timer_;
  const Request& request_;
  beast::flat_buffer buffer_{answer_bytes};
  http::response_parser<http::string_body> parser_;
  Clock::time_point deadline_;
  Delivery delivery_;
  bool late_ = false;
  bool over_ = false;
};

class HttpSink final : public SpanSink {
 public:
  HttpSink(const SpanSettings& settings, const std::string& version) : target_(settings.target) {
    request_.version(11);
    request_.method(http::verb::post);
    request_.target(target_.path);
    request_.set(http::field::host, target_.place().substr(std::string_view{"http://"}.size()));
    request_.set(http::field::user_agent, "troupe/" + version);
    request_.set(http::field::content_type, "application/json");
    request_.set(http::field::connection, "close");
    for (const auto& [name, value] : settings.headers) {
      request_.set(name, value);
    }
  }

  Delivery deliver(const std::string& line, Clock::time_point deadline) override {
    const std::vector<tcp::endpoint> endpoints = resolve(target_.host, target_.port);
    if (endpoints.empty()) {
      return {Fate::retry, 0, "the host is not known"};
    }
    request_.body() = line;
    request_.prepare_payload();
    Exchange exchange{io_, request_};
    running_ = &exchange;
    exchange.start(endpoints, std::min(deadline, Clock::time_point{Clock::duration{
                                                     latest_.load(std::memory_order_acquire)}}));
    io_.restart();
    io_.run();
    running_ = nullptr;
    return exchange.delivery();
  }

  void hurry(Clock::time_point deadline) override {
    latest_.store(deadline.time_since_epoch().count(), std::memory_order_release);
    asio::post(io_, [this, deadline] {
      if (running_ != nullptr) {
        running_->hurry(deadline);
      }
    });
  }

 private:
  SpanTarget target_;
  asio::io_context io_{1};
  http::request<http::string_body> request_;
  Exchange* running_ = nullptr;  // only on the exporter's thread
  std::atomic<Clock::rep> latest_{Clock::time_point::max().time_since_epoch().count()};
};

}  // namespace

std::unique_ptr<SpanSink> make_http_sink(const SpanSettings& settings, const std::string& version) {
  return std::make_unique<HttpSink>(settings, version);
}

}  // namespace troupe::telemetry
