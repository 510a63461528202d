// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The closed sets of words on the wire, as enums. Each has `to_text` and `from_text`; an unknown
/// word is refused, never guessed.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/command_record.hpp"
#include "base/result.hpp"
#include "base/text_read.hpp"

namespace troupe::protocol {

enum class Role : std::uint8_t { controller, observer };

/// What a terminal is connected to.
enum class TerminalKind : std::uint8_t { pty, ssh, telnet };

/// Which inputs a recording masks.
enum class Redaction : std::uint8_t { off, passwords, all };

/// Whom `signal` reaches.
enum class SignalTarget : std::uint8_t { foreground, session, leader };

/// Why a multiplexed subscription ended.
enum class EndReason : std::uint8_t { terminated, exited, lagging, replaced, cancelled, shutdown };

std::string_view to_text(Role value);
std::string_view to_text(TerminalKind value);
std::string_view to_text(Redaction value);
std::string_view to_text(SignalTarget value);
std::string_view to_text(EndReason value);
std::string_view to_text(HistoryFormat value);
std::string_view to_text(WaitReason value);
std::string_view to_text(Code value);
/// Empty for `none`, which the wire writes as null.
std::string_view to_text(CommandSource value);
std::string_view to_text(CwdSource value);

/// `from_text<Role>("observer")`; nothing for a word that is not in the set.
template <class Enum>
std::optional<Enum> from_text(std::string_view text) = delete;
template <>
std::optional<Role> from_text(std::string_view text);
template <>
std::optional<TerminalKind> from_text(std::string_view text);
template <>
std::optional<Redaction> from_text(std::string_view text);
template <>
std::optional<SignalTarget> from_text(std::string_view text);
template <>
std::optional<EndReason> from_text(std::string_view text);
template <>
std::optional<HistoryFormat> from_text(std::string_view text);
template <>
std::optional<WaitReason> from_text(std::string_view text);
template <>
std::optional<Code> from_text(std::string_view text);
template <>
std::optional<CommandSource> from_text(std::string_view text);
template <>
std::optional<CwdSource> from_text(std::string_view text);

}  // namespace troupe::protocol
