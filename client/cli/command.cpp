// SPDX-License-Identifier: MIT
#include "client/cli/command.hpp"

#include <CLI/CLI.hpp>
#include <charconv>

namespace troupe::client::cli {
namespace {

template <class Value>
Command::Option add(CLI::App& app, const std::string& names, Value& value, const std::string& what,
                    const std::string& value_name) {
  return Command::Option{app.add_option(names, value, what)->type_name(value_name)};
}

// Begins a word that is no option whatever it looks like; no option begins so.
constexpr char operand_mark = '\x01';

std::string without_mark(std::string word) {
  if (!word.empty() && word.front() == operand_mark) {
    word.erase(0, 1);
  }
  return word;
}

}  // namespace

std::string as_operand(const std::string& word) {
  return operand_mark + word;
}

std::string without_marks(std::string text) {
  std::erase(text, operand_mark);
  return text;
}

Command::Option Command::Option::excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}

Command::Option Command::Option::needs(Option other) {
  option_->needs(other.option_);
  return *this;
}

Command::Option Command::Option::within(std::uint64_t least, std::uint64_t most) {
  option_->check([least, most](const std::string& text) {
    std::uint64_t value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    const bool good = error == std::errc{} && end == last && value >= least && value <= most;
    return good ? std::string{}
                : "a whole number from " + std::to_string(least) + " to " + std::to_string(most) +
                      ", not " + text;
  });
  return *this;
}

Command::Option Command::Option::is_time() {
  option_->check([](const std::string& text) {
    const auto time = parse_duration(text);
    return time ? std::string{} : time.error().message;
  });
  return *this;
}

Command::Option Command::Option::is_size() {
  option_->check([](const std::string& text) {
    const auto size = parse_size(text);
    return size ? std::string{} : size.error().message;
  });
  return *this;
}

Command::Command(CLI::App& app, const CommandText& text)
    : app_(app.add_subcommand(text.name, text.what)) {
  app_->group(text.group);
  app_->footer("Examples:\n" + text.examples +
               "\nAlways: --name NAME and --runtime-dir DIR choose the daemon.");
}

void Command::alias(const std::string& name) {
  app_->alias(name);
}

Command::Option Command::flag(const std::string& names, bool& value, const std::string& what) {
  return Option{app_->add_flag(names, value, what)};
}

Command::Option Command::option(const std::string& names, std::string& value,
                                const std::string& what, const std::string& value_name) {
  return add(*app_, names, value, what, value_name);
}

Command::Option Command::option(const std::string& names, std::optional<std::string>& value,
                                const std::string& what, const std::string& value_name) {
  return add(*app_, names, value, what, value_name);
}

Command::Option Command::option(const std::string& names, std::optional<std::uint64_t>& value,
                                const std::string& what, const std::string& value_name) {
  return add(*app_, names, value, what, value_name);
}

Command::Option Command::option(const std::string& names, std::optional<std::uint16_t>& value,
                                const std::string& what, const std::string& value_name) {
  return add(*app_, names, value, what, value_name);
}

Command::Option Command::option(const std::string& names, std::size_t& value,
                                const std::string& what, const std::string& value_name) {
  return add(*app_, names, value, what, value_name);
}

Command::Option Command::option(const std::string& names, std::vector<std::string>& values,
                                const std::string& what, const std::string& value_name) {
  return Option{
      app_->add_option(names, values, what)->type_name(value_name)->allow_extra_args(false)};
}

Command::Option Command::positional(const std::string& name, std::string& value,
                                    const std::string& what, Presence presence) {
  return Option{app_->add_option(name, value, what)
                    ->transform(without_mark)
                    ->type_name("")
                    ->required(presence == Presence::required)};
}

void Command::positionals(const std::string& name, std::vector<std::string>& values,
                          const std::string& what, Presence presence) {
  app_->add_option(name, values, what)
      ->transform(without_mark)
      ->type_name("")
      ->expected(-1)
      ->required(presence == Presence::required);
}

void Command::terminal(std::string& named) {
  positional("TERMINAL", named, "Id, hex id, title, or a unique beginning of one");
}

void Command::json(Context& context) {
  flag("--json", context.json, "Print the daemon's reply as one line of JSON");
}

void Command::on_run(std::function<void()> action) {
  app_->callback(std::move(action));
}

}  // namespace troupe::client::cli
