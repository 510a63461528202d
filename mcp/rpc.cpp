// SPDX-License-Identifier: MIT
#include "mcp/rpc.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace troupe::mcp {
namespace {

constexpr std::array<std::string_view, 5> legacy_versions = {
    newest_legacy_version, "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"};
constexpr const char* version_key = "io.modelcontextprotocol/protocolVersion";
constexpr const char* capabilities_key = "io.modelcontextprotocol/clientCapabilities";

}  // namespace

bool nests_too_deeply(std::string_view line) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (in_string && c == '\\') {
      ++at;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '[' || c == '{')) {
      if (++depth > max_nesting) {
        return true;
      }
    } else if (!in_string && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return false;
}

bool is_id(const Json& value) {
  return value.is_string() || value.is_number();
}

std::optional<std::string> id_text(const Json& value) {
  return is_id(value) ? std::optional(dump(value)) : std::nullopt;
}

const Json& object_or_empty(const Json& message, const char* key) {
  static const Json empty = Json::object();
  const auto found = message.find(key);
  return found != message.end() && found->is_object() ? *found : empty;
}

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string encode_result(const Json& id, const Json& result) {
  return dump({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
}

std::string encode_error(const Json& id, int code, std::string_view message) {
  return dump({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}});
}

std::string encode_error(const Json& id, int code, std::string_view message, const Json& data) {
  return dump({{"jsonrpc", "2.0"},
               {"id", id},
               {"error", {{"code", code}, {"message", message}, {"data", data}}}});
}

std::string encode_notification(std::string_view method, const Json& params) {
  return dump({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

std::optional<Refusal> EraGuard::admit(std::string_view method, const Json& params) {
  const auto meta = params.find("_meta");
  const bool claims = meta != params.end() && meta->is_object() && meta->contains(version_key);
  if (!decided_ && claims) {
    auto refusal = admit_modern(method, *meta);
    if (!refusal) {
      era_ = Era::modern;
      decided_ = true;
    }
    return refusal;
  }
  if (era_ == Era::modern) {
    static const Json none = Json::object();
    return admit_modern(method, claims ? *meta : none);
  }
  if (method == "server/discover") {
    return Refusal{
        rpc_code::method_not_found, "server/discover needs a protocol version in _meta", {}};
  }
  // A client may ask anything first; only what follows `initialize` is settled as legacy.
  decided_ = decided_ || method == "initialize";
  return std::nullopt;
}

std::optional<Refusal> EraGuard::admit_modern(std::string_view method, const Json& meta) {
  const auto version = meta.find(version_key);
  if (version == meta.end() || !version->is_string()) {
    return Refusal{rpc_code::invalid_params, "_meta lacks the protocol version", {}};
  }
  if (*version != modern_version) {
    return Refusal{rpc_code::unsupported_version, "unsupported protocol version",
                   version->get<std::string>()};
  }
  const auto capabilities = meta.find(capabilities_key);
  if (capabilities == meta.end() || !capabilities->is_object()) {
    return Refusal{rpc_code::invalid_params,
                   capabilities == meta.end() ? "_meta lacks the client's capabilities"
                                              : "the client's capabilities must be an object",
                   {}};
  }
  if (method == "ping" || method == "initialize" || method == "resources/subscribe" ||
      method == "resources/unsubscribe") {
    return Refusal{rpc_code::method_not_found, "not a method of this protocol version", {}};
  }
  return std::nullopt;
}

std::string_view negotiate_version(std::string_view requested) {
  const auto* known = std::find(legacy_versions.begin(), legacy_versions.end(), requested);
  return known == legacy_versions.end() ? newest_legacy_version : *known;
}

}  // namespace troupe::mcp
