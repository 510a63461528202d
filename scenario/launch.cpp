// SPDX-License-Identifier: MIT
#include "scenario/launch.hpp"

#include <nlohmann/json.hpp>

namespace troupe::scenario {
namespace {

using Json = nlohmann::ordered_json;
using protocol::TerminalKind;

constexpr std::uint16_t default_cols = 80;
constexpr std::uint16_t default_rows = 24;
constexpr std::uint16_t ssh_port = 22;
constexpr std::uint16_t telnet_port = 23;
constexpr std::string_view shell_characters = " \t\n;|&<>$`*?'\"";

/// `mine` where it is given, else the other's.
template <class Value>
const std::optional<Value>& first(const std::optional<Value>& mine,
                                  const std::optional<Value>& other) {
  return mine ? mine : other;
}

RemoteOptions merge(const RemoteOptions& mine, const RemoteOptions& other) {
  return {first(mine.host, other.host),
          first(mine.port, other.port),
          first(mine.user, other.user),
          first(mine.key_path, other.key_path),
          first(mine.known_hosts, other.known_hosts),
          first(mine.insecure_no_host_check, other.insecure_no_host_check),
          first(mine.use_ssh_config, other.use_ssh_config),
          first(mine.use_agent, other.use_agent),
          first(mine.term, other.term),
          first(mine.encoding, other.encoding),
          first(mine.connect_timeout_s, other.connect_timeout_s),
          first(mine.keepalive_s, other.keepalive_s),
          first(mine.password_env, other.password_env),
          first(mine.passphrase_env, other.passphrase_env)};
}

/// The daemon's `options` object, under the names that the seed's connectors have.
Json ssh_options(const RemoteOptions& remote, const std::optional<std::string>& command) {
  Json json = Json::object();
  const auto put = [&json](const char* key, const auto& value) {
    if (value) {
      json[key] = *value;
    }
  };
  put("host", remote.host);
  // With ~/.ssh/config the port is what stands there.
  if (remote.port || !remote.use_ssh_config.value_or(false)) {
    json["port"] = remote.port.value_or(ssh_port);
  }
  put("username", remote.user);
  put("client_key", remote.key_path);
  put("known_hosts", remote.known_hosts);
  if (remote.insecure_no_host_check.value_or(false)) {
    json["insecure_no_host_check"] = true;
  }
  put("use_ssh_config", remote.use_ssh_config);
  put("use_agent", remote.use_agent);
  put("term", remote.term);
  put("encoding", remote.encoding);
  put("connect_timeout_s", remote.connect_timeout_s);
  put("keepalive_s", remote.keepalive_s);
  put("command", command);
  return json;
}

Json telnet_options(const RemoteOptions& remote) {
  Json json = Json::object();
  if (remote.host) {
    json["host"] = *remote.host;
  }
  json["port"] = remote.port.value_or(telnet_port);
  if (remote.encoding) {
    json["encoding"] = *remote.encoding;
  }
  if (remote.connect_timeout_s) {
    json["connect_timeout_s"] = *remote.connect_timeout_s;
  }
  return json;
}

/// A list is a program and its arguments. A text is a program; where it looks like a line for a
/// shell and no arguments are given, it is one.
void set_program(const TerminalOptions& options, protocol::request::Create& create) {
  if (!options.command_words.empty()) {
    create.program = options.command_words[0];
    create.args.assign(options.command_words.begin() + 1, options.command_words.end());
    return;
  }
  const std::string command = options.command.value_or("");
  create.program = command.empty() ? "/bin/bash" : command;
  create.args = options.args.value_or(std::vector<std::string>{});
  if (!options.args && command.find_first_of(shell_characters) != std::string::npos) {
    create.program = "/bin/sh";
    create.args = {"-c", command};
  }
}

void set_remote(const TerminalOptions& options, const Persona* persona, Launch& launch) {
  static const Persona nobody{};
  const Persona& who = persona != nullptr ? *persona : nobody;
  const bool ssh = launch.create.kind == TerminalKind::ssh;
  const RemoteOptions remote = merge(options.remote, ssh ? who.ssh : who.telnet);
  launch.create.options = (ssh ? ssh_options(remote, options.command) : telnet_options(remote))
                              .dump(-1, ' ', false, Json::error_handler_t::replace);
  if (ssh && remote.password_env) {
    launch.secrets.push_back({"password", *remote.password_env});
  }
  if (ssh && remote.passphrase_env) {
    launch.secrets.push_back({"passphrase", *remote.passphrase_env});
  }
}

void set_local(const Scenario& scenario, const TerminalOptions& options,
               protocol::request::Create& create) {
  set_program(options, create);
  create.env = options.env;
  create.env.insert(scenario.defaults.env.begin(), scenario.defaults.env.end());
  create.integrate = first(options.integrate, scenario.defaults.integrate).value_or(false);
}

}  // namespace

Launch make_launch(const Scenario& scenario, const Participant& participant,
                   const Persona* persona) {
  const TerminalOptions& options = participant.options;
  const TerminalOptions& defaults = scenario.defaults;
  Launch launch;
  launch.name = participant.name;
  launch.role = participant.role.value_or("");
  launch.persona = participant.persona.value_or("");
  launch.line = participant.line;
  launch.ready = participant.ready;
  launch.ready_line = participant.ready_line;
  launch.steps = participant.steps;
  protocol::request::Create& create = launch.create;
  create.kind = options.kind.value_or(TerminalKind::pty);
  create.title = participant.title.value_or(participant.name);
  create.group_id = group_of(scenario.name);
  create.label = participant.label;
  create.profile = participant.persona;
  create.is_protected = participant.is_protected;
  create.cols = first(options.cols, defaults.cols).value_or(default_cols);
  create.rows = first(options.rows, defaults.rows).value_or(default_rows);
  create.cwd = first(options.cwd, defaults.cwd).value_or(scenario.place.directory);
  create.redact = first(options.redact, defaults.redact);
  const RecordingChoice recording =
      first(options.recording, defaults.recording).value_or(RecordingChoice{});
  if (recording.on) {
    create.recording = protocol::RecordingTarget{recording.path};
  }
  if (create.kind == TerminalKind::pty) {
    set_local(scenario, options, create);
  } else {
    set_remote(options, persona, launch);
  }
  return launch;
}

}  // namespace troupe::scenario
