// SPDX-License-Identifier: MIT
#include "base/signal_name.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <csignal>
#include <cstddef>

namespace troupe {
namespace {

struct Entry {
  std::string_view name;
  int number;
};

// Of two names of one number the first is told, both are taken.
constexpr std::array entries{
    Entry{"HUP", SIGHUP},       Entry{"INT", SIGINT},       Entry{"QUIT", SIGQUIT},
    Entry{"ILL", SIGILL},       Entry{"TRAP", SIGTRAP},     Entry{"ABRT", SIGABRT},
    Entry{"BUS", SIGBUS},       Entry{"FPE", SIGFPE},       Entry{"KILL", SIGKILL},
    Entry{"USR1", SIGUSR1},     Entry{"SEGV", SIGSEGV},     Entry{"USR2", SIGUSR2},
    Entry{"PIPE", SIGPIPE},     Entry{"ALRM", SIGALRM},     Entry{"TERM", SIGTERM},
    Entry{"STKFLT", SIGSTKFLT}, Entry{"CHLD", SIGCHLD},     Entry{"CONT", SIGCONT},
    Entry{"STOP", SIGSTOP},     Entry{"TSTP", SIGTSTP},     Entry{"TTIN", SIGTTIN},
    Entry{"TTOU", SIGTTOU},     Entry{"URG", SIGURG},       Entry{"XCPU", SIGXCPU},
    Entry{"XFSZ", SIGXFSZ},     Entry{"VTALRM", SIGVTALRM}, Entry{"PROF", SIGPROF},
    Entry{"WINCH", SIGWINCH},   Entry{"POLL", SIGPOLL},     Entry{"IO", SIGIO},
    Entry{"PWR", SIGPWR},       Entry{"SYS", SIGSYS},
};

constexpr std::string_view real_time = "RTMIN";
constexpr std::size_t max_name_length = 16;

std::optional<int> parse_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

std::optional<int> in_range(std::optional<int> number) {
  return number && *number >= 1 && *number <= SIGRTMAX ? number : std::nullopt;
}

}  // namespace

std::string signal_name(int number) {
  for (const Entry& entry : entries) {
    if (entry.number == number) {
      return "SIG" + std::string(entry.name);
    }
  }
  return "SIG" + std::to_string(number);
}

std::optional<std::string> signal_name(std::optional<int> number) {
  return number ? std::optional<std::string>{signal_name(*number)} : std::nullopt;
}

std::optional<int> signal_number(std::string_view name) {
  if (name.empty() || name.size() > max_name_length) {
    return std::nullopt;
  }
  std::string upper(name);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char character) {
    return static_cast<char>(std::toupper(character));
  });
  std::string_view rest = upper;
  if (rest.starts_with("SIG")) {
    rest.remove_prefix(3);
  }
  for (const Entry& entry : entries) {
    if (entry.name == rest) {
      return entry.number;
    }
  }
  if (rest.starts_with(real_time)) {
    rest.remove_prefix(real_time.size());
    if (rest.empty()) {
      return SIGRTMIN;
    }
    const auto above = rest.front() == '+' ? parse_number(rest.substr(1)) : std::nullopt;
    return above && *above >= 0 && *above <= SIGRTMAX - SIGRTMIN
               ? std::optional<int>(SIGRTMIN + *above)
               : std::nullopt;
  }
  return in_range(parse_number(rest));
}

}  // namespace troupe
