// SPDX-License-Identifier: MIT
// The real shells' marks, read by the journal.
#include <algorithm>
#include <string>
#include <vector>

#include "terminal/terminal.hpp"
#include "tests/unit/shell/shell_session.hpp"

namespace troupe::shell {

namespace {

struct Command {
  const char* line;
  int status;
  const char* output;
};

/// Runs the commands and compares the journal of everything that the shell printed.
void check_journal(const char* program, const std::vector<Command>& commands) {
  CAPTURE(program);
  ShellSession shell(program);
  shell.start_integrated();
  for (const Command& command : commands) {
    shell.run(command.line);
  }
  terminal::TerminalOptions options;
  options.nonce = std::string(test_nonce);
  terminal::Terminal value({80, 24}, options);
  terminal::Effects effects;
  for (const char byte : shell.output()) {
    value.feed(std::string_view(&byte, 1), {}, 1'000'000, effects);
  }
  const auto listing = value.journal(0, 0, false);
  REQUIRE(listing.ok());
  REQUIRE(listing->records.size() == commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const CommandRecord& record = listing->records[i];
    CAPTURE(commands[i].line);
    CHECK(record.command.value_or("") == commands[i].line);
    CHECK(record.command_source == CommandSource::declared);
    CHECK(record.trusted);
    CHECK_FALSE(record.incomplete);
    CHECK(record.exit_code.value_or(-1) == commands[i].status);
    CHECK(record.cwd == shell.home().path());
    CHECK(record.cwd_source == CwdSource::osc7);
    const auto output = value.output(record.index, std::nullopt, 0);
    REQUIRE(output.ok());
    CHECK(output->slice.text == commands[i].output);
  }
}

}  // namespace

TEST_CASE("journal: SHELL-3 commands of the real shells are trusted records with their output") {
  const std::vector<Command> commands{
      {"echo one", 0, "one\n"},  {"printf hi", 0, "hi"},
      {"sh -c 'exit 3'", 3, ""}, {"echo 'a;b'; echo c", 0, "a;b\nc\n"},
      {"false", 1, ""},          {"seq 1 40 | tail -n 2", 0, "39\n40\n"}};
  for (const char* program : {"bash", "zsh", "fish"}) {
    check_journal(program, commands);
  }
}

TEST_CASE("journal: SHELL-3 several pasted lines are one record with the whole text") {
  struct Pasted {
    const char* lines;
    int status;
    const char* output;
    CommandSource source;
  };
  const std::vector<Pasted> rows{{"echo a\necho b", 0, "a\nb\n", CommandSource::declared},
                                 {"cat <<E\nx\nE\nfalse", 1, "x\n", CommandSource::declared},
                                 {"sleep .1\nfalse", 1, "", CommandSource::declared},
                                 {"echo c\n echo d\necho e", 0, "c\nd\ne\n", CommandSource::screen},
                                 {"echo f\necho f", 0, "f\nf\n", CommandSource::screen},
                                 {" echo g\necho h", 0, "g\nh\n", CommandSource::screen},
                                 {"printf i\n# note\nprintf j", 0, "ij", CommandSource::declared}};
  ShellSession shell("bash");
  shell.home().write(".bashrc", "HISTCONTROL=ignoreboth\nPS1='$ '\n");
  shell.start_integrated();
  std::size_t count = 0;
  for (const Pasted& row : rows) {
    std::string text(row.lines);
    std::replace(text.begin(), text.end(), '\n', '\r');
    shell.type("\x1b[200~" + text + "\x1b[201~\r");
    shell.wait_commands(++count);
  }
  terminal::TerminalOptions options;
  options.nonce = std::string(test_nonce);
  terminal::Terminal value({80, 24}, options);
  terminal::Effects effects;
  value.feed(shell.output(), {}, 1'000'000, effects);
  const auto listing = value.journal(0, 0, false);
  REQUIRE(listing.ok());
  REQUIRE(listing->records.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const CommandRecord& record = listing->records[i];
    CAPTURE(rows[i].lines);
    CHECK(record.command.value_or("") == rows[i].lines);
    CHECK(record.command_source == rows[i].source);
    CHECK(record.trusted);
    CHECK(record.exit_code.value_or(-1) == rows[i].status);
    const auto output = value.output(record.index, std::nullopt, 0);
    REQUIRE(output.ok());
    CHECK(output->slice.text == rows[i].output);
  }
}

}  // namespace troupe::shell
