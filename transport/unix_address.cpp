// SPDX-License-Identifier: MIT
#include "transport/unix_address.hpp"

namespace troupe::transport {

Result<UnixAddress> unix_address(const std::string& path) {
  UnixAddress result;
  if (path.empty() || path.size() >= sizeof result.address_.sun_path ||
      path.find('\0') != std::string::npos) {
    return Error{Code::bad_request, "no path for a socket: " + path};
  }
  result.address_.sun_family = AF_UNIX;
  path.copy(result.address_.sun_path, path.size());
  return result;
}

}  // namespace troupe::transport
