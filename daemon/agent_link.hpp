// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The stable path that every terminal has as SSH_AUTH_SOCK. A terminal outlives the login that
/// created it, and that login's agent; the link follows the client that is attached now.

#include <string>

namespace troupe::daemon {

/// A symbolic link in the runtime directory.
///
/// Threads: one at a time.
/// Ownership: removes the link at its end.
class AgentLink {
 public:
  explicit AgentLink(const std::string& runtime_directory);
  AgentLink(const AgentLink&) = delete;
  AgentLink& operator=(const AgentLink&) = delete;
  ~AgentLink();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Lets the link lead to `target`; empty: there is no agent, and no link.
  void point_to(const std::string& target);

 private:
  std::string path_;
};

}  // namespace troupe::daemon
