// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A collector on loopback for tests of spans: plain sockets, so that it can also misbehave. And
/// one HTTP request as a text, to whatever serves.

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.hpp"

namespace troupe::test {

class OtlpCollector {
 public:
  enum class Manners : std::uint8_t { answers, hangs };

  /// Answers requests with `status` and `body`, one status after the other, the last one for ever;
  /// or takes them and says nothing.
  explicit OtlpCollector(std::vector<int> statuses = {200}, std::string body = "{}",
                         Manners manners = Manners::answers);
  ~OtlpCollector();
  OtlpCollector(const OtlpCollector&) = delete;
  OtlpCollector& operator=(const OtlpCollector&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::string url() const;
  /// Head and body of what came so far.
  [[nodiscard]] std::vector<std::string> requests() const;
  /// Callers that came, whether they sent a whole request or not.
  [[nodiscard]] int callers() const { return callers_; }

 private:
  void serve();
  void serve_one(int fd);

  std::vector<int> statuses_;
  std::string body_;
  Manners manners_;
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::atomic<int> callers_{0};
  std::atomic<bool> over_{false};
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::vector<UniqueFd> held_;  // only the thread
  std::thread thread_;
};

/// A port on loopback where nobody listens.
std::uint16_t dead_port();

/// Connects to a TCP port of loopback or to a Unix socket; invalid where nobody answers.
UniqueFd connect_port(std::uint16_t port);
UniqueFd connect_path(const std::string& path);
/// Sends the text and reads until the peer closes.
std::string exchange(int fd, const std::string& text);
std::string http_get(const UniqueFd& socket, const std::string& target);

}  // namespace troupe::test
