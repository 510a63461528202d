// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "mcp/tools.hpp"

using troupe::mcp::find_tool;
using troupe::mcp::Json;
using troupe::mcp::tool_list;

TEST_CASE("catalogue: every tool has a handler and complete schemas") {
  std::set<std::string> names;
  for (const Json& tool : tool_list()) {
    const std::string name = tool["name"];
    CAPTURE(name);
    CHECK(names.insert(name).second);
    CHECK((find_tool(name) != nullptr));
    const Json& input = tool["inputSchema"];
    const Json& output = tool["outputSchema"];
    CHECK(input["type"] == "object");
    CHECK(output["type"] == "object");
    for (const Json& required : input["required"]) {
      CHECK(input["properties"].contains(required.get<std::string>()));
    }
    REQUIRE(output["anyOf"].size() == 2);
    for (const Json& form : output["anyOf"]) {
      REQUIRE_FALSE(form["required"].empty());
      for (const Json& required : form["required"]) {
        CHECK(output["properties"].contains(required.get<std::string>()));
      }
    }
    CHECK(tool["inputSchema"]["additionalProperties"] == false);
    CHECK(tool["description"].get<std::string>().size() > 20);
    CHECK(tool["annotations"]["readOnlyHint"].is_boolean());
  }
  CHECK(names.size() == 15);
  CHECK((find_tool("terminal_nope") == nullptr));
}

TEST_CASE("catalogue: the seed's tools are there with its arguments") {
  const std::map<std::string, std::set<std::string>> seed = {
      {"terminal_launch",
       {"kind", "command", "host", "port", "user", "key_path", "password", "known_hosts",
        "insecure_no_host_check", "cols", "rows", "label", "profile", "protected"}},
      {"terminal_send_input", {"instance_id", "text", "password"}},
      {"terminal_snapshot", {"instance_id"}},
      {"terminal_read", {"instance_id"}},
      {"terminal_wait_for", {"instance_id", "prompt", "text", "timeout"}},
      {"terminal_close", {"instance_id", "force"}},
      {"terminal_list", {}}};
  for (const auto& [name, wanted] : seed) {
    CAPTURE(name);
    bool found = false;
    for (const Json& tool : tool_list()) {
      if (tool["name"] == name) {
        found = true;
        for (const std::string& argument : wanted) {
          CHECK(tool["inputSchema"]["properties"].contains(argument));
        }
      }
    }
    CHECK(found);
  }
}
