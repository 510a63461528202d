// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A `trouped` of its own for one test: started in a temporary directory, killed at the end.

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "registration/registration.hpp"

namespace troupe::testing {

constexpr std::chrono::seconds patience{60};  // ten megabytes take 30 under sanitizers

/// Polls until `done`; false when `patience` is over. Only for states that have no event.
bool wait_until(const std::function<bool()>& done);

/// What a program printed, and how it ended.
struct Finished {
  int status = -1;
  std::string out;
  std::string err;
};
/// Runs `trouped` with these arguments to its end.
Finished run_trouped(const std::vector<std::string>& arguments);

enum class Kind : std::uint8_t { owned, standalone };

class DaemonProcess {
 public:
  explicit DaemonProcess(Kind kind = Kind::standalone, const std::vector<std::string>& extra = {});
  ~DaemonProcess();
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;

  [[nodiscard]] const registration::Registration& registration() const { return registration_; }
  [[nodiscard]] const std::string& directory() const { return directory_; }
  void signal(int number) const;
  /// The exit status; nothing when it does not end in time.
  std::optional<int> wait_exit();
  /// What it printed so far on stdout and stderr.
  [[nodiscard]] std::string printed() const;

 private:
  std::string root_;
  std::string directory_;
  pid_t pid_ = -1;
  registration::Registration registration_;
};

}  // namespace troupe::testing
