// SPDX-License-Identifier: MIT
#include "protocol/request_values.hpp"

#include <limits>
#include <utility>

#include "base/signal_name.hpp"
#include "protocol/limits.hpp"

namespace troupe::protocol {
namespace {

constexpr Wanted wanted_cursor =
    "must be \"now\", \"oldest\" or an object with integers 'seq', 'col' and optionally 'epoch'";

/// An unsigned integer up to `most`; nothing for floats, negatives and everything else.
std::optional<std::uint64_t> unsigned_up_to(const JsonValue* value, std::uint64_t most) {
  const auto* number = value == nullptr ? nullptr : value->as<std::uint64_t>();
  return number != nullptr && *number <= most ? std::optional(*number) : std::nullopt;
}

template <class T>
std::optional<T> unsigned_as(const JsonValue* value) {
  const auto number = unsigned_up_to(value, std::numeric_limits<T>::max());
  return number ? std::optional<T>(static_cast<T>(*number)) : std::nullopt;
}

bool is_word(const JsonValue& value, std::string_view word) {
  const auto* text = value.as<std::string>();
  return text != nullptr && *text == word;
}

template <class Enum>
Wanted read_word(const JsonValue& value, Enum& out, Wanted wanted) {
  const auto* text = value.as<std::string>();
  const auto found = text == nullptr ? std::nullopt : from_text<Enum>(*text);
  if (!found) {
    return wanted;
  }
  out = *found;
  return was_read;
}

}  // namespace

Wanted read_value(JsonValue& value, std::string& out) {
  auto* text = value.as<std::string>();
  if (text == nullptr) {
    return "must be a string";
  }
  out = std::move(*text);
  return was_read;
}

Wanted read_value(JsonValue& value, bool& out) {
  const auto* flag = value.as<bool>();
  if (flag == nullptr) {
    return "must be true or false";
  }
  out = *flag;
  return was_read;
}

Wanted read_value(JsonValue& value, std::uint16_t& out) {
  const auto number = unsigned_as<std::uint16_t>(&value);
  if (!number) {
    return "must be an integer from 0 to 65535";
  }
  out = *number;
  return was_read;
}

Wanted read_value(JsonValue& value, std::uint64_t& out) {
  const auto* number = value.as<std::uint64_t>();
  if (number == nullptr) {
    return "must be an integer from 0 to 2^64-1";
  }
  out = *number;
  return was_read;
}

Wanted read_value(JsonValue& value, std::int64_t& out) {
  const auto number = unsigned_up_to(&value, static_cast<std::uint64_t>(max_timeout_ms));
  if (!number) {
    return "must be an integer from 0 to 86400000";
  }
  out = static_cast<std::int64_t>(*number);
  return was_read;
}

Wanted read_value(JsonValue& value, TerminalId& out) {
  return read_value(value, out.value);
}

Wanted read_value(JsonValue& value, std::vector<std::string>& out) {
  constexpr Wanted wanted = "must be an array of strings";
  auto* array = value.as<JsonArray>();
  if (array == nullptr) {
    return wanted;
  }
  out.reserve(array->size());
  for (JsonValue& element : *array) {
    if (!read_value(element, out.emplace_back()).empty()) {
      return wanted;
    }
  }
  return was_read;
}

Wanted read_value(JsonValue& value, std::map<std::string, std::string>& out) {
  constexpr Wanted wanted = "must be an object of strings";
  auto* object = value.as<JsonObject>();
  if (object == nullptr) {
    return wanted;
  }
  for (JsonMember& member : *object) {
    if (!read_value(member.value, out[std::move(member.key)]).empty()) {
      return wanted;
    }
  }
  return was_read;
}

Wanted read_value(JsonValue& value, RequestId& out) {
  constexpr Wanted wanted = "must be a string of at most 1024 bytes or an integer from 0 to 2^53";
  if (const auto number = unsigned_up_to(&value, max_request_id)) {
    out = *number;
    return was_read;
  }
  auto* text = value.as<std::string>();
  if (text == nullptr || text->size() > max_request_id_bytes) {
    return wanted;
  }
  out = std::move(*text);
  return was_read;
}

Wanted read_value(JsonValue& value, CursorSpec& out) {
  if (is_word(value, "now")) {
    out = CursorNow{};
    return was_read;
  }
  if (is_word(value, "oldest")) {
    out = CursorOldest{};
    return was_read;
  }
  const auto* object = value.as<JsonObject>();
  if (object == nullptr) {
    return wanted_cursor;
  }
  const auto seq = unsigned_as<Sequence>(find(*object, "seq"));
  const auto col = unsigned_as<std::uint32_t>(find(*object, "col"));
  const JsonValue* epoch_value = find(*object, "epoch");
  const auto epoch = unsigned_as<std::uint32_t>(epoch_value);
  const bool epoch_given = epoch_value != nullptr && !epoch_value->is_null();
  if (!seq || !col || (epoch_given && !epoch)) {
    return wanted_cursor;
  }
  out = CursorAt{*seq, *col, epoch};
  return was_read;
}

Wanted read_value(JsonValue& value, CommandSpec& out) {
  if (const auto* number = value.as<std::uint64_t>()) {
    out = *number;
  } else if (is_word(value, "latest")) {
    out = CommandLatest{};
  } else if (is_word(value, "next")) {
    out = CommandNext{};
  } else {
    return "must be an integer from 0 to 2^64-1, \"latest\" or \"next\"";
  }
  return was_read;
}

Wanted read_value(JsonValue& value, std::optional<RecordingTarget>& out) {
  constexpr Wanted wanted = "must be true, false or an object with a string 'path'";
  if (const auto* flag = value.as<bool>()) {
    out.reset();
    if (*flag) {
      out.emplace();
    }
    return was_read;
  }
  auto* object = value.as<JsonObject>();
  auto* path = object == nullptr ? nullptr : find(*object, "path");
  std::string text;
  if (path == nullptr || !read_value(*path, text).empty() || text.empty()) {
    return wanted;
  }
  out.emplace().path = std::move(text);
  return was_read;
}

Wanted read_value(JsonValue& value, request::RecordingChange& out) {
  return read_value(value, out.target);
}

Wanted read_value(JsonValue& value, Role& out) {
  return read_word(value, out, "must be \"controller\" or \"observer\"");
}

Wanted read_value(JsonValue& value, TerminalKind& out) {
  return read_word(value, out, "must be \"pty\", \"ssh\" or \"telnet\"");
}

Wanted read_value(JsonValue& value, Redaction& out) {
  return read_word(value, out, "must be \"off\", \"passwords\" or \"all\"");
}

Wanted read_value(JsonValue& value, SignalTarget& out) {
  return read_word(value, out, "must be \"foreground\", \"session\" or \"leader\"");
}

Wanted read_value(JsonValue& value, HistoryFormat& out) {
  return read_word(value, out, "must be \"plain\" or \"ansi\"");
}

Wanted read_history_rows(JsonValue& value, std::size_t& out) {
  if (is_word(value, "all")) {
    out = all_history_rows;
    return was_read;
  }
  const auto number = unsigned_as<std::size_t>(&value);
  if (!number) {
    return "must be an integer from 0 to 2^64-1 or \"all\"";
  }
  out = *number;
  return was_read;
}

Wanted read_signal(JsonValue& value, int& out) {
  std::optional<int> number;
  if (const auto* text = value.as<std::string>()) {
    number = signal_number(*text);
  } else if (const auto given = unsigned_as<std::uint16_t>(&value)) {
    number = signal_number(std::to_string(*given));
  }
  if (!number) {
    return "must be the name or number of a signal";
  }
  out = *number;
  return was_read;
}

}  // namespace troupe::protocol
