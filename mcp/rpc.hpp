// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// JSON-RPC 2.0 messages, and which era of MCP one belongs to. Both eras share stdio: the legacy
/// one (2024-11-05 … 2025-11-25) opens with `initialize`, the modern one (2026-07-28) is stateless
/// and names its version in every request.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::mcp {

using Json = nlohmann::ordered_json;

namespace rpc_code {
inline constexpr int invalid_request = -32600;
inline constexpr int method_not_found = -32601;
inline constexpr int invalid_params = -32602;
inline constexpr int internal_error = -32603;
inline constexpr int unsupported_version = -32022;
}  // namespace rpc_code

inline constexpr std::string_view modern_version = "2026-07-28";
inline constexpr std::string_view newest_legacy_version = "2025-11-25";

/// What a message of MCP never comes near; what is nested deeper would exhaust the stack of those
/// who walk it.
inline constexpr int max_nesting = 64;

/// Whether arrays and objects of a line of JSON nest deeper than `max_nesting`. Looks at brackets
/// outside of strings only, so that no tree is built of what will be refused.
bool nests_too_deeply(std::string_view line);
/// What can be the id of a request: a string or a number.
bool is_id(const Json& value);
/// Such a value as JSON text; absent for what cannot be the id of a request or the token of
/// its progress.
std::optional<std::string> id_text(const Json& value);
/// The object under `key`, or an empty one.
const Json& object_or_empty(const Json& message, const char* key);
/// On one line; what is not UTF-8 is replaced.
std::string dump(const Json& value);
/// One line as JSON-RPC result, error or notification, without the LF.
std::string encode_result(const Json& id, const Json& result);
std::string encode_error(const Json& id, int code, std::string_view message);
std::string encode_error(const Json& id, int code, std::string_view message, const Json& data);
std::string encode_notification(std::string_view method, const Json& params);

enum class Era : std::uint8_t { legacy, modern };

/// Why a request is refused before anything looks at its method.
struct Refusal {
  int code = 0;
  std::string message;
  std::string requested;  ///< of `unsupported_version`
};

/// Follows a connection's era.
///
/// Invariants: the first request decides where it can: one that claims a version is modern, any
/// other is legacy, also without `initialize`. A modern connection refuses legacy requests.
class EraGuard {
 public:
  /// What to do with a request; `era()` is the one to answer it in.
  std::optional<Refusal> admit(std::string_view method, const Json& params);
  [[nodiscard]] Era era() const { return era_; }

 private:
  std::optional<Refusal> admit_modern(std::string_view method, const Json& meta);

  Era era_ = Era::legacy;
  bool decided_ = false;
};

/// The version that `initialize` answers: the asked one where it is known, else the newest legacy.
std::string_view negotiate_version(std::string_view requested);

}  // namespace troupe::mcp
