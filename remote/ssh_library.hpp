// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// libssh's objects with owners and its texts as strings, for the files of the SSH peer. Nobody
/// else includes this: it brings libssh's headers.

#include <libssh/libssh.h>

#include <memory>
#include <string>

#include "base/result.hpp"

namespace troupe::remote {

template <auto free_function>
struct Freed {
  template <class T>
  void operator()(T* object) const {
    free_function(object);
  }
};
using SshSession = std::unique_ptr<ssh_session_struct, Freed<&ssh_free>>;
using SshChannel = std::unique_ptr<ssh_channel_struct, Freed<&ssh_channel_free>>;
using SshKey = std::unique_ptr<ssh_key_struct, Freed<&ssh_key_free>>;

/// `io`: `what` and the library's last error of this session.
Error ssh_failure(ssh_session session, const std::string& what);

/// What the library has for a text option; empty where that is nothing.
std::string ssh_option(ssh_session session, ssh_options_e which);

}  // namespace troupe::remote
