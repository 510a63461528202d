// SPDX-License-Identifier: MIT
#include "client/cli/terminal_name.hpp"

#include <array>
#include <cstdio>
#include <functional>

#include "client/attach/painter.hpp"

namespace troupe::client::cli {
namespace {

using protocol::TerminalInfo;

constexpr std::size_t max_candidates_shown = 5;
constexpr std::size_t max_name_bytes = 60;

std::vector<std::size_t> all_that(const std::vector<TerminalInfo>& terminals,
                                  const std::function<bool(const TerminalInfo&)>& wanted) {
  std::vector<std::size_t> found;
  for (std::size_t index = 0; index < terminals.size(); ++index) {
    if (wanted(terminals[index])) {
      found.push_back(index);
    }
  }
  return found;
}

Error ambiguous(const std::vector<TerminalInfo>& terminals, const std::vector<std::size_t>& found,
                std::string_view named) {
  std::string message = printable(named, max_name_bytes) + " means more than one terminal:";
  for (std::size_t n = 0; n < found.size() && n < max_candidates_shown; ++n) {
    const TerminalInfo& terminal = terminals[found[n]];
    message += (n == 0 ? " " : ", ") + std::to_string(terminal.id.value) + " (" +
               printable(terminal.title, max_name_bytes) + ")";
  }
  if (found.size() > max_candidates_shown) {
    message += " and " + std::to_string(found.size() - max_candidates_shown) + " more";
  }
  return Error{Code::bad_request, message};
}

}  // namespace

std::string hex_id(TerminalId id) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "%012llx", static_cast<unsigned long long>(id.value));
  return text.data();
}

Result<std::size_t> match_terminal(const std::vector<TerminalInfo>& terminals,
                                   std::string_view named, Matching matching) {
  const auto decimal = [](const TerminalInfo& terminal) {
    return std::to_string(terminal.id.value);
  };
  using Test = std::function<bool(const TerminalInfo&)>;
  std::vector<Test> tests{
      [&](const TerminalInfo& terminal) { return decimal(terminal) == named; },
      [&](const TerminalInfo& terminal) { return hex_id(terminal.id) == named; },
      [&](const TerminalInfo& terminal) { return terminal.title == named; },
      [&](const TerminalInfo& terminal) { return terminal.label == named; },
  };
  if (matching == Matching::prefix && !named.empty()) {
    tests.emplace_back([&](const TerminalInfo& terminal) {
      return terminal.title.starts_with(named) || hex_id(terminal.id).starts_with(named) ||
             decimal(terminal).starts_with(named);
    });
  }
  for (const Test& test : tests) {
    const std::vector<std::size_t> found = all_that(terminals, test);
    if (found.size() == 1) {
      return found[0];
    }
    if (found.size() > 1) {
      return ambiguous(terminals, found, named);
    }
  }
  return Error{Code::not_found,
               "no terminal is named " + printable(named, max_name_bytes) + " (see `troupe list`)"};
}

std::vector<std::string> completion_words(const std::vector<TerminalInfo>& terminals) {
  std::vector<std::string> words;
  for (std::size_t index = 0; index < terminals.size(); ++index) {
    const TerminalInfo& terminal = terminals[index];
    words.push_back(std::to_string(terminal.id.value));
    for (const std::string& name : {terminal.title, terminal.label.value_or("")}) {
      const bool readable = !name.empty() && name.front() != '-' &&
                            printable(name, std::string::npos) == name && name != words.back();
      const Result<std::size_t> meant = match_terminal(terminals, name, Matching::exact);
      if (readable && meant && *meant == index) {
        words.push_back(name);
      }
    }
  }
  return words;
}

}  // namespace troupe::client::cli
