// SPDX-License-Identifier: MIT
#include "mcp/catalogue_words.hpp"

#include <nlohmann/json.hpp>

namespace troupe::mcp::catalogue {
namespace {

Json property(const char* type, const char* what) {
  return {{"type", type}, {"description", what}};
}

/// A result is what the tool gives, or the one shape of errors: clients check both against this.
Json output_schema(Json success) {
  const Json required = success["required"];
  success.erase("required");
  success["properties"]["ok"] = flag("False where the tool failed");
  success["properties"]["error"] = object(
      {{"code", text("Kind of error")}, {"message", text("What went wrong")}}, {"code", "message"});
  success["anyOf"] = Json::array({{{"required", required}}, {{"required", {"ok", "error"}}}});
  return success;
}

}  // namespace

Json text(const char* what) {
  return property("string", what);
}

Json number(const char* what) {
  return property("number", what);
}

Json integer(const char* what) {
  return property("integer", what);
}

Json flag(const char* what) {
  return property("boolean", what);
}

Json texts(const char* what) {
  return {{"type", "array"}, {"items", {{"type", "string"}}}, {"description", what}};
}

Json either_null(const char* type, const char* what) {
  return {{"type", {type, "null"}}, {"description", what}};
}

Json object(const Json& properties, const Json& required) {
  return {{"type", "object"}, {"properties", properties}, {"required", required}};
}

Json input_schema(const Json& properties, const Json& required) {
  Json schema = object(properties, required);
  schema["additionalProperties"] = false;
  return schema;
}

Json id() {
  return text("The terminal, as terminal_launch or terminal_list named it (12 hex digits)");
}

Json cursor_in(const char* what) {
  return {{"description", what},
          {"anyOf", Json::array({object({{"seq", integer("row number")},
                                         {"col", integer("column")},
                                         {"epoch", integer("numbering the row belongs to")}},
                                        {"seq", "col"}),
                                 {{"type", "string"}, {"enum", {"now", "oldest"}}}})}};
}

Json cursor_out(const char* what) {
  Json schema = object({{"seq", integer("row number")},
                        {"col", integer("column")},
                        {"epoch", integer("numbering the row belongs to")}},
                       {"seq", "col", "epoch"});
  schema["description"] = what;
  return schema;
}

Json caps(Json properties) {
  properties["max_lines"] = integer("Lines of text in the result at most (200)");
  properties["max_bytes"] = integer("Bytes of text in the result at most (32768)");
  return properties;
}

Json cut(Json properties) {
  properties["cut"] = flag("The middle of the text was left out");
  properties["omitted_lines"] = integer("Lines left out");
  properties["omitted_bytes"] = integer("Bytes left out");
  return properties;
}

Json lifecycle(Json properties) {
  properties["state"] = text("running, exited or failed");
  properties["exit_code"] = either_null("integer", "Exit code; 128+n for a death by signal n");
  properties["failure"] = text("What failed");
  return properties;
}

Json tool(const Description& about, const Json& input, const Json& output) {
  return {{"name", about.name},
          {"title", about.title},
          {"description", about.what},
          {"inputSchema", input},
          {"outputSchema", output_schema(output)},
          {"annotations",
           {{"title", about.title},
            {"readOnlyHint", about.effects.read_only},
            {"destructiveHint", about.effects.destructive},
            {"idempotentHint", about.effects.idempotent},
            {"openWorldHint", about.effects.open_world}}}};
}

}  // namespace troupe::mcp::catalogue
