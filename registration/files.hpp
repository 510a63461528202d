// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Files and directories that nobody but this user may touch: how they are made, read, checked.

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace troupe::registration {

inline constexpr const char* registration_name = "service.json";
inline constexpr const char* lock_name = "service.lock";
/// What a daemon keeps beside them while it runs: the link to its clients' ssh agent, and the
/// directory of the shell integration.
inline constexpr const char* agent_link_name = "agent.sock";
inline constexpr const char* fresh_agent_link_name = "agent.sock.new";
inline constexpr const char* integration_name = "shell-integration";
/// Where metrics may be served, by `unix:metrics.sock`.
inline constexpr const char* metrics_socket_name = "metrics.sock";
/// Far more than any registration; a file beyond it is not one.
inline constexpr std::size_t max_registration_bytes = 64 * 1024;

/// `service.*.tmp`: what a daemon leaves that dies while it publishes.
bool is_temporary_name(std::string_view name);

/// "WHAT PATH: reason", `not_found` for ENOENT, else `io`.
Error file_error(std::string_view what, std::string_view path, int errno_value);

bool same_file(const struct stat& a, const struct stat& b);

/// Makes `path`, and its parents, where it is missing, each with mode 0700.
Result<> make_directories(const std::string& path);

/// Makes `path` with mode 0700, or checks what is there: a real directory (no symlink) of this user
/// that nobody else can enter. Never repairs: what is wrong in a directory that everybody can write
/// to was put there by somebody. The message names the path and the remedy.
Result<> ensure_private_directory(const std::string& path);

/// Whether a file that others may read or write is read: never for its secrets, but an abandoned
/// one still tells whose it was.
enum class Exposed : std::uint8_t { refuse, accept };

/// Reads a small regular file of this user that nobody else can read; follows no symlink.
/// `not_found` where there is none. `path` is for messages.
Result<std::string> read_private_file(int directory, const char* name, const std::string& path,
                                      Exposed exposed = Exposed::refuse);

/// Writes `name` at once or not at all: create-new `temporary` 0600, fsync, rename.
Result<> write_private_file(int directory, const std::string& temporary, const char* name,
                            std::string_view text);

}  // namespace troupe::registration
