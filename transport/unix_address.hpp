// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A path as the address of a Unix socket; the kernel's limit is 107 bytes.

#include <sys/socket.h>
#include <sys/un.h>

#include <string>

#include "base/result.hpp"

namespace troupe::transport {

/// A value to give to `bind` or `connect`.
class UnixAddress {
 public:
  [[nodiscard]] const sockaddr* get() const {
    return reinterpret_cast<const sockaddr*>(&address_);  // the API of sockets asks for the cast
  }
  [[nodiscard]] socklen_t size() const { return sizeof address_; }

 private:
  friend Result<UnixAddress> unix_address(const std::string& path);
  sockaddr_un address_{};
};

/// `bad_request` for a path that does not fit.
Result<UnixAddress> unix_address(const std::string& path);

}  // namespace troupe::transport
