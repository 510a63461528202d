// SPDX-License-Identifier: MIT
#include "mcp/arguments.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace troupe::mcp {
namespace {

constexpr double day_s = 86'400;

/// Numbers from which on doubles skip whole ones are none.
std::optional<std::int64_t> whole_number(const Json& value) {
  static constexpr double most = 9'007'199'254'740'992;
  if (value.is_number_float()) {
    const auto given = value.get<double>();
    return std::trunc(given) == given && std::abs(given) <= most
               ? std::optional(static_cast<std::int64_t>(given))
               : std::nullopt;
  }
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX)) {
    return std::nullopt;
  }
  return value.get<std::int64_t>();
}

}  // namespace

const Json* Arguments::find(const char* name) {
  asked_.emplace_back(name);
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

bool Arguments::has(const char* name) const {
  const auto found = object_.find(name);
  return found != object_.end() && !found->is_null();
}

void Arguments::require(const Json& names) {
  for (const Json& name : names) {
    const auto& text = name.get_ref<const std::string&>();
    if (!has(text.c_str())) {
      refuse(text + " is required");
    }
  }
}

void Arguments::refuse(std::string message) {
  if (!fault_) {
    fault_ = Error{Code::bad_request, std::move(message)};
  }
}

std::optional<std::string> Arguments::optional_text(const char* name) {
  const Json* value = find(name);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_string()) {
    refuse(std::string(name) + " must be a string");
    return std::nullopt;
  }
  return value->get<std::string>();
}

std::string Arguments::text(const char* name, std::string fallback) {
  return optional_text(name).value_or(std::move(fallback));
}

bool Arguments::flag(const char* name, bool fallback) {
  const Json* value = find(name);
  if (value == nullptr) {
    return fallback;
  }
  if (!value->is_boolean()) {
    refuse(std::string(name) + " must be true or false");
    return fallback;
  }
  return value->get<bool>();
}

std::optional<std::int64_t> Arguments::integer(const char* name, std::int64_t floor,
                                               std::int64_t ceiling) {
  const Json* value = find(name);
  if (value == nullptr) {
    return std::nullopt;
  }
  const auto whole = whole_number(*value);
  if (!whole || *whole < floor || *whole > ceiling) {
    refuse(std::string(name) + " must be a whole number from " + std::to_string(floor) + " to " +
           std::to_string(ceiling));
    return std::nullopt;
  }
  return *whole;
}

std::int64_t Arguments::integer(const char* name, std::int64_t floor, std::int64_t ceiling,
                                std::int64_t fallback) {
  return integer(name, floor, ceiling).value_or(fallback);
}

std::int64_t Arguments::seconds(const char* name, double fallback) {
  const Json* value = find(name);
  double given = fallback;
  if (value != nullptr) {
    given = value->is_number() ? value->get<double>() : -1;
    if (!(given >= 0 && given <= day_s)) {
      refuse(std::string(name) + " must be a number of seconds from 0 to 86400");
      given = fallback;
    }
  }
  return std::llround(given * 1000);
}

std::vector<std::string> Arguments::texts(const char* name) {
  const Json* value = find(name);
  std::vector<std::string> out;
  if (value == nullptr) {
    return out;
  }
  if (!value->is_array() || !std::all_of(value->begin(), value->end(),
                                         [](const Json& item) { return item.is_string(); })) {
    refuse(std::string(name) + " must be a list of strings");
    return out;
  }
  for (const Json& item : *value) {
    out.push_back(item.get<std::string>());
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> Arguments::pairs(const char* name) {
  const Json* value = find(name);
  std::vector<std::pair<std::string, std::string>> out;
  if (value == nullptr) {
    return out;
  }
  if (!value->is_object()) {
    refuse(std::string(name) + " must be an object of strings");
    return out;
  }
  for (const auto& [key, item] : value->items()) {
    if (!item.is_string()) {
      refuse(std::string(name) + " must be an object of strings");
      return {};
    }
    out.emplace_back(key, item.get<std::string>());
  }
  return out;
}

TerminalId Arguments::terminal() {
  const std::string text = this->text("instance_id");
  const auto id = parse_instance_id(text);
  if (!id) {
    refuse("instance_id must be the 12 hex digits that terminal_launch or terminal_list gave");
    return {};
  }
  return *id;
}

std::optional<CursorSpec> Arguments::cursor(const char* name) {
  const Json* value = find(name);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (*value == "now") {
    return CursorNow{};
  }
  if (*value == "oldest") {
    return CursorOldest{};
  }
  const auto number = [&](const char* key) -> std::optional<std::uint64_t> {
    const auto found = value->is_object() ? value->find(key) : value->end();
    const auto whole = found != value->end() ? whole_number(*found) : std::nullopt;
    return whole && *whole >= 0 ? std::optional(static_cast<std::uint64_t>(*whole)) : std::nullopt;
  };
  const auto seq = number("seq");
  const auto col = number("col");
  if (!seq || !col || *col > UINT32_MAX || number("epoch").value_or(0) > UINT32_MAX) {
    refuse(std::string(name) + " must be a cursor of an earlier result, \"now\" or \"oldest\"");
    return std::nullopt;
  }
  CursorAt at{*seq, static_cast<std::uint32_t>(*col), std::nullopt};
  if (const auto epoch = number("epoch")) {
    at.epoch = static_cast<std::uint32_t>(*epoch);
  }
  return at;
}

std::optional<Error> Arguments::fault() const {
  if (fault_) {
    return fault_;
  }
  for (const auto& [name, value] : object_.items()) {
    if (std::find(asked_.begin(), asked_.end(), name) == asked_.end()) {
      return Error{Code::bad_request, "unknown argument " + name.substr(0, 64)};
    }
  }
  return std::nullopt;
}

std::string instance_id(TerminalId id) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%012llx", static_cast<unsigned long long>(id.value));
  return text.data();
}

std::optional<TerminalId> parse_instance_id(std::string_view text) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.size() != 12 || parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size() ||
      value == 0) {
    return std::nullopt;
  }
  return TerminalId{value};
}

std::string with_instance_id(std::string message) {
  static constexpr std::string_view before = "terminal ";
  static constexpr std::uint64_t ids = std::uint64_t{1} << 48U;
  if (!message.starts_with(before)) {
    return message;
  }
  std::uint64_t number = 0;
  const char* const begin = message.data() + before.size();
  const auto parsed = std::from_chars(begin, message.data() + message.size(), number);
  if (parsed.ec == std::errc{} && number < ids) {
    message.replace(before.size(), static_cast<std::size_t>(parsed.ptr - begin),
                    instance_id(TerminalId{number}));
  }
  return message;
}

}  // namespace troupe::mcp
