// SPDX-License-Identifier: MIT
#include "remote/ssh_library.hpp"

namespace troupe::remote {

Error ssh_failure(ssh_session session, const std::string& what) {
  return Error{Code::io, what + ": " + ssh_get_error(session)};
}

std::string ssh_option(ssh_session session, ssh_options_e which) {
  char* value = nullptr;
  if (ssh_options_get(session, which, &value) != SSH_OK || value == nullptr) {
    return {};
  }
  std::string out = value;
  ssh_string_free_char(value);
  return out;
}

}  // namespace troupe::remote
