// SPDX-License-Identifier: MIT
// Commands about the daemon: status, stop, daemon, version.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>

#include "client/attach/painter.hpp"
#include "client/cli/answer.hpp"
#include "client/cli/become.hpp"
#include "client/cli/command.hpp"
#include "client/cli/groups.hpp"
#include "client/cli/table.hpp"
#include "client/daemon_start.hpp"
#include "protocol/version.hpp"

namespace troupe::client::cli {
namespace {

using std::chrono::milliseconds;

/// The daemon's own deadline for its end is five seconds.
constexpr milliseconds stop_patience{10'000};
constexpr milliseconds slow_after{1000};
constexpr std::size_t max_name_bytes = 100;

struct NoOptions {};

std::int64_t unix_now_ms() {
  return std::chrono::duration_cast<milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// A daemon without the feature: what protocol 7 tells.
int plain_status(const Context& context, Client& client) {
  return answer<reply::Pong>(context, client, request::Ping{}, [&client](const auto& pong) {
    const auto list = client.ask<reply::Terminals>(request::List{});
    print_line("running: pid=" + std::to_string(pong.pid) + " instance=" + pong.instance_id +
               " protocol=" + std::to_string(pong.protocol) +
               " terminals=" + (list ? std::to_string(list->terminals.size()) : std::string("?")));
  });
}

void print_status(const std::string& name, const reply::Status& now) {
  Table table{{"daemon", name}};
  table.add({"pid", std::to_string(now.pid)});
  table.add({"version", printable(now.version, max_name_bytes) + " (protocol " +
                            std::to_string(protocol::protocol_version) + ")"});
  table.add({"instance", now.instance_id});
  table.add({"up", duration_text(unix_now_ms() - now.started_ms)});
  table.add({"ends", now.standalone ? "at `troupe stop`" : "with its owner"});
  table.add({"terminals",
             std::to_string(now.terminals) + " (" + std::to_string(now.running) + " running)"});
  table.add({"connections", std::to_string(now.connections)});
  table.add({"subscriptions", std::to_string(now.subscriptions)});
  table.add({"waits", std::to_string(now.waits)});
  table.add({"retained", std::to_string(now.retained_bytes / 1024) + " KiB"});
  print(table.text());
}

int status(const Context& context, Client& client, const NoOptions& /*options*/) {
  if (!client.has(feature::status)) {
    return plain_status(context, client);
  }
  return answer<reply::Status>(context, client, request::Status{}, [&context](const auto& now) {
    print_status(context.address.name, now);
  });
}

struct StopOptions {
  bool yes = false;
};

/// A person is asked before running programs are ended; a script is not.
bool confirmed(const std::vector<protocol::TerminalInfo>& terminals) {
  const auto running = std::count_if(terminals.begin(), terminals.end(), [](const auto& terminal) {
    return std::holds_alternative<protocol::Running>(terminal.lifecycle);
  });
  if (running == 0 || ::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) {
    return true;
  }
  std::fprintf(stderr, "%ld program%s still running. End %s? [y/N] ", static_cast<long>(running),
               running == 1 ? " is" : "s are", running == 1 ? "it" : "them");
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

int stop(const Context& context, Client& client, const StopOptions& options) {
  const auto list = client.ask<reply::Terminals>(request::List{});
  const std::size_t terminals = list ? list->terminals.size() : 0;
  if (list && !options.yes && !confirmed(list->terminals)) {
    std::fputs("nothing was stopped\n", stderr);
    return exit_status::error;
  }
  const int pid = client.registration().pid;
  const Result<Reply> answer = client.call(request::Shutdown{});
  if (!answer) {
    return fail(answer.error());
  }
  Result<> ended = wait_process_end(pid, after(slow_after));
  if (!ended && ended.error().code == Code::timeout) {
    std::fputs("waiting for the programs to end ...\n", stderr);
    ended = wait_process_end(pid, after(stop_patience));
  }
  if (!ended) {
    return fail(ended.error());
  }
  if (context.json) {
    print_line("{\"pid\":" + std::to_string(pid) + ",\"terminals\":" + std::to_string(terminals) +
               "}");
  } else {
    print_line("stopped pid=" + std::to_string(pid) + " (" + std::to_string(terminals) +
               (terminals == 1 ? " terminal" : " terminals") + " ended)");
  }
  return exit_status::ok;
}

struct DaemonOptions {
  bool foreground = false;
};

int daemon(Context& context, const DaemonOptions& options) {
  if (options.foreground) {
    return become(context, {daemon_program(), "--standalone"});
  }
  if (const Result<Client> running = Client::open(context.address)) {
    print_line("already running: pid=" + std::to_string(running->registration().pid));
    return exit_status::ok;
  }
  const Result<Client> started = open_or_start(context);
  if (!started) {
    return fail(started.error());
  }
  print_line("started: pid=" + std::to_string(started->registration().pid));
  return exit_status::ok;
}

int version(const Context& context, const NoOptions& /*options*/) {
  print_line(version_text());
  if (Result<Client> client = Client::open(context.address)) {
    std::string text = "daemon " + context.address.name + ": ";
    const auto now = client->has(feature::status) ? client->ask<reply::Status>(request::Status{})
                                                  : Result<reply::Status>{Error{}};
    text += now ? printable(now->version, max_name_bytes) : std::string("running");
    print_line(text + " (protocol " + std::to_string(client->registration().protocol) + ")");
  }
  return exit_status::ok;
}

}  // namespace

std::string version_text() {
  return "troupe " + std::string(protocol::program_version) + " (protocol " +
         std::to_string(protocol::protocol_version) + ")";
}

void add_daemon_commands(CLI::App& app, Context& context) {
  const std::string about(group::daemon);
  {
    Command command(app, {about, "status", "Tell whether the daemon runs, and how it is",
                          "  troupe status\n  troupe status --json\n"});
    command.json(context);
    on_client(command, context, std::make_shared<NoOptions>(), status);
  }
  {
    auto options = std::make_shared<StopOptions>();
    Command command(app, {about, "stop", "Stop the daemon and end all its terminals",
                          "  troupe stop\n  troupe stop --yes\n"});
    command.flag("-y,--yes", options->yes, "Do not ask");
    command.json(context);
    on_client(command, context, options, stop);
  }
  {
    auto options = std::make_shared<DaemonOptions>();
    Command command(app, {about, "daemon", "Start a standalone daemon, where none runs",
                          "  troupe daemon\n  troupe daemon --name work\n"
                          "  troupe daemon --foreground   (for service managers)\n"});
    command.flag("--foreground", options->foreground, "Become the daemon");
    on_run(command, context, options, daemon);
  }
  {
    Command command(app, {about, "version", "Print the version of troupe and the daemon",
                          "  troupe version\n"});
    on_run(command, context, std::make_shared<NoOptions>(), version);
  }
}

}  // namespace troupe::client::cli
