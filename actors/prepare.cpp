// SPDX-License-Identifier: MIT
#include "actors/prepare.hpp"

#include <algorithm>
#include <utility>

#include "base/random.hpp"
#include "base/secret.hpp"
#include "shell/launch_plan.hpp"

namespace troupe::actors {

namespace request = protocol::request;

namespace {

constexpr std::size_t nonce_bytes = 16;

Result<> check(const request::Create& create, const Settings& settings) {
  if (create.integrate && settings.integration_dir.empty()) {
    return Error{Code::unsupported, "this daemon has no shell integration"};
  }
  if (create.integrate && create.kind != protocol::TerminalKind::pty) {
    return Error{Code::bad_request, "only a local shell can be integrated"};
  }
  if (std::uint32_t{std::max<std::uint16_t>(create.cols, 2)} * create.rows > terminal::max_cells) {
    return Error{Code::too_large,
                 "a terminal has at most " + std::to_string(terminal::max_cells) + " cells"};
  }
  return success();
}

/// The child's variables that are the daemon's to set.
pty::Environment extra_of(const request::Create& create, const Settings& settings,
                          const std::string& nonce) {
  pty::Environment extra;
  if (settings.terminal.journal) {
    extra["TROUPE_NONCE"] = nonce;
  }
  if (!settings.agent_path.empty() && create.env.count("SSH_AUTH_SOCK") == 0) {
    extra["SSH_AUTH_SOCK"] = settings.agent_path;
  }
  return extra;
}

Result<Launch> launch_of(request::Create& create, pty::Environment extra) {
  pty::WindowSize const size{create.cols, create.rows};
  if (create.kind == protocol::TerminalKind::pty) {
    return Launch{pty::LaunchSpec{std::move(create.program), std::move(create.args),
                                  std::move(create.cwd), std::move(create.env), std::move(extra),
                                  size}};
  }
  Result<Launch> launch = Error{Code::internal, ""};
  if (create.options.empty()) {
    create.options = "{}";
  }
  if (create.kind == protocol::TerminalKind::ssh) {
    Result<remote::SshOptions> options = remote::parse_ssh_options(create.options);
    launch = options ? Result<Launch>{SshLaunch{std::move(*options), size}} : options.error();
  } else {
    Result<remote::TelnetOptions> options = remote::parse_telnet_options(create.options);
    launch = options ? Result<Launch>{TelnetLaunch{std::move(*options), size}} : options.error();
  }
  wipe(create.options);  // passwords were in it
  return launch;
}

void integrate(pty::LaunchSpec& spec, const Settings& settings) {
  shell::LaunchPlan plan =
      shell::plan({spec.program, spec.args, pty::child_environment(settings.environment, spec)},
                  settings.integration_dir);
  spec.args = std::move(plan.args);
  for (auto& [name, value] : plan.env) {
    spec.extra.insert_or_assign(name, std::move(value));
  }
}

void describe(protocol::TerminalInfo& info, request::Create& create) {
  info.title = create.title;
  info.group_id = std::move(create.group_id);
  info.cwd = create.cwd;
  info.cols = create.cols;
  info.rows = create.rows;
  info.kind = create.kind;
  info.label = std::move(create.label);
  info.profile = std::move(create.profile);
  info.is_protected = create.is_protected;
}

}  // namespace

Result<Prepared> prepare(request::Create create, const Settings& settings, TerminalId id,
                         std::int64_t wall_ms) {
  if (Result<> checked = check(create, settings); !checked) {
    return checked.error();
  }
  Prepared prepared;
  TerminalConfig& config = prepared.config;
  config.info.id = id;
  config.info.created_ms = wall_ms;
  describe(config.info, create);
  config.drain_ms = create.drain_ms;
  config.options = settings.terminal;
  config.options.title = std::move(create.title);
  config.options.nonce = config.shell_nonce = random_hex(nonce_bytes);
  const bool wants_integration = create.integrate;
  std::optional<protocol::RecordingTarget> recording = std::move(create.recording);
  const std::optional<protocol::Redaction> redact = create.redact;
  pty::Environment extra = extra_of(create, settings, config.shell_nonce);
  Result<Launch> launch = launch_of(create, std::move(extra));
  if (!launch) {
    return launch.error();
  }
  config.info.command = command_of(*launch);
  if (wants_integration) {
    integrate(std::get<pty::LaunchSpec>(*launch), settings);
  }
  config.launch = *launch;
  config.secrets = take_secrets(config.launch);
  config.had_secrets = !config.secrets.empty();
  config.recording_settings = settings.recording;
  if (recording) {
    config.recording_wish = RecordingWish{std::move(*recording), redact};
    Result<RecordingPlan> plan =
        plan_recording(*config.recording_wish, settings.recording, config.info, wall_ms);
    if (!plan) {
      return plan.error();
    }
    config.info.recording = plan->path();
    config.recording = std::move(*plan);
  }
  prepared.launch = std::move(*launch);
  return prepared;
}

}  // namespace troupe::actors
