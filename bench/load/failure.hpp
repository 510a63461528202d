// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How the load program gives up. A measurement that met an error is worth nothing, so an error
/// ends the run: the one place in the project where exceptions cross files.

#include <stdexcept>
#include <string>

namespace troupe::bench {

class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws a `Failure` that names the call and errno.
[[noreturn]] void throw_errno(const std::string& call);

}  // namespace troupe::bench
