// SPDX-License-Identifier: MIT
#include "mcp/launch_arguments.hpp"

#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "protocol/words.hpp"

namespace troupe::mcp {
namespace {

std::string working_directory() {
  std::error_code failure;
  const auto path = std::filesystem::current_path(failure);
  return failure ? "/" : path.string();
}

/// The daemon starts a program whose directory is none in the home directory and says nothing, as
/// protocol 7 has it: an agent would work in the wrong place.
std::string asked_directory(Arguments& arguments) {
  const std::string asked = arguments.text("cwd");
  if (asked.empty()) {
    return working_directory();
  }
  std::error_code failure;
  const auto path = std::filesystem::absolute(asked, failure);
  if (failure || !std::filesystem::is_directory(path, failure) ||
      ::access(path.c_str(), X_OK) != 0) {
    arguments.refuse("cwd is not a directory that can be entered: " + asked.substr(0, 256));
  }
  return path.string();
}

/// A lone `command` is a program, or, where it has blanks or shell signs, a line for a shell.
void set_program(protocol::request::Create& create, const std::string& command,
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

}  // namespace

protocol::request::Create launch_request(Arguments& arguments) {
  protocol::request::Create create;
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
    create.cwd = asked_directory(arguments);
  } else {
    create.options = remote_options(arguments, create.kind).dump();
    for (const char* name : {"command", "user", "key_path", "password", "known_hosts"}) {
      arguments.optional_text(name);
    }
    arguments.texts("args");
    arguments.pairs("env");
    create.cwd = arguments.text("cwd", working_directory());
    arguments.flag("integrate");
    arguments.flag("insecure_no_host_check");
    arguments.flag("use_ssh_config");
  }
  create.label = arguments.optional_text("label");
  create.profile = arguments.optional_text("profile");
  create.title = create.label.value_or(
      create.kind == protocol::TerminalKind::pty ? create.program : arguments.text("host"));
  create.group_id = "mcp";
  const auto cols = arguments.integer("cols", 0, 65'535, 80);
  const auto rows = arguments.integer("rows", 0, 65'535, 24);
  create.cols = static_cast<std::uint16_t>(cols == 0 ? 80 : cols);
  create.rows = static_cast<std::uint16_t>(rows == 0 ? 24 : rows);
  create.is_protected = arguments.flag("protected");
  if (const auto redact = arguments.optional_text("redact")) {
    create.redact = protocol::from_text<protocol::Redaction>(*redact);
    if (!create.redact) {
      arguments.refuse("redact must be off, passwords or all");
    }
  }
  return create;
}

}  // namespace troupe::mcp
