// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// How a command describes itself. Only command.cpp, program.cpp and completions.cpp know CLI11,
/// whose header costs more to compile than all commands together.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/cli/context.hpp"
#include "protocol/features.hpp"
#include "protocol/requests.hpp"
#include "protocol/responses.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace troupe::client::cli {

namespace feature = protocol::feature;
namespace request = protocol::request;
namespace reply = protocol::reply;

/// A word from behind `--`, marked so that CLI11 takes it for an operand, wherever it stands.
/// CLI11's own `--` gives the words behind it to no list that has a word already.
std::string as_operand(const std::string& word);
/// A message in which such words may stand, as it was typed.
std::string without_marks(std::string text);

/// The most bytes, rows or matches that an option asks for.
inline constexpr std::uint64_t most_of_anything = 4'294'967'295;
/// The highest index of a command; above, JSON's numbers are no longer exact.
inline constexpr std::uint64_t highest_index = 9'007'199'254'740'991;

/// What a command is called and what its help says.
struct CommandText {
  std::string group;
  std::string name;
  std::string what;
  std::string examples;
};

enum class Presence : std::uint8_t { optional, required };

/// One command under construction. The variables that it fills must live as long as the program;
/// the options structs of the commands do, because their actions hold them.
class Command {
 public:
  /// An option or positional of the command, to be related to another.
  class Option {
   public:
    explicit Option(CLI::Option* option) : option_(option) {}
    Option excludes(Option other);
    Option needs(Option other);
    /// What it takes; anything else is wrong usage, told with the option's name before any daemon
    /// is asked. Each number, time and size has one of these.
    Option within(std::uint64_t least, std::uint64_t most);
    Option is_time();
    Option is_size();

   private:
    CLI::Option* option_;
  };

  Command(CLI::App& app, const CommandText& text);

  void alias(const std::string& name);
  Option flag(const std::string& names, bool& value, const std::string& what);
  /// An option with a value; `value_name` is what the help calls it.
  Option option(const std::string& names, std::string& value, const std::string& what,
                const std::string& value_name);
  Option option(const std::string& names, std::optional<std::string>& value,
                const std::string& what, const std::string& value_name);
  Option option(const std::string& names, std::optional<std::uint64_t>& value,
                const std::string& what, const std::string& value_name);
  Option option(const std::string& names, std::optional<std::uint16_t>& value,
                const std::string& what, const std::string& value_name);
  Option option(const std::string& names, std::size_t& value, const std::string& what,
                const std::string& value_name);
  /// One that may be repeated, a value each time.
  Option option(const std::string& names, std::vector<std::string>& values, const std::string& what,
                const std::string& value_name);
  Option positional(const std::string& name, std::string& value, const std::string& what,
                    Presence presence = Presence::required);
  void positionals(const std::string& name, std::vector<std::string>& values,
                   const std::string& what, Presence presence = Presence::required);

  /// `TERMINAL`, and `--json`.
  void terminal(std::string& named);
  void json(Context& context);

  void on_run(std::function<void()> action);

 private:
  CLI::App* app_;
};

/// `body(context, options)` where the command was given; it returns the exit status.
template <class Options, class Body>
void on_run(Command& command, Context& context, std::shared_ptr<Options> options, Body body) {
  command.on_run([&context, options = std::move(options), body = std::move(body)] {
    context.exit_code = body(context, *options);
  });
}

/// `body(context, client, options)` with the daemon.
template <class Options, class Body>
void on_client(Command& command, Context& context, std::shared_ptr<Options> options, Body body) {
  command.on_run([&context, options = std::move(options), body = std::move(body)] {
    with_client(context, [&](Client& client) { return body(context, client, *options); });
  });
}

/// `body(context, client, terminal, options)` with the terminal that `options.terminal` names.
template <class Options, class Body>
void on_terminal(Command& command, Context& context, std::shared_ptr<Options> options, Body body) {
  command.on_run([&context, options = std::move(options), body = std::move(body)] {
    with_terminal(context, options->terminal,
                  [&](Client& client, const protocol::TerminalInfo& terminal) {
                    return body(context, client, terminal, *options);
                  });
  });
}

}  // namespace troupe::client::cli
