// SPDX-License-Identifier: MIT
#include "telemetry/metrics_server.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

namespace troupe::telemetry {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::beast::error_code;
using local = asio::local::stream_protocol;
using asio::ip::tcp;

constexpr std::chrono::seconds patience{10};
constexpr std::uint32_t max_request_bytes = 8 * 1024;
constexpr std::size_t max_connections = 16;
constexpr mode_t socket_mode = 0600;

/// One request and its answer.
template <class Protocol>
class Exchange : public std::enable_shared_from_this<Exchange<Protocol>> {
 public:
  /// `place` counts the connection while this lives.
  Exchange(typename Protocol::socket socket, const MetricsServer::Text& text,
           std::shared_ptr<void> place)
      : stream_(std::move(socket)), text_(text), place_(std::move(place)) {
    parser_.header_limit(max_request_bytes);
    parser_.body_limit(max_request_bytes);
  }

  void begin() {
    stream_.expires_after(patience);
    http::async_read(stream_, buffer_, parser_,
                     [self = this->shared_from_this()](error_code error, std::size_t /*bytes*/) {
                       if (!error) {
                         self->answer();
                       }
                     });
  }

 private:
  void answer() {
    const auto& request = parser_.get();
    answer_.version(request.version());
    answer_.keep_alive(false);
    const bool reads = request.method() == http::verb::get || request.method() == http::verb::head;
    const auto path = request.target().substr(0, request.target().find('?'));
    if (reads && (path == "/metrics" || path == "/")) {
      answer_.set(http::field::content_type, "text/plain; version=0.0.4; charset=utf-8");
      answer_.body() = text_();
    } else {
      answer_.result(reads ? http::status::not_found : http::status::method_not_allowed);
    }
    answer_.prepare_payload();
    if (request.method() == http::verb::head) {
      answer_.body().clear();
    }
    http::async_write(
        stream_, answer_,
        [self = this->shared_from_this()](error_code /*error*/, std::size_t /*bytes*/) {
          error_code ignored;
          self->stream_.socket().shutdown(asio::socket_base::shutdown_send, ignored);
        });
  }

  boost::beast::basic_stream<Protocol> stream_;
  const MetricsServer::Text& text_;
  std::shared_ptr<void> place_;
  boost::beast::flat_buffer buffer_;
  http::request_parser<http::string_body> parser_;
  http::response<http::string_body> answer_;
};

template <class Protocol>
void accept_next(typename Protocol::acceptor& acceptor, const MetricsServer::Text& text,
                 const std::shared_ptr<int>& places) {
  acceptor.async_accept(
      [&acceptor, &text, places](error_code error, typename Protocol::socket socket) {
        if (!acceptor.is_open()) {
          return;
        }
        // Each exchange holds a copy; one is the acceptor's and one this handler's.
        if (!error && static_cast<std::size_t>(places.use_count()) <= max_connections + 1) {
          std::make_shared<Exchange<Protocol>>(std::move(socket), text, places)->begin();
        }
        accept_next<Protocol>(acceptor, text, places);
      });
}

Error failure(const std::string& place, const error_code& error) {
  return {Code::io, "cannot serve figures on " + place + ": " + error.message()};
}

/// A socket file without a listener is left over from a daemon that was killed.
void remove_abandoned(asio::io_context& io, const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) {
    return;
  }
  local::socket probe(io);
  error_code error;
  probe.connect(local::endpoint(path), error);
  if (error == asio::error::connection_refused) {
    ::unlink(path.c_str());
  }
}

}  // namespace

class MetricsServer::Impl {
 public:
  explicit Impl(Text text) : text_(std::move(text)) {}
  ~Impl() {
    io_.stop();
    if (thread_.joinable()) {
      thread_.join();
    }
    if (!socket_path_.empty()) {
      ::unlink(socket_path_.c_str());
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<> listen(const LoopbackPort& place) {
    error_code error;
    const tcp::endpoint endpoint(asio::ip::make_address(place.address, error), place.port);
    tcp_.open(endpoint.protocol(), error);
    tcp_.set_option(asio::socket_base::reuse_address(true), error);
    tcp_.bind(endpoint, error);
    if (!error) {
      tcp_.listen(static_cast<int>(max_connections), error);
    }
    if (error) {
      return failure(place.address + ":" + std::to_string(place.port), error);
    }
    accept_next<tcp>(tcp_, text_, places_);
    return success();
  }

  Result<> listen(const SocketPath& place) {
    error_code error;
    remove_abandoned(io_, place.path);
    local_.open(local(), error);
    ::fchmod(local_.native_handle(), socket_mode);  // Linux makes the file with these modes
    try {
      local_.bind(local::endpoint(place.path), error);
    } catch (const boost::system::system_error& too_long) {
      error = too_long.code();
    }
    if (!error) {
      socket_path_ = place.path;
      local_.listen(static_cast<int>(max_connections), error);
    }
    if (error) {
      return failure(place.path, error);
    }
    accept_next<local>(local_, text_, places_);
    return success();
  }

  void run() {
    thread_ = std::thread([this] { io_.run(); });
  }

  [[nodiscard]] std::uint16_t port() const {
    error_code error;
    return tcp_.is_open() ? tcp_.local_endpoint(error).port() : std::uint16_t{0};
  }

 private:
  const Text text_;
  std::shared_ptr<int> places_ = std::make_shared<int>();
  asio::io_context io_{1};
  tcp::acceptor tcp_{io_};
  local::acceptor local_{io_};
  std::string socket_path_;
  std::thread thread_;
};

Result<std::unique_ptr<MetricsServer>> MetricsServer::start(const MetricsPlace& place, Text text) {
  auto impl = std::make_unique<Impl>(std::move(text));
  const Result<> listens =
      std::visit([&](const auto& where) { return impl->listen(where); }, place);
  if (!listens) {
    return listens.error();
  }
  impl->run();
  return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(impl)));
}

MetricsServer::MetricsServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
MetricsServer::~MetricsServer() = default;

std::uint16_t MetricsServer::port() const {
  return impl_->port();
}

}  // namespace troupe::telemetry
