// SPDX-License-Identifier: MIT
#include "client/cli/program.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "client/cli/command.hpp"
#include "client/cli/companion_commands.hpp"
#include "registration/registration.hpp"

namespace troupe::client::cli {
namespace {

/// Takes --name and --runtime-dir out of the arguments, wherever they stand before `--`. CLI11
/// would let a command's words fall through to the program's other commands if it had to find them.
Result<std::vector<std::string>> take_shared_options(int count, char** arguments,
                                                     Context& context) {
  std::vector<std::string> rest;
  for (int at = 1; at < count; ++at) {
    const std::string word = arguments[at];
    if (word == "--") {
      context.words_after_dashes = count - at - 1;
      std::transform(arguments + at + 1, arguments + count, std::back_inserter(rest), as_operand);
      break;
    }
    const std::size_t equals = word.find('=');
    const std::string option = word.substr(0, equals);
    if (option != "--name" && option != "--runtime-dir") {
      rest.push_back(word);
      continue;
    }
    if (equals == std::string::npos && at + 1 == count) {
      return Error{Code::bad_request, option + " needs a value"};
    }
    const std::string value =
        equals == std::string::npos ? std::string(arguments[++at]) : word.substr(equals + 1);
    if (option == "--name") {
      context.address.name = value;
      context.name_given = true;
    } else if (value.empty()) {
      return Error{Code::bad_request, "--runtime-dir needs a directory"};
    } else {
      context.address.root = value;
    }
  }
  const Result<> name = registration::validate_name(context.address.name);
  return name ? Result<std::vector<std::string>>{rest}
              : Result<std::vector<std::string>>{name.error()};
}

/// What is said of words that the command has no place for, which CLI11 tells backwards.
std::string not_expected(const CLI::App& command, const std::vector<std::string>& backwards) {
  std::string message = "not expected:";
  bool looks_like_option = false;
  for (auto word = backwards.rbegin(); word != backwards.rend(); ++word) {
    message += " " + without_marks(*word);
    looks_like_option = looks_like_option || word->starts_with('-');
  }
  const auto options = command.get_options();
  const bool takes_words = std::any_of(options.begin(), options.end(), [](const auto* option) {
    return option->get_positional() && option->get_expected_max() > 1;
  });
  message += " (";
  if (looks_like_option && takes_words) {
    message += "a command's own options stand behind `--`; ";
  }
  return message + "see `troupe " + command.get_name() + " --help`)";
}

int parse_and_run(CLI::App& app, std::vector<std::string> words, Context& context) {
  if (words.empty()) {
    print(app.help());
    return exit_status::ok;
  }
  const std::string first = words.front();
  std::reverse(words.begin(), words.end());
  try {
    app.parse(std::move(words));
  } catch (const CLI::Success& asked) {  // --help, --version
    std::ostringstream out;
    std::ostringstream err;
    const int status = app.exit(asked, out, err);
    print(out.str());
    return status;
  } catch (const CLI::ExtrasError& error) {
    if (app.get_subcommands().empty()) {
      return usage_error("unknown command " + without_marks(first) + " (see `troupe --help`)");
    }
    return usage_error(not_expected(*app.get_subcommands().front(), app.remaining(true)));
  } catch (const CLI::ParseError& error) {
    return usage_error(without_marks(error.what()));
  }
  return context.exit_code;
}

}  // namespace

void describe(CLI::App& app, Context& context) {
  app.description("troupe - terminals that outlive the window: for people, programs and agents");
  app.name("troupe");
  app.set_version_flag("--version,-V", version_text(), "Print the version");
  app.require_subcommand(0, 1);
  add_attach_commands(app, context);
  add_terminal_commands(app, context);
  add_view_commands(app, context);
  add_wait_commands(app, context);
  add_input_commands(app, context);
  add_run_command(app, context);
  add_journal_commands(app, context);
  add_recording_commands(app, context);
  add_shell_commands(app, context);
  add_daemon_commands(app, context);
  add_console_command(app, context);
  add_companion_commands(app, context);
  app.footer(
      "Shared options, anywhere on the line:\n"
      "  --name NAME                 The daemon (default, or $TROUPE_NAME)\n"
      "  --runtime-dir DIR           Where daemons register (or $TROUPE_RUNTIME_DIR)\n\n"
      "Exit status: 0 success, 1 error, 2 wrong usage, 124 time is up; run, attach and wait give "
      "the\n"
      "program's own.\n\n"
      "Examples:\n"
      "  troupe new                            a shell that survives this window\n"
      "  troupe attach                         see `troupe attach --help`; Ctrl-] detaches\n"
      "  troupe new -d --title build -- make   start something in the background\n"
      "  troupe watch build                    follow it\n"
      "  troupe run build make test            run a command, get its output and exit code\n");
}

int run_program(int count, char** arguments, Describe describe_commands) {
  Context context;
  context.address.name = environment_value("TROUPE_NAME").value_or("default");
  context.address.root = environment_value("TROUPE_RUNTIME_DIR").value_or("");
  const Result<std::vector<std::string>> words = take_shared_options(count, arguments, context);
  if (!words) {
    return usage_error(words.error().message);
  }
  CLI::App app;
  describe_commands(app, context);
  return parse_and_run(app, *words, context);
}

}  // namespace troupe::client::cli
