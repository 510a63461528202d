// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A real shell on a PTY with a home of its own, driven prompt by prompt.

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "shell/install.hpp"
#include "shell/launch_plan.hpp"
#include "shell/snippet.hpp"
#include "tests/support/marks.hpp"
#include "tests/support/pty_child.hpp"

namespace troupe::shell {

inline constexpr std::string_view test_nonce = "0123456789abcdef0123456789abcdef";

/// The outline of a session that ran these commands, each shown by what E, C and D are to be.
inline std::string session(const std::vector<std::string>& commands) {
  std::string result = "A B";
  for (const std::string& command : commands) {
    result += " " + command + " A B";
  }
  return result;
}

/// Start it with `integrated`, `plain`, or `plain` with a snippet in the rc file (`opt-in`).
class ShellSession {
 public:
  explicit ShellSession(std::string program) : program_(std::move(program)) {
    env_ = {{"HOME", home_.path()},     {"PATH", "/usr/local/bin:/usr/bin:/bin"},
            {"TERM", "xterm-256color"}, {"LANG", "C.UTF-8"},
            {"USER", "someone"},        {"TROUPE_NONCE", std::string(test_nonce)}};
    REQUIRE(install(directory_.path() + "/i n$t'\"`\\").ok());
    home_.write(".zshrc", "");
  }

  [[nodiscard]] const test::TemporaryDirectory& home() const { return home_; }
  std::map<std::string, std::string>& env() { return env_; }

  void start_integrated(std::vector<std::string> args = {}) {
    start_integrated_without_prompt(std::move(args));
    wait_prompt(1);
  }
  void start_integrated_without_prompt(std::vector<std::string> args = {}) {
    const LaunchPlan planned =
        plan({program_, std::move(args), env_}, directory_.path() + "/i n$t'\"`\\");
    REQUIRE(planned.integrated);
    std::map<std::string, std::string> env = env_;
    for (const auto& [name, value] : planned.env) {
      env[name] = value;
    }
    launch(planned.args, std::move(env));
  }
  void start_plain(std::vector<std::string> args = {}) { launch(std::move(args), env_); }

  /// Types a line and waits for the prompt after it.
  void run(std::string_view line) {
    const std::size_t before = test::prompts(output());
    type(std::string(line) + "\r");
    wait_prompt(before + 1);
  }
  void type(std::string_view bytes) { child_->type(bytes); }
  void wait_prompt(std::size_t count) {
    child_->wait_until([count](const std::string& text) { return test::prompts(text) >= count; },
                       "prompt");
  }
  /// Waits until `count` commands have ended and the prompt after them stands.
  void wait_commands(std::size_t count) {
    child_->wait_until(
        [count](const std::string& text) {
          const std::string marks = test::outline(text, test_nonce);
          std::size_t ended = 0;
          for (std::size_t at = marks.find(" D["); at != std::string::npos;
               at = marks.find(" D[", at + 1)) {
            ++ended;
          }
          return ended >= count && marks.back() == 'B';
        },
        "end of a command");
  }
  /// Types half a line and interrupts it, once the shell waits for the next key: readline misses
  /// an interrupt that comes while it still draws, with and without the integration.
  void interrupt_line() {
    type("not run");
    wait_text("run");
    child_->wait_asleep();
    const std::size_t before = test::prompts(output());
    type("\x03");
    wait_prompt(before + 1);
  }
  /// Waits until `text` has been printed `count` times.
  void wait_text(std::string_view text, std::size_t count = 1) {
    child_->wait_until(
        [&](const std::string& all) {
          std::size_t found = 0;
          for (std::size_t at = all.find(text); at != std::string::npos;
               at = all.find(text, at + text.size())) {
            ++found;
          }
          return found >= count;
        },
        text);
  }

  /// Waits until one of `texts` has been printed: the prompt of a user, or that of root.
  void wait_any_text(const std::vector<std::string>& texts) {
    child_->wait_until(
        [&](const std::string& all) {
          return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
            return all.find(text) != std::string::npos;
          });
        },
        texts.front());
  }

  [[nodiscard]] const std::string& output() const { return child_->output(); }
  [[nodiscard]] std::string outline() const { return test::outline(output(), test_nonce); }
  [[nodiscard]] std::vector<std::string> outputs() const { return test::outputs(output()); }
  test::PtyChild& child() { return *child_; }

 private:
  void launch(std::vector<std::string> args, std::map<std::string, std::string> env) {
    child_ = std::make_unique<test::PtyChild>(
        test::ChildSpec{program_, std::move(args), std::move(env), home_.path()});
  }

  std::string program_;
  test::TemporaryDirectory home_;
  test::TemporaryDirectory directory_;
  std::map<std::string, std::string> env_;
  std::unique_ptr<test::PtyChild> child_;
};

}  // namespace troupe::shell
