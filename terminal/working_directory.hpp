// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The working directory as the shell announces it. It is a claim: a program, or a shell at the
/// other end of an ssh, can announce what it likes, so each answer carries its source.

#include <optional>
#include <string>
#include <string_view>

#include "base/command_record.hpp"

namespace troupe::terminal {

inline constexpr std::size_t max_cwd_bytes = 4096;

/// The path of an OSC 7 URL, `file://HOST/PATH`. Nothing where the host is neither empty,
/// `localhost` nor `host_name`, where an escape is broken, or where the result is no absolute path
/// of at most `max_cwd_bytes` bytes of UTF-8 without NUL.
std::optional<std::string> parse_osc7(std::string_view url, std::string_view host_name);

/// The latest announcement wins, whichever way it came.
class WorkingDirectory {
 public:
  explicit WorkingDirectory(std::string host_name) : host_name_(std::move(host_name)) {}

  void osc7(std::string_view url);
  void osc633(std::string_view path);
  void reset();

  [[nodiscard]] const std::optional<std::string>& path() const { return path_; }
  [[nodiscard]] CwdSource source() const { return source_; }

 private:
  std::string host_name_;
  std::optional<std::string> path_;
  CwdSource source_ = CwdSource::none;
};

}  // namespace troupe::terminal
