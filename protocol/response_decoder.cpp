// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/base64.hpp"
#include "protocol/codec.hpp"
#include "protocol/json_reader.hpp"
#include "protocol/limits.hpp"
#include "protocol/request_values.hpp"
#include "protocol/response_fields.hpp"

namespace troupe::protocol {
namespace {

/// Fills a response from a JSON object and remembers the first key that is missing or of a wrong
/// type. Text is moved out of the object.
class ResponseReader {
 public:
  static constexpr bool reads = true;

  explicit ResponseReader(JsonObject& object) : object_(&object) {}

  template <class T>
  void field(std::string_view name, T& out) {
    JsonValue* value = find(*object_, name);
    if (value == nullptr || !read(*value, out)) {
      note(name);
    }
  }

  template <class T>
  void added(std::string_view name, T& out) {
    JsonValue* value = find(*object_, name);
    if (value != nullptr && !read(*value, out)) {
      note(name);
    }
  }

  template <class T>
  void sparse(std::string_view name, T& out) {
    added(name, out);
  }

  /// A `code` that a newer daemon may have is no fault of the frame.
  void sparse(std::string_view name, std::optional<Code>& out) {
    const JsonValue* value = find(*object_, name);
    const auto* word = value == nullptr ? nullptr : value->as<std::string>();
    if (word != nullptr) {
      out = from_text<Code>(*word).value_or(Code::internal);
    }
  }

  template <class T>
  void derived(std::string_view /*name*/, const T& /*value*/) {}

  void bytes(std::string_view name, std::string& out) {
    const JsonValue* value = find(*object_, name);
    const auto* text = value == nullptr ? nullptr : value->as<std::string>();
    Result<std::string> decoded =
        text == nullptr ? Result<std::string>(Error{}) : base64_decode(*text);
    if (decoded) {
      out = *std::move(decoded);
    } else {
      note(name);
    }
  }

  template <class Enum>
  void word_or_null(std::string_view name, Enum& out) {
    const JsonValue* value = find(*object_, name);
    const auto* word = value == nullptr ? nullptr : value->as<std::string>();
    if (word != nullptr) {
      out = from_text<Enum>(*word).value_or(Enum::none);
    }
  }

  [[nodiscard]] const std::optional<std::string>& fault() const { return fault_; }

 private:
  void note(std::string_view name) {
    if (!fault_) {
      fault_ = std::string(name);
    }
  }

  bool read(JsonValue& value, std::string& out) { return read_value(value, out).empty(); }
  bool read(JsonValue& value, bool& out) { return read_value(value, out).empty(); }
  bool read(JsonValue& value, TerminalId& out) { return read_value(value, out).empty(); }

  template <std::integral T>
  bool read(JsonValue& value, T& out) {
    if (const auto* number = value.as<std::uint64_t>()) {
      if (std::cmp_greater(*number, std::numeric_limits<T>::max())) {
        return false;
      }
      out = static_cast<T>(*number);
      return true;
    }
    const auto* number = value.as<std::int64_t>();
    if (number == nullptr || std::cmp_less(*number, std::numeric_limits<T>::min())) {
      return false;
    }
    out = static_cast<T>(*number);
    return true;
  }

  template <class T>
  requires std::is_enum_v<T>
  bool read(JsonValue& value, T& out) {
    const auto* word = value.as<std::string>();
    const auto found = word == nullptr ? std::nullopt : from_text<T>(*word);
    out = found.value_or(T{});
    return found.has_value();
  }

  template <class T>
  bool read(JsonValue& value, std::optional<T>& out) {
    return value.is_null() || read(value, out.emplace());
  }

  template <class T>
  bool read(JsonValue& value, std::vector<T>& out) {
    auto* array = value.as<JsonArray>();
    if (array == nullptr) {
      return false;
    }
    out.reserve(array->size());
    return std::all_of(array->begin(), array->end(),
                       [&](JsonValue& element) { return read(element, out.emplace_back()); });
  }

  bool read(JsonValue& value, Lifecycle& out);

  /// A part with keys of its own.
  template <class T>
  requires std::is_class_v<T>
  bool read(JsonValue& value, T& out) {
    auto* object = value.as<JsonObject>();
    if (object == nullptr) {
      return false;
    }
    ResponseReader part(*object);
    describe(part, out);
    return !part.fault();
  }

  JsonObject* object_;
  std::optional<std::string> fault_;
};

bool ResponseReader::read(JsonValue& value, Lifecycle& out) {
  auto* object = value.as<JsonObject>();
  const JsonValue* status = object == nullptr ? nullptr : find(*object, "status");
  const auto* word = status == nullptr ? nullptr : status->as<std::string>();
  if (word == nullptr) {
    return false;
  }
  ResponseReader part(*object);
  if (*word == "running") {
    out = Running{};
  } else if (*word == "exited") {
    part.field("exit_code", out.emplace<Exited>().exit_code);
  } else if (*word == "failed") {
    part.field("message", out.emplace<Failed>().message);
  } else {
    return false;
  }
  return !part.fault();
}

using DecodeType = std::optional<std::string> (*)(JsonObject&, Response&);

template <std::size_t Index>
std::optional<std::string> decode_as(JsonObject& object, Response& out) {
  ResponseReader reader(object);
  describe(reader, out.emplace<Index>());
  return reader.fault();
}

template <std::size_t... Index>
constexpr std::array<DecodeType, sizeof...(Index)> make_decoders(
    std::index_sequence<Index...> /*all*/) {
  return {&decode_as<Index>...};
}

constexpr auto decoders = make_decoders(std::make_index_sequence<response_types.size()>{});

Error malformed(std::string_view what) {
  return {Code::bad_request, "malformed answer: " + std::string(what)};
}

}  // namespace

Result<ServerMessage> decode_response(std::string_view payload) {
  auto document = parse_json(payload, {.depth = max_json_depth, .values = max_reply_values});
  auto* object = document ? document->root.as<JsonObject>() : nullptr;
  if (object == nullptr || document->duplicate_key) {
    return malformed("no JSON object");
  }
  ServerMessage message;
  if (JsonValue* id = find(*object, "request_id")) {
    if (!read_value(*id, message.request_id.emplace()).empty()) {
      return malformed("request_id");
    }
  }
  const JsonValue* type = find(*object, "type");
  const auto* word = type == nullptr ? nullptr : type->as<std::string>();
  if (word == nullptr || word->empty()) {
    return malformed("type");
  }
  const auto known = std::find(response_types.begin(), response_types.end(), *word);
  if (known == response_types.end()) {
    message.response = reply::Unknown{*word};
    return message;
  }
  const std::string name = *word;
  const auto fault = decoders.at(static_cast<std::size_t>(known - response_types.begin()))(
      *object, message.response);
  if (fault) {
    return malformed("key '" + *fault + "' of '" + name + "'");
  }
  return message;
}

}  // namespace troupe::protocol
