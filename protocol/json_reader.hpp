// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Parses a control payload into a small tree. Not nlohmann's own tree, because the wire must see
/// duplicate keys, tell 1 from 1.0, and never grow beyond a bound on a peer's word.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

struct JsonMember;
struct JsonValue;
using JsonArray = std::vector<JsonValue>;
using JsonObject = std::vector<JsonMember>;

/// Negative integers are `std::int64_t`, all others `std::uint64_t`; what is written with a point
/// or an exponent, or does not fit, is a `double`.
struct JsonValue {
  std::variant<std::monostate, bool, std::uint64_t, std::int64_t, double, std::string, JsonArray,
               JsonObject>
      data;

  [[nodiscard]] bool is_null() const { return data.index() == 0; }
  template <class T>
  [[nodiscard]] const T* as() const {
    return std::get_if<T>(&data);
  }
  template <class T>
  [[nodiscard]] T* as() {
    return std::get_if<T>(&data);
  }
};

struct JsonMember {
  std::string key;
  JsonValue value;
};

/// The member's value, or null where there is none.
const JsonValue* find(const JsonObject& object, std::string_view key);
JsonValue* find(JsonObject& object, std::string_view key);

struct JsonLimits {
  std::size_t depth = 0;   ///< nesting of stored and skipped containers alike
  std::size_t values = 0;  ///< stored values
  /// Whether the member `key` of a container at `depth` (1: the root object) is kept. What is not
  /// kept is checked for syntax and costs no memory. Null keeps everything.
  bool (*keep)(std::size_t depth, std::string_view key) = nullptr;
};

struct JsonDocument {
  JsonValue root;
  /// A key that an object holds twice, and the depth of that object.
  std::optional<std::string> duplicate_key;
  std::size_t duplicate_depth = 0;
};

/// Nothing where `text` is not one JSON value in valid UTF-8 with optional white space around it,
/// or exceeds a limit.
///
/// Bounds: no recursion over the input; at most `limits.values` values are held.
std::optional<JsonDocument> parse_json(std::string_view text, const JsonLimits& limits);

/// `text` with U+FFFD for each escape that is half of a surrogate pair; nothing where it has none.
std::optional<std::string> replace_lone_surrogates(std::string_view text);

/// The value as compact JSON text.
std::string to_json(const JsonValue& value);

}  // namespace troupe::protocol
