// SPDX-License-Identifier: MIT
#include "pty/launch_spec.hpp"

#include <algorithm>
#include <array>

extern char** environ;  // NOLINT: POSIX gives no header for it

namespace troupe::pty {

namespace {

using namespace std::literals;

// What names the terminal, multiplexer or service unit in which the *daemon* was started. A child
// that sees them believes to run there: a nested attach steals the session, a notify socket is
// answered twice, a program enables what only that terminal can do.
constexpr std::array private_names = {
    "ALACRITTY_LOG"sv,
    "ALACRITTY_SOCKET"sv,
    "ALACRITTY_WINDOW_ID"sv,
    "COLUMNS"sv,
    "FDSTORE"sv,
    "INVOCATION_ID"sv,
    "ITERM_SESSION_ID"sv,
    "JOURNAL_STREAM"sv,
    "LINES"sv,
    "LISTEN_FDNAMES"sv,
    "LISTEN_FDS"sv,
    "LISTEN_PID"sv,
    "LISTEN_PIDFDID"sv,
    "MAINPID"sv,
    "MANAGERPID"sv,
    "MEMORY_PRESSURE_WATCH"sv,
    "MEMORY_PRESSURE_WRITE"sv,
    "NOTIFY_SOCKET"sv,
    "STY"sv,
    "SYSTEMD_EXEC_PID"sv,
    "TERMCAP"sv,
    "TERM_PROGRAM"sv,
    "TERM_PROGRAM_VERSION"sv,
    "TERM_SESSION_ID"sv,
    "TMUX"sv,
    "TMUX_PANE"sv,
    "TROUPE_NONCE"sv,
    "VTE_VERSION"sv,
    "WATCHDOG_PID"sv,
    "WATCHDOG_USEC"sv,
    "WINDOWID"sv,
    "WT_SESSION"sv,
};
constexpr std::array private_prefixes = {"GNOME_TERMINAL_"sv, "KITTY_"sv, "KONSOLE_"sv,
                                         "WEZTERM_"sv, "ZELLIJ"sv};

bool has_nul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

Error spawn_error(const LaunchSpec& spec, std::string_view reason) {
  return {Code::bad_request, "failed to spawn " + spec.program + ": " + std::string(reason)};
}

}  // namespace

bool is_private_variable(std::string_view name) {
  return std::find(private_names.begin(), private_names.end(), name) != private_names.end() ||
         std::any_of(private_prefixes.begin(), private_prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

Environment current_environment() {
  Environment result;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto equals = text.find('=');
    if (equals != std::string_view::npos && equals > 0) {
      result.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return result;
}

Environment child_environment(const Environment& base, const LaunchSpec& spec) {
  Environment result;
  for (const auto& [name, value] : base) {
    if (!is_private_variable(name)) {
      result.emplace(name, value);
    }
  }
  for (const auto* layer : {&spec.env, &spec.extra}) {
    for (const auto& [name, value] : *layer) {
      result.insert_or_assign(name, value);
    }
  }
  result.insert_or_assign("TERM", "xterm-256color");
  result.insert_or_assign("COLORTERM", "truecolor");
  return result;
}

Result<> validate(const LaunchSpec& spec) {
  if (spec.program.find_first_not_of(" \t\r\n\v\f") == std::string::npos) {
    return Error{Code::bad_request, "terminal program cannot be empty"};
  }
  if (spec.size.cols == 0 || spec.size.rows == 0) {
    return Error{Code::bad_request, "terminal dimensions must be positive"};
  }
  bool nul = has_nul(spec.program) || has_nul(spec.cwd) ||
             std::any_of(spec.args.begin(), spec.args.end(), has_nul);
  for (const auto* layer : {&spec.env, &spec.extra}) {
    for (const auto& [name, value] : *layer) {
      nul = nul || has_nul(name) || has_nul(value);
      if (name.empty() || name.find('=') != std::string::npos) {
        return spawn_error(spec, "invalid environment variable name");
      }
    }
  }
  if (nul) {
    return spawn_error(spec, "nul byte found in provided data");
  }
  return success();
}

std::vector<std::string> executable_candidates(std::string_view program, const Environment& env,
                                               std::string_view cwd) {
  const auto in_directory = [](std::string_view directory, std::string_view file) {
    std::string path(directory);
    if (!path.ends_with('/')) {
      path += '/';
    }
    return path.append(file);
  };
  if (program.starts_with('/')) {
    return {std::string(program)};
  }
  if (program.find('/') != std::string_view::npos) {
    return {in_directory(cwd, program)};
  }
  // What execvp falls back to where there is no PATH at all.
  const auto found = env.find("PATH");
  std::string_view path = found == env.end() ? "/bin:/usr/bin"sv : std::string_view(found->second);
  std::vector<std::string> result;
  while (true) {
    const auto colon = path.find(':');
    const auto directory = path.substr(0, colon);
    // An empty entry is the current directory, a relative one starts there.
    result.push_back(
        directory.starts_with('/')
            ? in_directory(directory, program)
            : in_directory(directory.empty() ? cwd : in_directory(cwd, directory), program));
    if (colon == std::string_view::npos) {
      return result;
    }
    path.remove_prefix(colon + 1);
  }
}

}  // namespace troupe::pty
