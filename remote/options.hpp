// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What a remote terminal needs to know, as values, and how the wire's `options` object is read:
/// strictly, so that a misspelt key never silently weakens a check.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "remote/charset.hpp"

namespace troupe::remote {

/// The longest password or passphrase.
inline constexpr std::size_t max_secret_bytes = 4096;

/// Secrets live here only until the connection is made; they are never logged, listed or put in
/// an error.
struct SshOptions {
  std::string host;
  std::uint16_t port = 0;  ///< 0: 22, or what ~/.ssh/config says
  std::string user;        ///< empty: "guest", or what ~/.ssh/config says
  std::string key_path;
  std::string password;
  std::string passphrase;
  std::string
      known_hosts;  ///< a file; required unless `insecure_no_host_check` or `use_ssh_config`
  bool insecure_no_host_check = false;
  bool use_ssh_config = false;  ///< honour ~/.ssh/config and its known hosts
  bool use_agent = true;
  std::string command;  ///< empty: a login shell
  std::string term = "xterm-256color";
  std::uint32_t connect_timeout_s = 30;
  std::uint32_t keepalive_s = 30;  ///< 0: none
  Charset charset = Charset::utf8;
};

struct TelnetOptions {
  std::string host;
  std::uint16_t port = 23;
  std::uint32_t connect_timeout_s = 30;
  Charset charset = Charset::cp437;
};

/// Reads a JSON object. `bad_request` names what is wrong: an unknown key, a wrong type, a missing
/// host, a missing `known_hosts`. Keys of the seed are accepted under both names
/// (`user`/`username`, `key_path`/`client_key`/`client_key_path`).
Result<SshOptions> parse_ssh_options(std::string_view json_text);
Result<TelnetOptions> parse_telnet_options(std::string_view json_text);

/// The options without secrets, for lists and recordings: "user@host:port".
std::string describe(const SshOptions& options);
std::string describe(const TelnetOptions& options);

}  // namespace troupe::remote
