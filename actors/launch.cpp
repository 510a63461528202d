// SPDX-License-Identifier: MIT
#include "actors/launch.hpp"

#include <utility>

namespace troupe::actors {

bool is_remote(const Launch& launch) {
  return !std::holds_alternative<pty::LaunchSpec>(launch);
}

protocol::TerminalKind kind_of(const Launch& launch) {
  if (std::holds_alternative<SshLaunch>(launch)) {
    return protocol::TerminalKind::ssh;
  }
  return std::holds_alternative<TelnetLaunch>(launch) ? protocol::TerminalKind::telnet
                                                      : protocol::TerminalKind::pty;
}

void set_size(Launch& launch, pty::WindowSize size) {
  std::visit([&](auto& how) { how.size = size; }, launch);
}

std::vector<std::string> command_of(const Launch& launch) {
  if (const auto* const ssh = std::get_if<SshLaunch>(&launch)) {
    return {"ssh", remote::describe(ssh->options)};
  }
  if (const auto* const telnet = std::get_if<TelnetLaunch>(&launch)) {
    return {"telnet", remote::describe(telnet->options)};
  }
  const auto& local = std::get<pty::LaunchSpec>(launch);
  std::vector<std::string> command{local.program};
  command.insert(command.end(), local.args.begin(), local.args.end());
  return command;
}

std::vector<Secret> take_secrets(Launch& launch) {
  std::vector<Secret> secrets;
  if (auto* const ssh = std::get_if<SshLaunch>(&launch)) {
    for (std::string* const secret : {&ssh->options.password, &ssh->options.passphrase}) {
      if (!secret->empty()) {
        secrets.emplace_back(*secret);
        wipe(*secret);
      }
    }
  }
  return secrets;
}

}  // namespace troupe::actors
