// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The shell integration's files in the daemon's private directory, for as long as it runs.

#include <string>

namespace troupe::daemon {

/// Threads: one.
/// Ownership: removes what it wrote.
class IntegrationFiles {
 public:
  /// Writes them below `runtime_directory`. A full disk costs the feature, not the daemon.
  explicit IntegrationFiles(const std::string& runtime_directory);
  IntegrationFiles(const IntegrationFiles&) = delete;
  IntegrationFiles& operator=(const IntegrationFiles&) = delete;
  ~IntegrationFiles();

  /// Where they are; empty where they could not be written.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace troupe::daemon
