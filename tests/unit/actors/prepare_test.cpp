// SPDX-License-Identifier: MIT
#include "actors/prepare.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using namespace troupe;
using namespace troupe::actors;
namespace request = protocol::request;
using Words = std::vector<std::string>;

namespace {

request::Create bash() {
  request::Create create;
  create.program = "bash";
  create.args = {"-i"};
  return create;
}

Settings settings() {
  Settings settings;
  settings.integration_dir = "/run/me/shell-integration";
  settings.agent_path = "/run/me/agent.sock";
  settings.environment = {{"PATH", "/bin"}};
  return settings;
}

Result<Prepared> prepared(request::Create create) {
  return prepare(std::move(create), settings(), {7}, 1000);
}

request::Create remote_create(protocol::TerminalKind kind, std::string options) {
  request::Create create;
  create.kind = kind;
  create.options = std::move(options);
  return create;
}

}  // namespace

TEST_CASE("prepare: a local terminal gets its nonce and the agent's path") {
  const Result<Prepared> made = prepared(bash());
  REQUIRE(made);
  const auto& spec = std::get<pty::LaunchSpec>(made->launch);
  CHECK(spec.extra.at("TROUPE_NONCE") == made->config.options.nonce);
  CHECK(spec.extra.at("SSH_AUTH_SOCK") == "/run/me/agent.sock");
  CHECK(spec.args == Words{"-i"});
  CHECK(made->config.info.command == Words{"bash", "-i"});
  CHECK_FALSE(made->config.had_secrets);
}

TEST_CASE("prepare: an agent of the request's own stays") {
  request::Create create = bash();
  create.env["SSH_AUTH_SOCK"] = "/mine";
  const Result<Prepared> made = prepared(create);
  CHECK(std::get<pty::LaunchSpec>(made->launch).extra.count("SSH_AUTH_SOCK") == 0);
}

TEST_CASE("prepare: integration changes what is started and not what is shown") {  // A-14
  request::Create create = bash();
  create.integrate = true;
  const Result<Prepared> made = prepared(create);
  REQUIRE(made);
  const auto& spec = std::get<pty::LaunchSpec>(made->launch);
  REQUIRE(spec.args.size() >= 2);
  CHECK(spec.args[0] == "--rcfile");
  CHECK(spec.args[1].starts_with("/run/me/shell-integration/"));
  CHECK(made->config.info.command == Words{"bash", "-i"});
  CHECK(std::get<pty::LaunchSpec>(made->config.launch).args == spec.args);
}

TEST_CASE("prepare: integration is refused where it cannot be") {
  request::Create create = bash();
  create.integrate = true;
  CHECK(prepare(create, Settings{}, {7}, 0).error().code == Code::unsupported);
  create.kind = protocol::TerminalKind::telnet;
  create.options = R"({"host":"h"})";
  CHECK(prepared(create).error().code == Code::bad_request);
}

TEST_CASE("prepare: a password goes to the launch and is kept for masking only") {  // A-13
  const Result<Prepared> made =
      prepared(remote_create(protocol::TerminalKind::ssh,
                             R"({"host":"h","user":"u","password":"hunter2","passphrase":"sesame",)"
                             R"("insecure_no_host_check":true})"));
  REQUIRE(made);
  const auto& given = std::get<SshLaunch>(made->launch).options;
  CHECK(given.password == "hunter2");
  CHECK(given.passphrase == "sesame");
  const auto& kept = std::get<SshLaunch>(made->config.launch).options;
  CHECK(kept.password.empty());
  CHECK(kept.passphrase.empty());
  CHECK(made->config.had_secrets);
  REQUIRE(made->config.secrets.size() == 2);
  CHECK(made->config.secrets[0].view() == "hunter2");
  CHECK(made->config.secrets[1].view() == "sesame");
  CHECK(made->config.info.command == Words{"ssh", "u@h:22"});
  CHECK(made->config.info.kind == protocol::TerminalKind::ssh);
}

TEST_CASE("prepare: options that a kind does not know are refused") {
  CHECK(prepared(remote_create(protocol::TerminalKind::ssh, "")).error().code == Code::bad_request);
  CHECK(prepared(remote_create(protocol::TerminalKind::ssh, R"({"host":"h"})"))
            .error()
            .message.find("known_hosts") != std::string::npos);
  CHECK(prepared(remote_create(protocol::TerminalKind::telnet, R"({"hots":"h"})")).error().code ==
        Code::bad_request);
  const Result<Prepared> telnet =
      prepared(remote_create(protocol::TerminalKind::telnet, R"({"host":"h","port":2323})"));
  REQUIRE(telnet);
  CHECK(telnet->config.info.command == Words{"telnet", "h:2323"});
}

TEST_CASE("prepare: a screen of too many cells is refused before anything is opened") {
  request::Create create = bash();
  create.cols = 65'535;
  create.rows = 65'535;
  CHECK(prepared(create).error().code == Code::too_large);
}
