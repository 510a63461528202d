// SPDX-License-Identifier: MIT
#include "remote/options.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/support/octowright_vectors.hpp"

using troupe::remote::parse_ssh_options;
using troupe::remote::parse_telnet_options;

TEST_CASE("options: the seed's connector configurations are understood") {
  const auto& vectors = troupe::testing::octowright_vectors("args");
  REQUIRE(vectors.size() == 9);
  for (const auto& row : vectors) {
    const auto& config = row["config"];
    CAPTURE(config.dump());
    if (row["kind"] == "pty") {
      continue;  // has no connection
    }
    if (row["kind"] == "telnet") {
      const auto parsed = parse_telnet_options(config.dump());
      REQUIRE(parsed.ok());
      CHECK(parsed->host == config["host"]);
      CHECK(parsed->port == config["port"]);
    } else if (config.contains("host")) {
      const auto parsed = parse_ssh_options(config.dump());
      REQUIRE(parsed.ok());
      CHECK(parsed->host == config["host"]);
      CHECK(parsed->user == config["username"]);
      CHECK(parsed->port == config["port"]);
      CHECK(parsed->password == config.value("password", ""));
      CHECK(parsed->known_hosts == config.value("known_hosts", ""));
      CHECK(parsed->key_path == config.value("client_key", ""));
      CHECK(parsed->insecure_no_host_check == config.value("insecure_no_host_check", false));
    } else {
      CHECK_FALSE(parse_ssh_options(config.dump()).ok());
    }
  }
}

TEST_CASE("options: ssh without known_hosts fails closed and says what to do") {
  const auto parsed = parse_ssh_options(R"({"host":"h","password":"s3cret"})");
  REQUIRE_FALSE(parsed.ok());
  CHECK(parsed.error().message.find("known_hosts") != std::string::npos);
  CHECK(parsed.error().message.find("insecure_no_host_check") != std::string::npos);
  CHECK(parsed.error().message.find("s3cret") == std::string::npos);
}

TEST_CASE("options: a text instead of a boolean never weakens the host check") {
  CHECK_FALSE(parse_ssh_options(R"({"host":"h","insecure_no_host_check":"false"})").ok());
  CHECK_FALSE(parse_ssh_options(R"({"host":"h","insecure_no_host_check":1})").ok());
}

TEST_CASE("options: unknown keys are named and wrong values are refused") {
  const auto unknown = parse_ssh_options(R"({"host":"h","known_hosts":"/k","knownhosts":"x"})");
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().message == "unknown ssh connector_config keys: ['knownhosts']");
  for (const char* text : {"", "[]", "null", R"({"host":5})", R"({"host":"h","port":0})",
                           R"({"host":"h","port":70000})", R"({"host":"h","port":true})",
                           R"({"host":"h","encoding":"ebcdic"})", R"({"port":23})"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_telnet_options(text).ok());
  }
}
