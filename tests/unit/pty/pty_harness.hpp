// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// An io thread, a PTY service and terminals that remember their events, for tests on real
/// processes.

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pty/process_table.hpp"
#include "pty/pty_service.hpp"

namespace troupe::pty::test {

/// A channel and what it said. Data is consumed at once unless `hold` is set.
struct Terminal {
  std::unique_ptr<Channel> channel;
  std::string output;
  std::optional<ExitStatus> exit;
  std::optional<EndOfStream> end;
  std::optional<Error> failure;
  std::vector<Written> written;
  std::vector<std::size_t> chunks;
  std::size_t held = 0;
  bool hold = false;
  bool data_after_end = false;

  void start();
  void handle(ChannelEvent event);
  [[nodiscard]] bool shows(const std::string& text) const {
    return output.find(text) != std::string::npos;
  }
  [[nodiscard]] bool over() const { return exit && end; }
};

/// Runs the io context in the test's own thread.
class Harness {
 public:
  explicit Harness(PtyOptions options = {});
  /// Terminates what is left; the test fails where a child of this process remains.
  ~Harness();

  /// False where the condition did not come true before the deadline (a failure, never a wait).
  bool run_until(const std::function<bool()>& condition);

  Result<std::unique_ptr<Channel>> open(LaunchSpec spec);
  /// Opens and starts; a failure to open fails the test.
  Terminal& terminal(LaunchSpec spec);
  Terminal& shell(const std::string& script, const Environment& env = {});
  TerminateResult terminate(Terminal& terminal);
  Result<> signal(Terminal& terminal, int number, SignalTarget target);
  std::vector<int> holders(Terminal& terminal);
  std::string foreground(Terminal& terminal);

  boost::asio::io_context io;
  std::unique_ptr<PtyService> service;
  std::vector<std::unique_ptr<Terminal>> terminals;
};

LaunchSpec command(std::string program, std::vector<std::string> args = {});
LaunchSpec shell_command(const std::string& script, const Environment& env = {});
bool process_lives(int pid);
std::vector<ProcessInfo> children();
/// Children of this process that are dead and not reaped.
std::vector<ProcessInfo> zombies();
std::size_t open_descriptors();
/// The number behind `key` in the output, as in "pid=123".
int number_after(const std::string& text, const std::string& key);

}  // namespace troupe::pty::test
