// SPDX-License-Identifier: MIT
#include "pty_harness.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <utility>

namespace troupe::pty::test {

void Terminal::start() {
  channel->start([this](ChannelEvent event) { handle(std::move(event)); });
}

void Terminal::handle(ChannelEvent event) {
  if (auto* data = std::get_if<Data>(&event)) {
    data_after_end = data_after_end || end.has_value();
    output += data->bytes;
    chunks.push_back(data->bytes.size());
    if (hold) {
      ++held;
    } else {
      channel->consumed(1);
    }
  } else if (auto* progress = std::get_if<Written>(&event)) {
    written.push_back(*progress);
  } else if (auto* over = std::get_if<EndOfStream>(&event)) {
    CHECK_FALSE(end.has_value());
    end = *over;
  } else if (auto* dead = std::get_if<ChildExit>(&event)) {
    CHECK_FALSE(exit.has_value());
    exit = dead->status;
  } else if (auto* failed = std::get_if<Failed>(&event)) {
    failure = failed->error;
  }
}

Harness::Harness(PtyOptions options) : service(std::make_unique<PtyService>(io, options)) {}

Harness::~Harness() {
  std::size_t left = 0;
  for (auto& terminal : terminals) {
    if (terminal->channel) {
      ++left;
      terminal->channel->terminate([&left](const TerminateResult&) { --left; });
    }
  }
  CHECK(run_until([&] { return left == 0; }));
  // Channels that are gone end their sessions in the background.
  terminals.clear();
  CHECK(run_until([] { return children().empty(); }));
}

bool Harness::run_until(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return false;
    }
    io.restart();
    io.run_one_for(std::chrono::milliseconds(50));
  }
  return true;
}

Result<std::unique_ptr<Channel>> Harness::open(LaunchSpec spec) {
  std::optional<Result<std::unique_ptr<Channel>>> result;
  service->open(std::move(spec), [&](auto opened) { result.emplace(std::move(opened)); });
  REQUIRE(run_until([&] { return result.has_value(); }));
  return std::move(*result);
}

Terminal& Harness::terminal(LaunchSpec spec) {
  auto opened = open(std::move(spec));
  if (!opened) {
    FAIL(opened.error().message);
  }
  terminals.push_back(std::make_unique<Terminal>());
  terminals.back()->channel = std::move(opened).value();
  terminals.back()->start();
  return *terminals.back();
}

Terminal& Harness::shell(const std::string& script, const Environment& env) {
  return terminal(shell_command(script, env));
}

TerminateResult Harness::terminate(Terminal& terminal) {
  std::optional<TerminateResult> result;
  terminal.channel->terminate([&](TerminateResult answer) { result = std::move(answer); });
  CHECK_FALSE(result.has_value());
  REQUIRE(run_until([&] { return result.has_value(); }));
  return *result;
}

Result<> Harness::signal(Terminal& terminal, int number, SignalTarget target) {
  std::optional<Result<>> result;
  terminal.channel->signal(number, target, [&](Result<> answer) { result.emplace(answer); });
  REQUIRE(run_until([&] { return result.has_value(); }));
  return *result;
}

std::vector<int> Harness::holders(Terminal& terminal) {
  std::optional<std::vector<int>> result;
  terminal.channel->holders([&](std::vector<int> pids) { result = std::move(pids); });
  REQUIRE(run_until([&] { return result.has_value(); }));
  return *result;
}

std::string Harness::foreground(Terminal& terminal) {
  std::optional<std::string> result;
  service->foreground({{7, terminal.channel->pid().value_or(0)}}, [&](auto answers) {
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].key == 7);
    result = answers[0].process;
  });
  REQUIRE(run_until([&] { return result.has_value(); }));
  return *result;
}

LaunchSpec command(std::string program, std::vector<std::string> args) {
  LaunchSpec spec;
  spec.program = std::move(program);
  spec.args = std::move(args);
  spec.cwd = "/tmp";
  return spec;
}

LaunchSpec shell_command(const std::string& script, const Environment& env) {
  auto spec = command("/bin/sh", {"-c", script});
  spec.env = env;
  return spec;
}

bool process_lives(int pid) {
  const auto info = read_process(pid);
  return info && !info->dead();
}

std::vector<ProcessInfo> children() {
  std::vector<ProcessInfo> result;
  const auto table = ProcessTable::read();
  std::copy_if(table.all().begin(), table.all().end(), std::back_inserter(result),
               [](const ProcessInfo& process) { return process.parent == ::getpid(); });
  return result;
}

std::vector<ProcessInfo> zombies() {
  auto result = children();
  std::erase_if(result, [](const ProcessInfo& process) { return !process.dead(); });
  return result;
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator entries("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
}

int number_after(const std::string& text, const std::string& key) {
  const auto at = text.find(key);
  return at == std::string::npos ? 0 : std::atoi(text.c_str() + at + key.size());
}

}  // namespace troupe::pty::test
