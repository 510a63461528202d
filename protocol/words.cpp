// SPDX-License-Identifier: MIT
#include "protocol/words.hpp"

#include <array>
#include <cstddef>

namespace troupe::protocol {
namespace {

/// Words in the order of the enumerators, so that an enumerator is its index.
template <class Enum>
struct Words;

template <>
struct Words<Role> {
  static constexpr std::array<std::string_view, 2> list{"controller", "observer"};
  static constexpr auto last = Role::observer;
};
template <>
struct Words<TerminalKind> {
  static constexpr std::array<std::string_view, 3> list{"pty", "ssh", "telnet"};
  static constexpr auto last = TerminalKind::telnet;
};
template <>
struct Words<Redaction> {
  static constexpr std::array<std::string_view, 3> list{"off", "passwords", "all"};
  static constexpr auto last = Redaction::all;
};
template <>
struct Words<SignalTarget> {
  static constexpr std::array<std::string_view, 3> list{"foreground", "session", "leader"};
  static constexpr auto last = SignalTarget::leader;
};
template <>
struct Words<EndReason> {
  static constexpr std::array<std::string_view, 6> list{"terminated", "exited",    "lagging",
                                                        "replaced",   "cancelled", "shutdown"};
  static constexpr auto last = EndReason::shutdown;
};
template <>
struct Words<HistoryFormat> {
  static constexpr std::array<std::string_view, 2> list{"plain", "ansi"};
  static constexpr auto last = HistoryFormat::ansi;
};
template <>
struct Words<WaitReason> {
  static constexpr std::array<std::string_view, 6> list{"needle", "regex",  "idle",
                                                        "exit",   "output", "timeout"};
  static constexpr auto last = WaitReason::timeout;
};
template <>
struct Words<Code> {
  static constexpr std::array<std::string_view, 13> list{
      "bad_request", "not_found", "not_controller", "exited",  "busy", "too_large", "limit",
      "unsupported", "disabled",  "cancelled",      "timeout", "io",   "internal"};
  static constexpr auto last = Code::internal;
};
/// An empty word stands for null and is never read from text.
template <>
struct Words<CommandSource> {
  static constexpr std::array<std::string_view, 3> list{"", "declared", "screen"};
  static constexpr auto last = CommandSource::screen;
};
template <>
struct Words<CwdSource> {
  static constexpr std::array<std::string_view, 4> list{"", "osc7", "633", "proc"};
  static constexpr auto last = CwdSource::proc;
};

template <class Enum>
std::string_view word(Enum value) {
  static_assert(static_cast<std::size_t>(Words<Enum>::last) + 1 == Words<Enum>::list.size());
  return Words<Enum>::list.at(static_cast<std::size_t>(value));
}

template <class Enum>
std::optional<Enum> lookup(std::string_view text) {
  if (text.empty()) {
    return std::nullopt;
  }
  const auto& list = Words<Enum>::list;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == text) {
      return static_cast<Enum>(i);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_text(Role value) {
  return word(value);
}
std::string_view to_text(TerminalKind value) {
  return word(value);
}
std::string_view to_text(Redaction value) {
  return word(value);
}
std::string_view to_text(SignalTarget value) {
  return word(value);
}
std::string_view to_text(EndReason value) {
  return word(value);
}
std::string_view to_text(HistoryFormat value) {
  return word(value);
}
std::string_view to_text(WaitReason value) {
  return word(value);
}
std::string_view to_text(Code value) {
  return word(value);
}
std::string_view to_text(CommandSource value) {
  return word(value);
}
std::string_view to_text(CwdSource value) {
  return word(value);
}

template <>
std::optional<Role> from_text(std::string_view text) {
  return lookup<Role>(text);
}
template <>
std::optional<TerminalKind> from_text(std::string_view text) {
  return lookup<TerminalKind>(text);
}
template <>
std::optional<Redaction> from_text(std::string_view text) {
  return lookup<Redaction>(text);
}
template <>
std::optional<SignalTarget> from_text(std::string_view text) {
  return lookup<SignalTarget>(text);
}
template <>
std::optional<EndReason> from_text(std::string_view text) {
  return lookup<EndReason>(text);
}
template <>
std::optional<HistoryFormat> from_text(std::string_view text) {
  return lookup<HistoryFormat>(text);
}
template <>
std::optional<WaitReason> from_text(std::string_view text) {
  return lookup<WaitReason>(text);
}
template <>
std::optional<Code> from_text(std::string_view text) {
  return lookup<Code>(text);
}
template <>
std::optional<CommandSource> from_text(std::string_view text) {
  return lookup<CommandSource>(text);
}
template <>
std::optional<CwdSource> from_text(std::string_view text) {
  return lookup<CwdSource>(text);
}

}  // namespace troupe::protocol
