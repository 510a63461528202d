// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What is wrong with a file, with the line that it stands in. All of it is told at once: who
/// writes a scenario by hand should not have to start it ten times to learn ten faults.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace troupe::scenario {

struct Problem {
  std::string file;
  int line = 0;  ///< from 1; 0: the file as a whole
  std::string message;
  bool operator==(const Problem&) const = default;
};

/// `file.yaml:12: message`
std::string to_text(const Problem& problem);

/// The problems of one file.
///
/// Bounds: keeps the first `max_problems`; one more says that there are others.
class Problems {
 public:
  static constexpr std::size_t max_problems = 50;

  explicit Problems(std::string file) : file_(std::move(file)) {}

  void add(int line, std::string message);
  [[nodiscard]] bool empty() const { return all_.empty(); }
  /// In the order of lines.
  [[nodiscard]] std::vector<Problem> sorted() const;

 private:
  std::string file_;
  std::vector<Problem> all_;
};

/// What was read. `value` is there only where there are no problems; notes do not stop anything.
template <class T>
struct Read {
  std::optional<T> value;
  std::vector<Problem> problems;
  std::vector<Problem> notes;
};

/// Where a file is, for the paths in it: relative ones start at its directory, `~` at `home`.
struct Place {
  std::string file;       ///< as problems name it
  std::string directory;  ///< absolute
  std::string home;
};

/// `path` as an absolute one.
std::string resolve_path(const Place& place, const std::string& path);

}  // namespace troupe::scenario
