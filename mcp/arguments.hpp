// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A tool's arguments, read with types. The first wrong one is remembered and named; readers then
/// return their defaults, so that a handler checks once.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/text_read.hpp"
#include "mcp/rpc.hpp"

namespace troupe::mcp {

/// Borrows the arguments object. Null counts as absent. Unknown names are refused by `check`.
class Arguments {
 public:
  explicit Arguments(const Json& object) : object_(object) {}

  std::string text(const char* name, std::string fallback = {});
  std::optional<std::string> optional_text(const char* name);
  bool flag(const char* name, bool fallback = false);
  /// A number without a fraction, as JSON Schema has it: 80.0 is one.
  std::optional<std::int64_t> integer(const char* name, std::int64_t floor, std::int64_t ceiling);
  std::int64_t integer(const char* name, std::int64_t floor, std::int64_t ceiling,
                       std::int64_t fallback);
  /// Seconds, fractions allowed, as milliseconds; 0 … 24 h.
  std::int64_t seconds(const char* name, double fallback);
  std::vector<std::string> texts(const char* name);
  std::vector<std::pair<std::string, std::string>> pairs(const char* name);
  /// `instance_id`: 12 hex digits.
  TerminalId terminal();
  /// A cursor: {"seq","col","epoch"?}, "now" or "oldest".
  std::optional<CursorSpec> cursor(const char* name);
  [[nodiscard]] bool has(const char* name) const;
  /// Refuses where one of these names is absent; `names` is a schema's `required`.
  void require(const Json& names);
  void refuse(std::string message);

  /// The first fault, if any; also an argument that no reader asked for.
  [[nodiscard]] std::optional<Error> fault() const;

 private:
  const Json* find(const char* name);

  const Json& object_;
  std::vector<std::string> asked_;
  std::optional<Error> fault_;
};

/// 12 lower-case hex digits, and back.
std::string instance_id(TerminalId id);
std::optional<TerminalId> parse_instance_id(std::string_view text);
/// The daemon's messages begin with a terminal's number where they are about one; here it is named
/// as the caller knows it.
std::string with_instance_id(std::string message);

}  // namespace troupe::mcp
