// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "mcp/tools.hpp"
#include "protocol/features.hpp"

namespace troupe::mcp {
namespace {

namespace request = protocol::request;
namespace reply = protocol::reply;

std::string working_directory() {
  std::error_code failure;
  const auto path = std::filesystem::current_path(failure);
  return failure ? "/" : path.string();
}

/// A lone `command` is a program, or, where it has blanks or shell signs, a line for a shell.
void set_program(request::Create& create, const std::string& command,
                 std::vector<std::string> args) {
  create.program = command.empty() ? "/bin/bash" : command;
  create.args = std::move(args);
  if (create.args.empty() && command.find_first_of(" \t\n;|&<>$`*?'\"") != std::string::npos) {
    create.program = "/bin/sh";
    create.args = {"-c", command};
  }
}

/// The connection options of SSH and telnet as the daemon's `options` object.
Json remote_options(Arguments& arguments, protocol::TerminalKind kind) {
  Json options = Json::object();
  const auto take = [&](const char* name, const char* key) {
    if (auto value = arguments.optional_text(name)) {
      options[key] = std::move(*value);
    }
  };
  take("host", "host");
  if (const auto port = arguments.integer("port", 1, 65'535)) {
    options["port"] = *port;
  }
  take("encoding", "encoding");
  if (kind == protocol::TerminalKind::ssh) {
    take("user", "user");
    take("key_path", "key_path");
    take("password", "password");
    take("known_hosts", "known_hosts");
    take("command", "command");
    if (arguments.flag("insecure_no_host_check")) {
      options["insecure_no_host_check"] = true;
    }
    if (arguments.flag("use_ssh_config")) {
      options["use_ssh_config"] = true;
    }
  }
  return options;
}

/// What every kind shares; the rest of the arguments by kind.
request::Create read_create(Arguments& arguments) {
  request::Create create;
  const std::string kind = arguments.text("kind", "pty");
  const auto known = protocol::from_text<protocol::TerminalKind>(kind);
  if (!known) {
    arguments.refuse("kind must be pty, ssh or telnet");
    return create;
  }
  create.kind = *known;
  if (create.kind == protocol::TerminalKind::pty) {
    const std::string command = arguments.text("command");
    set_program(create, command, arguments.texts("args"));
    for (auto& [name, value] : arguments.pairs("env")) {
      create.env[name] = std::move(value);
    }
    create.integrate = arguments.flag("integrate", true);
    // A client may send every argument of the tool; those of other kinds count for nothing.
    for (const char* name : {"host", "user", "key_path", "password", "known_hosts", "encoding"}) {
      arguments.optional_text(name);
    }
    arguments.integer("port", 1, 65'535);
    arguments.flag("insecure_no_host_check");
    arguments.flag("use_ssh_config");
  } else {
    create.options = remote_options(arguments, create.kind).dump();
    for (const char* name : {"command", "user", "key_path", "password", "known_hosts"}) {
      arguments.optional_text(name);
    }
    arguments.texts("args");
    arguments.pairs("env");
    arguments.flag("integrate");
    arguments.flag("insecure_no_host_check");
    arguments.flag("use_ssh_config");
  }
  create.cwd = arguments.text("cwd", working_directory());
  create.label = arguments.optional_text("label");
  create.profile = arguments.optional_text("profile");
  create.title = create.label.value_or(create.program);
  create.group_id = "mcp";
  const auto cols = arguments.integer("cols", 0, 65'535, 80);
  const auto rows = arguments.integer("rows", 0, 65'535, 24);
  create.cols = static_cast<std::uint16_t>(cols == 0 ? 80 : cols);
  create.rows = static_cast<std::uint16_t>(rows == 0 ? 24 : rows);
  create.is_protected = arguments.flag("protected");
  return create;
}

Json describe(const protocol::TerminalInfo& terminal) {
  Json out = {{"instance_id", instance_id(terminal.id)},
              {"kind", "terminal"},
              {"connector_type", protocol::to_text(terminal.kind)},
              {"label", nullptr},
              {"profile", nullptr},
              {"url", nullptr},
              {"log_path", nullptr},
              {"har_path", nullptr},
              {"protected", terminal.is_protected},
              {"title", terminal.title},
              {"cols", terminal.cols},
              {"rows", terminal.rows}};
  if (terminal.label) {
    out["label"] = *terminal.label;
  }
  if (terminal.profile) {
    out["profile"] = *terminal.profile;
  }
  if (terminal.recording || terminal.last_recording) {
    out["log_path"] = terminal.recording ? *terminal.recording : *terminal.last_recording;
  }
  add_lifecycle(out, terminal);
  return out;
}

}  // namespace

void terminal_launch(ToolCall& call, Arguments& arguments) {
  request::Create create = read_create(arguments);
  const bool record = arguments.flag("record", true);
  if (refused(call, arguments)) {
    return;
  }
  if (create.kind != protocol::TerminalKind::pty && !call.daemon().has(protocol::feature::kinds)) {
    call.fail(Error{Code::unsupported, "this daemon opens no ssh and telnet terminals"});
    return;
  }
  if (record && call.daemon().has(protocol::feature::recording)) {
    create.recording = protocol::RecordingTarget{};
  }
  create.integrate = create.integrate && call.daemon().has(protocol::feature::integrate);
  call.ask_for<reply::Created>(create,
                               [self = call.shared_from_this()](const reply::Created& created) {
                                 self->succeed(describe(created.terminal));
                               });
}

void terminal_list(ToolCall& call, Arguments& arguments) {
  if (refused(call, arguments)) {
    return;
  }
  call.ask_for<reply::Terminals>(request::List{},
                                 [self = call.shared_from_this()](const reply::Terminals& listed) {
                                   Json terminals = Json::array();
                                   for (const auto& terminal : listed.terminals) {
                                     terminals.push_back(describe(terminal));
                                   }
                                   self->succeed({{"terminals", terminals}});
                                 });
}

void terminal_close(ToolCall& call, Arguments& arguments) {
  const request::Terminate terminate{arguments.terminal(), arguments.flag("force")};
  if (refused(call, arguments)) {
    return;
  }
  call.ask_for<reply::Ok>(terminate,
                          [self = call.shared_from_this(), id = terminate.id](const reply::Ok& ok) {
                            self->forget(id);
                            Json out = {{"closed", true}};
                            if (!ok.survivors.empty()) {
                              out["survivors"] = ok.survivors;
                            }
                            self->succeed(out);
                          });
}

}  // namespace troupe::mcp
