// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The daemon's side of the registration: take the directory, publish, clean up what is still ours.

#include <memory>
#include <string>

#include "base/result.hpp"
#include "registration/registration.hpp"

namespace troupe::registration {

/// A runtime directory that this process owns, from the lock to the clean-up.
///
/// The order is the contract: `take` locks and unlinks a stale registration and socket; the caller
/// binds and listens at `socket_path()` and calls `adopt_socket`; `publish` writes the file. So
/// when the file appears, the socket answers; and who has the lock may remove a socket that nobody
/// serves.
///
/// Threads: one at a time.
/// Ownership: the lock (an flock, so it follows the inode when a client renames the file). The
///   destructor removes the registration if it is still this instance's, the socket if it is still
///   its inode, the lock file if it is still its inode, then the directory if empty.
class ServiceDirectory {
 public:
  /// Creates the directory with parents, tightens it to 0700, takes the lock, verifies the socket
  /// directory. `busy` where another process holds the lock; its message names the lock file.
  static Result<ServiceDirectory> take(const std::string& runtime_directory);

  ServiceDirectory(ServiceDirectory&& other) noexcept;
  ServiceDirectory& operator=(ServiceDirectory&& other) noexcept;
  ~ServiceDirectory();

  /// The canonical path of the runtime directory.
  [[nodiscard]] const std::string& path() const;
  /// Where to listen: no file is there now. The caller binds with a umask of 077.
  [[nodiscard]] const std::string& socket_path() const;

  /// Remembers the socket that the caller bound (mode set to 0600), so that only it is removed.
  Result<> adopt_socket();

  /// Writes `service.json` at once or not at all: create-new 0600, fsync, rename.
  Result<> publish(const Registration& registration);

  /// Removes the registration if it is still ours, so that no client comes any more. The destructor
  /// does the rest.
  void withdraw();

 private:
  struct State;
  explicit ServiceDirectory(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace troupe::registration
