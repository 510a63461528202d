// SPDX-License-Identifier: MIT
#include "mcp/launch_arguments.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/octowright_vectors.hpp"

using namespace troupe;
using mcp::Arguments;
using mcp::launch_request;
using nlohmann::json;

namespace {

/// The request as the vectors write a connector's configuration.
json as_vector(const protocol::request::Create& create) {
  if (create.kind == protocol::TerminalKind::pty) {
    CHECK(create.args.empty());
    CHECK(create.options.empty());
    return {{"command", create.program}, {"cols", create.cols}, {"rows", create.rows}};
  }
  return json::parse(create.options);
}

/// The seed's spelling of a configuration in this service's: other names for two keys (it takes
/// both), no default port (the daemon has it) and no overlay (there is none).
json as_ours(const std::string& kind, json config, const json& given) {
  for (const auto& [theirs, ours] :
       {std::pair{"username", "user"}, std::pair{"client_key", "key_path"}}) {
    if (config.contains(theirs)) {
      config[ours] = config[theirs];
      config.erase(theirs);
    }
  }
  if (!given.contains("port")) {
    CHECK((kind == "pty" || config["port"] == (kind == "ssh" ? 22 : 23)));
    config.erase("port");
  }
  config.erase("hub_overlay");
  return config;
}

protocol::request::Create launch(const std::string& text) {
  const mcp::Json given = mcp::Json::parse(text);
  Arguments arguments(given);
  auto create = launch_request(arguments);
  REQUIRE_FALSE(arguments.fault());
  return create;
}

std::string fault_of(const std::string& text) {
  const mcp::Json given = mcp::Json::parse(text);
  Arguments arguments(given);
  (void)launch_request(arguments);
  const auto fault = arguments.fault();
  return fault ? fault->message : "";
}

}  // namespace

TEST_CASE("launch_arguments: each call of the vectors gives the seed's configuration") {
  const json& rows = testing::octowright_vectors("args");
  REQUIRE(rows.size() == 9);
  for (const json& row : rows) {
    const std::string kind = row.at("kind");
    json given = row.at("in");
    given["kind"] = kind;
    CAPTURE(given.dump());
    const protocol::request::Create create = launch(given.dump());
    CHECK(protocol::to_text(create.kind) == kind);
    CHECK(as_vector(create) == as_ours(kind, row.at("config"), given));
    if (kind == "telnet" && given.contains("cols")) {
      CHECK(create.cols == given.at("cols"));  // there it is ignored
      CHECK(create.rows == given.at("rows"));
    }
  }
}

TEST_CASE("launch_arguments: what a recording masks is one of three words") {
  CHECK_FALSE(launch("{}").redact);
  CHECK(launch(R"({"redact":"off"})").redact == protocol::Redaction::off);
  CHECK(launch(R"({"redact":"passwords"})").redact == protocol::Redaction::passwords);
  CHECK(launch(R"({"redact":"all"})").redact == protocol::Redaction::all);
  CHECK(fault_of(R"({"redact":"some"})").find("off, passwords or all") != std::string::npos);
  CHECK_FALSE(fault_of(R"({"redact":true})").empty());
}

TEST_CASE("launch_arguments: a kind that is none and an unknown argument are refused") {
  CHECK(fault_of(R"({"kind":"carrier-pigeon"})").find("pty, ssh or telnet") != std::string::npos);
  CHECK(fault_of(R"({"pasword":"x"})").find("pasword") != std::string::npos);
}

TEST_CASE("launch_arguments: a working directory that is none is refused") {
  CHECK(launch(R"({"cwd":"/"})").cwd == "/");
  CHECK(launch(R"({"cwd":""})").cwd == launch("{}").cwd);
  CHECK(std::filesystem::path(launch(R"({"cwd":"."})").cwd).is_absolute());
  for (const char* cwd : {"/no/such/directory", "/dev/null", "~"}) {
    CAPTURE(cwd);
    CHECK(fault_of(mcp::Json{{"cwd", cwd}}.dump()) ==
          std::string("cwd is not a directory that can be entered: ") + cwd);
  }
  CHECK(fault_of(R"({"cwd":7})") == "cwd must be a string");
}
