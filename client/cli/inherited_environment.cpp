// SPDX-License-Identifier: MIT
#include "client/cli/inherited_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace troupe::client::cli {
namespace {

/// SSH_AUTH_SOCK is left out because the daemon gives each terminal a path that outlives this
/// login.
constexpr std::array<std::string_view, 29> left_out{"_",
                                                    "COLORTERM",
                                                    "COLUMNS",
                                                    "INVOCATION_ID",
                                                    "JOURNAL_STREAM",
                                                    "LINES",
                                                    "LISTEN_FDS",
                                                    "LISTEN_PID",
                                                    "LISTEN_FDNAMES",
                                                    "MAINPID",
                                                    "MANAGERPID",
                                                    "NOTIFY_SOCKET",
                                                    "OLDPWD",
                                                    "PWD",
                                                    "SHLVL",
                                                    "SSH_AUTH_SOCK",
                                                    "STY",
                                                    "SYSTEMD_EXEC_PID",
                                                    "TERM",
                                                    "TERMCAP",
                                                    "TERM_PROGRAM",
                                                    "TERM_PROGRAM_VERSION",
                                                    "TERM_SESSION_ID",
                                                    "TMUX",
                                                    "TMUX_PANE",
                                                    "VTE_VERSION",
                                                    "WINDOW",
                                                    "WINDOWID",
                                                    "ZELLIJ"};

}  // namespace

std::map<std::string, std::string> inherited_environment() {
  std::map<std::string, std::string> kept;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      continue;
    }
    const std::string_view name = text.substr(0, equals);
    const bool own = name.starts_with("TROUPE_") || name.starts_with("OPENCODE_PTY_");
    if (!own && std::find(left_out.begin(), left_out.end(), name) == left_out.end()) {
      kept.emplace(name, text.substr(equals + 1));
    }
  }
  return kept;
}

}  // namespace troupe::client::cli
