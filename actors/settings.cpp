// SPDX-License-Identifier: MIT
#include "actors/settings.hpp"

#include "base/environment.hpp"

namespace troupe::actors {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1024} * 1024;

std::size_t number(const char* name, std::uint64_t fallback, std::uint64_t floor,
                   std::uint64_t ceiling) {
  return static_cast<std::size_t>(environment_number(name, fallback, floor, ceiling));
}

}  // namespace

Settings settings_from_environment() {
  Settings s;
  terminal::TerminalOptions& t = s.terminal;
  t.screen.history_rows = number("TROUPE_SCROLLBACK", t.screen.history_rows, 0, 10'000'000);
  t.screen.checkpoint_rows =
      number("TROUPE_CHECKPOINT_ROWS", t.screen.checkpoint_rows, 0, 10'000'000);
  t.journal_max = number("TROUPE_JOURNAL_MAX", t.journal_max, 1, 1'000'000);
  t.command_max = number("TROUPE_JOURNAL_CMD_MAX", t.command_max, 1, mebibyte);
  t.output_max = number("TROUPE_OUTPUT_MAX", t.output_max, 4096, 8 * mebibyte);
  t.journal = environment_value("TROUPE_JOURNAL") != "0";
  s.retention.max_exited = number("TROUPE_MAX_EXITED", s.retention.max_exited, 0, 1'000'000);
  s.retention.exited_bytes =
      number("TROUPE_EXITED_BYTES", s.retention.exited_bytes, 0, 64 * 1024 * mebibyte);
  s.retention.ledger = number("TROUPE_LEDGER", s.retention.ledger, 0, 100'000);
  s.max_terminals = number("TROUPE_MAX_TERMINALS", s.max_terminals, 1, 1'000'000);
  s.workers = number("TROUPE_WORKERS", s.workers, 0, 64);
  s.linger = std::chrono::milliseconds{
      number("TROUPE_LINGER_MS", static_cast<std::uint64_t>(s.linger.count()), 10, 86'400'000)};
  s.environment = pty::current_environment();
  s.recording.directory = recording::default_recording_directory(s.environment);
  s.recording.access = recording::recording_access(s.environment);
  s.recording.max_bytes = recording::recording_max_bytes(s.environment);
  s.recording.redact =
      recording::redact_mode(environment_value("TROUPE_REDACT_INPUTS").value_or(""));
  s.recording.prompts = std::make_shared<const recording::PromptMatcher>(
      recording::prompt_words(environment_value("TROUPE_REDACT_WORDS").value_or("")));
  return s;
}

}  // namespace troupe::actors
