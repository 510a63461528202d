// SPDX-License-Identifier: MIT
// `options`, `defaults`, and how other machines are reached.
#include <array>

#include "scenario/readers.hpp"

namespace troupe::scenario {
namespace {

constexpr std::int64_t max_size = 65'535;
constexpr std::int64_t max_port = 65'535;
constexpr std::int64_t max_connect_timeout_s = 300;
constexpr std::int64_t max_keepalive_s = 86'400;

template <class Narrow>
std::optional<Narrow> narrow(std::optional<std::int64_t> value) {
  return value ? std::optional<Narrow>{static_cast<Narrow>(*value)} : std::nullopt;
}

std::optional<std::string> path(Fields& fields, const std::string& key, const Place& place) {
  const std::optional<std::string> given = fields.text(key);
  if (given && given->empty()) {
    fields.refuse(key, "must not be empty");
    return std::nullopt;
  }
  return given ? std::optional<std::string>{resolve_path(place, *given)} : std::nullopt;
}

std::optional<RecordingChoice> read_recording(Fields& fields, const Place& place) {
  const Node* const node = fields.find("recording");
  if (node == nullptr) {
    return std::nullopt;
  }
  if (node->kind != Node::Kind::map) {
    const std::optional<bool> on = fields.boolean("recording");
    return on ? std::optional<RecordingChoice>{{*on, {}}} : std::nullopt;
  }
  Fields inner(*node, fields.full_name("recording"), fields.problems());
  RecordingChoice choice{true, path(inner, "path", place)};
  inner.finish();
  return choice;
}

void read_shared(Fields& fields, const Place& place, TerminalOptions& options) {
  options.cwd = path(fields, "cwd", place);
  options.env = fields.text_map("env");
  options.cols = narrow<std::uint16_t>(fields.integer("cols", 1, max_size));
  options.rows = narrow<std::uint16_t>(fields.integer("rows", 1, max_size));
  options.recording = read_recording(fields, place);
  options.integrate = fields.boolean("integrate");
  if (const std::optional<std::string> redact = fields.text("redact")) {
    options.redact = protocol::from_text<protocol::Redaction>(*redact);
    if (!options.redact) {
      fields.refuse("redact", "must be off, passwords or all");
    }
  }
}

void read_command(Fields& fields, TerminalOptions& options) {
  const Node* const node = fields.find("command");
  if (node == nullptr) {
    return;
  }
  if (node->kind != Node::Kind::sequence) {
    options.command = fields.as_text("command", *node);
    return;
  }
  options.command_words = fields.texts("command").value_or(std::vector<std::string>{});
  if (options.command_words.empty() || options.command_words[0].empty()) {
    fields.refuse("command", "must name a program first");
  }
  if (options.args) {
    fields.refuse("args", "and a list in command say the same; use one");
  }
}

/// What only makes sense over a network. Ignoring it on a PTY would start here what was meant for
/// another machine; a port alone is what existing files have there.
void check_local(Fields& fields, Problems& notes) {
  for (const char* const key :
       {"host", "user", "key_path", "known_hosts", "insecure_no_host_check", "use_ssh_config",
        "use_agent", "term", "encoding", "connect_timeout_s", "keepalive_s", "password_env",
        "passphrase_env"}) {
    if (fields.has(key)) {
      fields.refuse(key, "has no meaning for a pty; is connector_type: ssh missing?");
    }
  }
  if (fields.has("port")) {
    notes.add(fields.line_of("port"), fields.full_name("port") + " has no meaning for a pty");
  }
}

void check_remote(Fields& fields, protocol::TerminalKind kind) {
  for (const char* const key : {"args", "cwd", "env", "integrate"}) {
    if (fields.has(key)) {
      fields.refuse(key, "has a meaning only for a pty");
    }
  }
  if (const Node* const command = fields.find("command");
      command != nullptr && command->kind == Node::Kind::sequence) {
    fields.refuse("command", "of another machine is one text, for the shell there");
  }
  if (kind != protocol::TerminalKind::telnet) {
    return;
  }
  for (const char* const key :
       {"command", "user", "key_path", "known_hosts", "insecure_no_host_check", "use_ssh_config",
        "use_agent", "term", "keepalive_s", "password_env", "passphrase_env"}) {
    if (fields.has(key)) {
      fields.refuse(key, "has no meaning for telnet");
    }
  }
}

}  // namespace

RemoteOptions read_remote(Fields& fields, const Place& place) {
  RemoteOptions remote;
  remote.host = fields.text("host");
  if (remote.host && remote.host->empty()) {
    fields.refuse("host", "must not be empty");
  }
  remote.port = narrow<std::uint16_t>(fields.integer("port", 1, max_port));
  remote.user = fields.text("user");
  remote.key_path = path(fields, "key_path", place);
  remote.known_hosts = path(fields, "known_hosts", place);
  remote.insecure_no_host_check = fields.boolean("insecure_no_host_check");
  remote.use_ssh_config = fields.boolean("use_ssh_config");
  remote.use_agent = fields.boolean("use_agent");
  remote.term = fields.text("term");
  remote.encoding = fields.text("encoding");
  if (remote.encoding && remote.encoding != "utf-8" && remote.encoding != "latin1" &&
      remote.encoding != "cp437") {
    fields.refuse("encoding", "must be utf-8, latin1 or cp437");
  }
  remote.connect_timeout_s =
      narrow<std::uint32_t>(fields.integer("connect_timeout_s", 1, max_connect_timeout_s));
  remote.keepalive_s = narrow<std::uint32_t>(fields.integer("keepalive_s", 0, max_keepalive_s));
  remote.password_env = fields.variable("password_env");
  remote.passphrase_env = fields.variable("passphrase_env");
  return remote;
}

TerminalOptions read_options(const Node& node, const Place& place, Problems& problems,
                             Problems& notes) {
  Fields fields(node, "options", problems);
  TerminalOptions options;
  bool kind_known = true;
  if (const std::optional<std::string> kind = fields.text("connector_type")) {
    options.kind = protocol::from_text<protocol::TerminalKind>(*kind);
    kind_known = options.kind.has_value();
    if (!kind_known) {
      fields.refuse("connector_type", "must be pty, ssh or telnet");
    }
  }
  options.args = fields.texts("args");
  read_command(fields, options);
  read_shared(fields, place, options);
  options.remote = read_remote(fields, place);
  const auto kind = options.kind.value_or(protocol::TerminalKind::pty);
  if (kind_known && kind == protocol::TerminalKind::pty) {
    check_local(fields, notes);
  } else if (kind_known) {
    check_remote(fields, kind);
  }
  fields.finish();
  return options;
}

TerminalOptions read_defaults(const Node& node, const Place& place, Problems& problems) {
  Fields fields(node, "defaults", problems);
  TerminalOptions options;
  read_shared(fields, place, options);
  fields.finish();
  return options;
}

}  // namespace troupe::scenario
