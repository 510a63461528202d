// SPDX-License-Identifier: MIT
#include "telemetry/metrics_server.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <set>
#include <utility>

#include "telemetry/metrics_socket.hpp"
#include "transport/listener.hpp"

namespace troupe::telemetry {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Clock = std::chrono::steady_clock;
using Stream = beast::basic_stream<asio::generic::stream_protocol>;

constexpr std::size_t request_bytes = 8U * 1024;
/// What is taken of a body that nobody wants.
constexpr std::size_t max_drained_bytes = 1024U * 1024;
constexpr std::chrono::seconds patience{5};
constexpr std::chrono::milliseconds text_age{100};

/// A page in a browser can make it ask a loopback port under a name of its own (DNS rebinding).
bool names_this_machine(std::string_view host) {
  if (host.empty()) {
    return true;  // HTTP/1.0
  }
  if (host.front() == '[') {
    return host.substr(0, 5) == "[::1]";
  }
  host = host.substr(0, host.find(':'));
  in_addr v4{};
  return host == "localhost" || ::inet_pton(AF_INET, std::string{host}.c_str(), &v4) == 1;
}

}  // namespace

// -- the listening side --------------------------------------------------------------------------

class MetricsServer::Impl : public std::enable_shared_from_this<MetricsServer::Impl> {
 public:
  class Scrape;

  Impl(asio::io_context& io, Counters& counters, Render render)
      : io_(io), counters_(counters), render_(std::move(render)) {}

  Result<> open(const MetricsAddress& address) {
    return address.path.empty() ? open_tcp(address) : open_unix(address.path);
  }
  void start() {
    listener_->start([this](UniqueFd socket) { accept(std::move(socket)); });
  }
  void close();

  [[nodiscard]] const std::string& url() const { return url_; }
  [[nodiscard]] bool over_tcp() const { return path_.empty(); }
  void done(const std::shared_ptr<Scrape>& scrape) { scrapes_.erase(scrape); }

  const std::string& text() {
    if (const auto now = Clock::now(); now >= fresh_until_) {
      text_ = render_();
      fresh_until_ = now + text_age;
    }
    return text_;
  }

 private:
  Result<> open_tcp(const MetricsAddress& address) {
    Result<UniqueFd> socket = listen_tcp(address);
    if (!socket) {
      return socket.error();
    }
    url_ = "http://" + place_of(address, port_of(socket->get())) + "/metrics";
    listener_ = transport::Listener::adopt(io_, std::move(*socket));
    return success();
  }
  Result<> open_unix(const std::string& path) {
    if (Result<> cleared = clear_path(path); !cleared) {
      return cleared;
    }
    Result<std::unique_ptr<transport::Listener>> listener = transport::Listener::open(io_, path);
    if (!listener) {
      return Error{listener.error().code, "metrics: " + listener.error().message};
    }
    listener_ = std::move(*listener);
    path_ = path;
    url_ = "unix:" + path;
    (void)::lstat(path.c_str(), &bound_);
    return success();
  }
  void accept(UniqueFd socket);

  asio::io_context& io_;
  Counters& counters_;
  Render render_;
  std::unique_ptr<transport::Listener> listener_;
  std::set<std::shared_ptr<Scrape>> scrapes_;
  std::string url_;
  std::string path_;
  struct stat bound_ {};
  std::string text_;
  Clock::time_point fresh_until_{};
};

// -- one connection ------------------------------------------------------------------------------

class MetricsServer::Impl::Scrape : public std::enable_shared_from_this<Scrape> {
 public:
  Scrape(asio::io_context& io, int family, UniqueFd socket, Impl& server)
      : stream_(io, asio::generic::stream_protocol(family, 0), socket.release()), server_(&server) {
    parser_.header_limit(request_bytes);
    parser_.body_limit(boost::none);  // none is read into the parser
  }

  void start() {
    stream_.expires_after(patience);
    // The head says all. A body is not for reading, only for a refusal that is heard.
    http::async_read_header(stream_, buffer_, parser_,
                            [self = shared_from_this()](const beast::error_code& error,
                                                        std::size_t) { self->on_request(error); });
  }
  /// The server is gone: no member of it is called any more.
  void abandon() {
    server_ = nullptr;
    stream_.close();
  }

 private:
  void on_request(const beast::error_code& error) {
    if (server_ == nullptr) {
      return;
    }
    if (error) {
      return finish();
    }
    answer();
    stream_.expires_after(patience);
    http::async_write(stream_, response_,
                      [self = shared_from_this()](const beast::error_code&, std::size_t) {
                        beast::error_code ignored;
                        self->stream_.socket().shutdown(asio::socket_base::shutdown_send, ignored);
                        self->has_body() ? self->drain() : self->finish();
                      });
  }

  [[nodiscard]] bool has_body() const {
    return parser_.chunked() || parser_.content_length().value_or(0) > 0;
  }
  /// A socket that is closed with bytes unread resets the connection, and the reply may be lost.
  void drain() {
    buffer_.clear();
    stream_.async_read_some(
        buffer_.prepare(request_bytes),
        [self = shared_from_this()](const beast::error_code& error, std::size_t count) {
          self->drained_bytes_ += count;
          if (error || self->server_ == nullptr || self->drained_bytes_ > max_drained_bytes) {
            return self->finish();
          }
          self->drain();
        });
  }

  void answer() {
    const auto& request = parser_.get();
    const beast::string_view target = request.target().substr(0, request.target().find('?'));
    response_.version(request.version());
    response_.keep_alive(false);
    response_.set(http::field::content_type, "text/plain; charset=utf-8");
    const beast::string_view host = request[http::field::host];
    if (server_->over_tcp() && !names_this_machine({host.data(), host.size()})) {
      refuse(http::status::forbidden, "metrics are for this machine\n");
    } else if (target != "/metrics") {
      refuse(http::status::not_found, "metrics are at /metrics\n");
    } else if (request.method() != http::verb::get && request.method() != http::verb::head) {
      response_.set(http::field::allow, "GET, HEAD");
      refuse(http::status::method_not_allowed, "only GET\n");
    } else {
      response_.result(http::status::ok);
      response_.set(http::field::content_type, "text/plain; version=0.0.4; charset=utf-8");
      response_.body() = server_->text();
      response_.prepare_payload();
      if (request.method() == http::verb::head) {
        response_.body().clear();
      }
    }
  }
  void refuse(http::status status, const char* why) {
    response_.result(status);
    response_.body() = why;
    response_.prepare_payload();
  }
  void finish() {
    if (server_ != nullptr) {
      std::exchange(server_, nullptr)->done(shared_from_this());
    }
  }

  Stream stream_;
  beast::flat_buffer buffer_{request_bytes};
  http::request_parser<http::empty_body> parser_;
  http::response<http::string_body> response_;
  std::size_t drained_bytes_ = 0;
  Impl* server_;  // outlives this or abandons it
};

void MetricsServer::Impl::accept(UniqueFd socket) {
  if (scrapes_.size() >= max_connections) {
    counters_.scrapes_refused.add();
    return;
  }
  sockaddr_storage name{};
  socklen_t size = sizeof name;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &size) != 0) {
    return;
  }
  const auto scrape = std::make_shared<Scrape>(io_, name.ss_family, std::move(socket), *this);
  scrapes_.insert(scrape);
  scrape->start();
}

void MetricsServer::Impl::close() {
  listener_->close();
  for (const std::shared_ptr<Scrape>& scrape : std::exchange(scrapes_, {})) {
    scrape->abandon();
  }
  struct stat there {};
  if (!path_.empty() && ::lstat(path_.c_str(), &there) == 0 && there.st_ino == bound_.st_ino &&
      there.st_dev == bound_.st_dev) {
    (void)::unlink(path_.c_str());
  }
}

// -- the door ------------------------------------------------------------------------------------

Result<std::unique_ptr<MetricsServer>> MetricsServer::open(asio::io_context& io,
                                                           const MetricsAddress& address,
                                                           Counters& counters, Render render) {
  auto impl = std::make_shared<Impl>(io, counters, std::move(render));
  if (Result<> opened = impl->open(address); !opened) {
    return opened.error();
  }
  impl->start();
  return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(impl)));
}

MetricsServer::MetricsServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
MetricsServer::~MetricsServer() {
  impl_->close();
}
const std::string& MetricsServer::url() const {
  return impl_->url();
}

}  // namespace troupe::telemetry
