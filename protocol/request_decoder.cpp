// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "base/base64.hpp"
#include "protocol/codec.hpp"
#include "protocol/json_reader.hpp"
#include "protocol/limits.hpp"
#include "protocol/request_fields.hpp"
#include "protocol/request_rules.hpp"
#include "protocol/request_values.hpp"

namespace troupe::protocol {
namespace {

using Outcome = std::variant<Drop, Refused, Request>;

/// Repeated from a request into an error message, so that a client sees what it sent.
constexpr std::size_t max_echo_bytes = 64;

constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

constexpr std::size_t envelope_depth = 1;
constexpr std::size_t request_depth = 2;

constexpr std::array<std::string_view, 3> envelope_keys{"token", "request_id", "request"};

/// Every name that any operation reads. A member of another name costs no memory.
constexpr std::array<std::string_view, 53> field_names{
    "ack",         "args",        "attachment_id", "child_events",  "cols",    "cursor",
    "cwd",         "data_base64", "drain_ms",      "env",           "exit",    "force",
    "format",      "from_index",  "group_id",      "history_rows",  "id",      "idle_ms",
    "ignore_case", "index",       "instance_id",   "integrate",     "journal", "keys",
    "kind",        "label",       "limit",         "max_bytes",     "needle",  "offset",
    "op",          "options",     "password",      "pattern",       "profile", "program",
    "protected",   "recording",   "redact",        "regex",         "resync",  "revision",
    "role",        "rows",        "signal",        "ssh_auth_sock", "tail",    "takeover",
    "target",      "text",        "ticket",        "timeout_ms",    "title"};
static_assert(std::is_sorted(field_names.begin(), field_names.end()));

bool keep(std::size_t depth, std::string_view key) {
  if (depth == envelope_depth) {
    return std::find(envelope_keys.begin(), envelope_keys.end(), key) != envelope_keys.end();
  }
  return depth != request_depth || std::binary_search(field_names.begin(), field_names.end(), key);
}

std::string quoted_field(std::string_view name) {
  return "field '" + std::string(name) + "'";
}

Refused bad_request(std::string message) {
  return {Error{Code::bad_request, std::move(message)}, AfterRefusal::go_on};
}

/// Fills a request from a JSON object and keeps the first fault of each kind.
class RequestReader {
 public:
  static constexpr bool reads = true;

  explicit RequestReader(JsonObject& object) : object_(object) {}

  template <class T>
  void required(std::string_view name, T& field) {
    if (JsonValue* value = find(object_, name)) {
      note(shape_, name, read_value(*value, field));
    } else {
      note(shape_, name, "is missing");
    }
  }

  template <class T>
  void nullable(std::string_view name, std::optional<T>& field) {
    read_optional(shape_, name, field);
  }

  template <class T>
  void added(std::string_view name, T& field, const std::type_identity_t<T>& fallback = {}) {
    if (JsonValue* value = present(name)) {
      note(addition_, name, read_value(*value, field));
    } else {
      field = fallback;
    }
  }

  template <class T>
  void added(std::string_view name, std::optional<T>& field) {
    read_optional(addition_, name, field);
  }

  void added(std::string_view name, std::optional<RecordingTarget>& field) {
    if (JsonValue* value = present(name)) {
      note(addition_, name, read_value(*value, field));
    }
  }

  void history_rows(std::string_view name, std::optional<std::size_t>& field) {
    if (JsonValue* value = present(name)) {
      note(addition_, name, read_history_rows(*value, field.emplace()));
    }
  }

  void signal(std::string_view name, int& field) {
    if (JsonValue* value = find(object_, name)) {
      note(shape_, name, read_signal(*value, field));
    } else {
      note(shape_, name, "is missing");
    }
  }

  void bytes(std::string_view name, std::string& field);
  void json(std::string_view name, std::string& field);

  /// A field of protocol 7 (or a required one) is missing, of a wrong type or out of range.
  [[nodiscard]] const std::optional<Error>& shape() const { return shape_; }
  /// Its base64 text is none, or stands for too many bytes.
  [[nodiscard]] const std::optional<Error>& content() const { return content_; }
  /// An optional field beyond protocol 7 is of a wrong type or out of range.
  [[nodiscard]] const std::optional<Error>& addition() const { return addition_; }

 private:
  JsonValue* present(std::string_view name) {
    JsonValue* value = find(object_, name);
    return value != nullptr && !value->is_null() ? value : nullptr;
  }

  template <class T>
  void read_optional(std::optional<Error>& fault, std::string_view name, std::optional<T>& field) {
    if (JsonValue* value = present(name)) {
      note(fault, name, read_value(*value, field.emplace()));
    }
  }

  static void note(std::optional<Error>& fault, std::string_view name, Wanted wanted) {
    if (!wanted.empty() && !fault) {
      fault = Error{Code::bad_request, quoted_field(name) + " " + std::string(wanted)};
    }
  }

  JsonObject& object_;
  std::optional<Error> shape_;
  std::optional<Error> content_;
  std::optional<Error> addition_;
};

void RequestReader::bytes(std::string_view name, std::string& field) {
  std::string text;
  required(name, text);
  if (text.size() > (max_input_bytes + 2) / 3 * 4) {
    content_ = input_too_long();
    return;
  }
  Result<std::string> decoded = base64_decode(text);
  if (!decoded) {
    content_ = Error{Code::bad_request, "invalid input base64: " + decoded.error().message};
    return;
  }
  field = *std::move(decoded);
}

void RequestReader::json(std::string_view name, std::string& field) {
  const JsonValue* value = present(name);
  if (value == nullptr) {
    return;
  }
  if (value->as<JsonObject>() == nullptr) {
    note(addition_, name, "must be an object");
    return;
  }
  field = to_json(*value);
}

/// The manners of section 2: without a request id, an operation of protocol 7 whose parts have a
/// wrong shape is dropped, and a `subscribe` is never answered with an error.
enum class Manners : std::uint8_t { protocol7, answered };

Outcome refuse(const Error& error, Manners manners, const Request& request) {
  if (manners == Manners::protocol7 && std::holds_alternative<request::Subscribe>(request)) {
    return Drop{};
  }
  return Refused{error, AfterRefusal::go_on, manners != Manners::protocol7};
}

Outcome judge(const RequestReader& reader, Request request, Manners manners) {
  if (reader.shape()) {
    return manners == Manners::protocol7 ? Outcome(Drop{}) : Outcome(Refused{*reader.shape()});
  }
  for (const auto* fault : {&reader.content(), &reader.addition()}) {
    if (*fault) {
      return refuse(**fault, manners, request);
    }
  }
  if (const auto broken = broken_rule(request)) {
    return refuse(*broken, manners, request);
  }
  return request;
}

template <std::size_t Index>
Outcome decode_as(JsonObject& fields, Manners manners) {
  RequestReader reader(fields);
  Request request(std::in_place_index<Index>);
  describe(reader, std::get<Index>(request));
  return judge(reader, std::move(request), manners);
}

using DecodeOperation = Outcome (*)(JsonObject&, Manners);

template <std::size_t... Index>
constexpr std::array<DecodeOperation, sizeof...(Index)> make_decoders(
    std::index_sequence<Index...> /*all*/) {
  return {&decode_as<Index>...};
}

constexpr auto decoders = make_decoders(std::make_index_sequence<operations.size()>{});

Outcome decode_operation(JsonObject& fields, const std::optional<std::string>& duplicate,
                         bool has_request_id) {
  const auto unparsed = [&](std::string message) {
    return has_request_id ? Outcome(bad_request(std::move(message))) : Outcome(Drop{});
  };
  const JsonValue* op = find(fields, "op");
  if (op == nullptr) {
    return unparsed(quoted_field("op") + " is missing");
  }
  const auto* name = op->as<std::string>();
  if (name == nullptr) {
    return unparsed(quoted_field("op") + " must be a string");
  }
  const auto known = std::find_if(operations.begin(), operations.end(),
                                  [&](const Operation& entry) { return entry.name == *name; });
  if (known == operations.end()) {
    if (!has_request_id) {
      return Drop{};
    }
    return Refused{
        Error{Code::unsupported, "unknown operation '" + name->substr(0, max_echo_bytes) + "'"}};
  }
  const Manners manners = !has_request_id && known->origin == Origin::protocol7 ? Manners::protocol7
                                                                                : Manners::answered;
  if (duplicate) {
    return manners == Manners::protocol7
               ? Outcome(Drop{})
               : Outcome(bad_request(quoted_field(duplicate->substr(0, max_echo_bytes)) +
                                     " is given twice"));
  }
  return decoders.at(static_cast<std::size_t>(known - operations.begin()))(fields, manners);
}

/// The envelope's parts; an outcome where they already decide.
std::optional<Outcome> read_envelope(JsonObject& envelope, Incoming& incoming) {
  // First: a fault of the id is told only to who has the token.
  JsonValue* token = find(envelope, "token");
  Wanted token_wanted;
  if (token != nullptr) {
    token_wanted = read_value(*token, incoming.token.emplace());
    if (!token_wanted.empty()) {
      incoming.token.reset();
    }
  }
  if (JsonValue* id = find(envelope, "request_id")) {
    if (const Wanted wanted = read_value(*id, incoming.request_id.emplace()); !wanted.empty()) {
      incoming.request_id.reset();
      return Refused{
          Error{Code::bad_request, quoted_field("request_id") + " " + std::string(wanted)},
          AfterRefusal::close};
    }
  }
  if (token == nullptr) {
    return incoming.request_id ? std::nullopt : std::optional<Outcome>(Drop{});
  }
  if (token_wanted.empty()) {
    return std::nullopt;
  }
  if (!incoming.request_id) {
    return Drop{};
  }
  incoming.token_malformed = true;
  return bad_request(quoted_field("token") + " " + std::string(token_wanted));
}

std::optional<JsonDocument> parse_envelope(std::string_view payload) {
  return parse_json(payload,
                    {.depth = max_json_depth, .values = max_request_values, .keep = &keep});
}

/// The envelope whose parts leave the outcome open; null where there is none, or where they decide.
JsonObject* open_envelope(std::optional<JsonDocument>& document, Incoming& incoming) {
  auto* const envelope = document ? document->root.as<JsonObject>() : nullptr;
  if (envelope == nullptr ||
      (document->duplicate_key && document->duplicate_depth == envelope_depth)) {
    return nullptr;
  }
  if (auto decided = read_envelope(*envelope, incoming)) {
    incoming.outcome = *std::move(decided);
    return nullptr;
  }
  return envelope;
}

/// JavaScript's `JSON.stringify` writes half a character as an escape that is no text. That must
/// not cost a connection all its waits: where the id can be told, the request is refused.
Incoming refuse_lone_surrogate(std::string_view payload) {
  Incoming incoming{.token = {}, .request_id = {}, .outcome = Drop{}};
  const auto mended = replace_lone_surrogates(payload);
  auto document = mended ? parse_envelope(*mended) : std::nullopt;
  if (open_envelope(document, incoming) == nullptr) {
    return incoming;
  }
  const auto* const id =
      incoming.request_id ? std::get_if<std::string>(&*incoming.request_id) : nullptr;
  if (id != nullptr && id->find(replacement_character) != std::string::npos) {
    incoming.request_id.reset();  // perhaps not the one that was sent
    incoming.outcome = Refused{Error{Code::bad_request, "field 'request_id' must be valid Unicode"},
                               AfterRefusal::close};
  } else if (incoming.request_id) {
    incoming.outcome = bad_request("the request holds a lone surrogate, which is no text");
  }
  return incoming;
}

}  // namespace

Incoming decode_request(std::string_view payload) {
  Incoming incoming{.token = {}, .request_id = {}, .outcome = Drop{}};
  auto document = parse_envelope(payload);
  if (!document) {
    return refuse_lone_surrogate(payload);
  }
  JsonObject* const envelope = open_envelope(document, incoming);
  if (envelope == nullptr) {
    return incoming;
  }
  JsonValue* request = find(*envelope, "request");
  auto* fields = request == nullptr ? nullptr : request->as<JsonObject>();
  if (fields != nullptr) {
    incoming.outcome =
        decode_operation(*fields, document->duplicate_key, incoming.request_id.has_value());
  } else if (incoming.request_id) {
    incoming.outcome = bad_request(quoted_field("request") + " must be an object");
  }
  return incoming;
}

}  // namespace troupe::protocol
