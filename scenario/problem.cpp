// SPDX-License-Identifier: MIT
#include "scenario/problem.hpp"

#include <algorithm>
#include <filesystem>

namespace troupe::scenario {

std::string to_text(const Problem& problem) {
  const std::string line = problem.line > 0 ? std::to_string(problem.line) + ":" : std::string{};
  return problem.file + ":" + line + " " + problem.message;
}

void Problems::add(int line, std::string message) {
  if (all_.size() < max_problems) {
    all_.push_back({file_, line, std::move(message)});
  } else if (all_.size() == max_problems) {
    all_.push_back({file_, line, "there are more problems; they are not shown"});
  }
}

std::vector<Problem> Problems::sorted() const {
  std::vector<Problem> problems = all_;
  std::stable_sort(problems.begin(), problems.end(),
                   [](const Problem& a, const Problem& b) { return a.line < b.line; });
  return problems;
}

std::string resolve_path(const Place& place, const std::string& path) {
  namespace fs = std::filesystem;
  if (path == "~" || path.starts_with("~/")) {
    return place.home + path.substr(1);
  }
  return (fs::path(place.directory) / path).lexically_normal().string();
}

}  // namespace troupe::scenario
