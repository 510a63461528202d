// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A program on a real PTY for tests: typed at, and waited for by what it prints.

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.hpp"

namespace troupe::test {

/// A directory that is gone, with all in it, at the end of its life.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Writes a file below it and makes its directories; returns the full path.
  std::string write(const std::string& relative, std::string_view content) const;
  [[nodiscard]] std::string read(const std::string& relative) const;

 private:
  std::string path_;
};

struct ChildSpec {
  std::string program;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;  ///< the whole environment
  std::string cwd = "/";
};

/// Runs the program in a session of its own on a PTY of 80x24. Killed at the end of its life.
class PtyChild {
 public:
  explicit PtyChild(const ChildSpec& spec);
  PtyChild(const PtyChild&) = delete;
  PtyChild& operator=(const PtyChild&) = delete;
  ~PtyChild();

  void type(std::string_view bytes);
  /// Everything it has printed.
  [[nodiscard]] const std::string& output() const { return output_; }
  /// Reads until `done(output())`; fails the test, showing the output, after 60 s or at the end.
  void wait_until(const std::function<bool(const std::string&)>& done, std::string_view what);
  /// Waits until the program itself (not a child of its) sleeps, as it does once it waits for
  /// input.
  void wait_asleep() const;
  /// Reads until the program's end and returns its wait status.
  int wait_end();

 private:
  bool read_some();

  UniqueFd master_;
  pid_t pid_ = -1;
  std::string output_;
};

}  // namespace troupe::test
