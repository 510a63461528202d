// SPDX-License-Identifier: MIT
#include "telemetry/metrics_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <charconv>

namespace troupe::telemetry {
namespace {

constexpr std::string_view unix_prefix = "unix:";
constexpr std::uint32_t loopback_net = 127;

Error bad(std::string_view text, const std::string& why) {
  return {Code::bad_request, "metrics address " + std::string{text.substr(0, 128)} + ": " + why};
}

bool is_loopback(const std::string& host) {
  in_addr v4{};
  if (::inet_pton(AF_INET, host.c_str(), &v4) == 1) {
    return ntohl(v4.s_addr) >> 24U == loopback_net;
  }
  in6_addr v6{};
  return ::inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace

Result<MetricsAddress> parse_metrics_address(std::string_view text, const std::string& directory) {
  MetricsAddress address;
  if (text.substr(0, unix_prefix.size()) == unix_prefix) {
    const std::string path{text.substr(unix_prefix.size())};
    if (path.empty() || path.find('\0') != std::string::npos) {
      return bad(text, "unix: needs a path");
    }
    address.path = path.front() == '/' ? path : directory + "/" + path;
    return address;
  }
  std::size_t const colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return bad(text, "expected HOST:PORT or unix:PATH");
  }
  std::string host{text.substr(0, colon)};
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    return bad(text, "an IPv6 address is written in brackets, as [::1]:9464");
  }
  std::string_view const digits = text.substr(colon + 1);
  const auto [end, fault] =
      std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
  if (digits.empty() || fault != std::errc{} || end != digits.data() + digits.size()) {
    return bad(text, "the port is a number from 0 to 65535");
  }
  address.host = host == "localhost" ? "127.0.0.1" : host;
  if (!is_loopback(address.host)) {
    return bad(text,
               "only a loopback address (127.0.0.1, [::1], localhost) or unix:PATH, because "
               "metrics have no authentication");
  }
  return address;
}

}  // namespace troupe::telemetry
