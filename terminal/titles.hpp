// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A terminal's title: the user's, else the program's latest, else the one it was created with.

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::terminal {

class Titles {
 public:
  explicit Titles(std::string created) : created_(std::move(created)) {}

  [[nodiscard]] const std::string& effective() const {
    return user_ ? *user_ : program_.empty() ? created_ : program_;
  }
  [[nodiscard]] const std::optional<std::string>& user() const { return user_; }

  /// Both tell whether the effective title changed.
  bool set_user(std::optional<std::string> title) {
    const std::string before = effective();
    user_ = std::move(title);
    return effective() != before;
  }
  /// Empty means unset.
  bool set_program(std::string_view title) {
    const std::string before = effective();
    program_ = title;
    return effective() != before;
  }

 private:
  std::string created_;
  std::string program_;
  std::optional<std::string> user_;
};

}  // namespace troupe::terminal
