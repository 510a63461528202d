// SPDX-License-Identifier: MIT
#include "telemetry/http_post.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <optional>

namespace troupe::telemetry {
namespace {

namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using boost::beast::error_code;

constexpr unsigned http_version = 11;
constexpr std::uint64_t max_answer_bytes = 64 * 1024;

/// Resolve, connect, write, read: each step begins the next.
class Post {
 public:
  Post(boost::asio::io_context& io, const HttpEndpoint& endpoint, const SpanSettings& settings,
       std::string body)
      : endpoint_(endpoint), resolver_(io), stream_(io) {
    request_.version(http_version);
    request_.method(http::verb::post);
    request_.target(endpoint.path);
    request_.set(http::field::host, endpoint.host + ":" + endpoint.port);
    request_.set(http::field::content_type, "application/json");
    request_.set(http::field::connection, "close");
    for (const auto& [name, value] : settings.headers) {
      request_.set(name, value);
    }
    request_.body() = std::move(body);
    request_.prepare_payload();
    answer_.body_limit(max_answer_bytes);
  }

  void begin() {
    resolver_.async_resolve(endpoint_.host, endpoint_.port,
                            [this](error_code error, const tcp::resolver::results_type& found) {
                              error ? finish(error) : connect(found);
                            });
  }

  /// What came of it; nothing while it goes on.
  [[nodiscard]] const std::optional<Result<>>& result() const { return result_; }

 private:
  void connect(const tcp::resolver::results_type& found) {
    stream_.async_connect(found, [this](error_code error, const tcp::endpoint& /*peer*/) {
      error ? finish(error) : write();
    });
  }
  void write() {
    http::async_write(stream_, request_, [this](error_code error, std::size_t /*bytes*/) {
      error ? finish(error) : read();
    });
  }
  void read() {
    http::async_read(stream_, buffer_, answer_, [this](error_code error, std::size_t /*bytes*/) {
      if (error) {
        return finish(error);
      }
      const http::status_class status = http::to_status_class(answer_.get().result());
      result_ = status == http::status_class::successful
                    ? success()
                    : Result<>{Error{Code::io, "the collector answers " +
                                                   std::to_string(answer_.get().result_int())}};
    });
  }
  void finish(const error_code& error) { result_ = Error{Code::io, error.message()}; }

  const HttpEndpoint& endpoint_;
  tcp::resolver resolver_;
  boost::beast::tcp_stream stream_;
  http::request<http::string_body> request_;
  boost::beast::flat_buffer buffer_;
  http::response_parser<http::string_body> answer_;
  std::optional<Result<>> result_;
};

}  // namespace

Result<> http_post(const HttpEndpoint& endpoint, const SpanSettings& settings, std::string body) {
  boost::asio::io_context io{1};
  Post post(io, endpoint, settings, std::move(body));
  post.begin();
  io.run_for(settings.timeout);
  return post.result().value_or(Error{Code::timeout, "the collector does not answer"});
}

}  // namespace troupe::telemetry
