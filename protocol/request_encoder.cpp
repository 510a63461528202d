// SPDX-License-Identifier: MIT
#include "protocol/codec.hpp"
#include "protocol/json_writer.hpp"
#include "protocol/request_fields.hpp"

namespace troupe::protocol {
namespace {

void write_value(JsonWriter& json, std::string_view value) {
  json.string(value);
}
void write_value(JsonWriter& json, const std::string& value) {
  json.string(value);
}
void write_value(JsonWriter& json, bool value) {
  json.boolean(value);
}
void write_value(JsonWriter& json, TerminalId value) {
  json.number(value.value);
}

template <std::integral T>
void write_value(JsonWriter& json, T value) {
  json.number(value);
}

template <class Enum>
requires std::is_enum_v<Enum>
void write_value(JsonWriter& json, Enum value) {
  json.string(to_text(value));
}

void write_value(JsonWriter& json, const std::vector<std::string>& list) {
  json.begin_array();
  for (const std::string& text : list) {
    json.string(text);
  }
  json.end_array();
}

void write_value(JsonWriter& json, const std::map<std::string, std::string>& map) {
  json.begin_object();
  for (const auto& [name, text] : map) {
    json.any_key(name);
    json.string(text);
  }
  json.end_object();
}

void write_value(JsonWriter& json, const RequestId& id) {
  std::visit([&](const auto& value) { write_value(json, value); }, id);
}

void write_value(JsonWriter& json, const CursorSpec& cursor) {
  if (std::holds_alternative<CursorNow>(cursor)) {
    json.string("now");
  } else if (std::holds_alternative<CursorOldest>(cursor)) {
    json.string("oldest");
  } else if (const auto* at = std::get_if<CursorAt>(&cursor)) {
    json.begin_object();
    json.key("seq");
    json.number(at->seq);
    json.key("col");
    json.number(at->col);
    if (at->epoch) {
      json.key("epoch");
      json.number(*at->epoch);
    }
    json.end_object();
  }
}

void write_value(JsonWriter& json, const CommandSpec& index) {
  if (std::holds_alternative<CommandLatest>(index)) {
    json.string("latest");
  } else if (std::holds_alternative<CommandNext>(index)) {
    json.string("next");
  } else {
    json.number(std::get<std::uint64_t>(index));
  }
}

void write_value(JsonWriter& json, const std::optional<RecordingTarget>& target) {
  if (!target || !target->path) {
    json.boolean(target.has_value());
    return;
  }
  json.begin_object();
  json.key("path");
  json.string(*target->path);
  json.end_object();
}

void write_value(JsonWriter& json, const request::RecordingChange& change) {
  write_value(json, change.target);
}

class RequestWriter {
 public:
  static constexpr bool reads = false;

  explicit RequestWriter(JsonWriter& json) : json_(json) {}

  template <class T>
  void required(std::string_view name, const T& field) {
    json_.key(name);
    write_value(json_, field);
  }

  template <class T>
  void nullable(std::string_view name, const std::optional<T>& field) {
    if (field) {
      required(name, *field);
    }
  }

  template <class T>
  void added(std::string_view name, const T& field, const T& fallback = {}) {
    if (!(field == fallback)) {
      required(name, field);
    }
  }

  template <class T>
  void added(std::string_view name, const std::optional<T>& field) {
    nullable(name, field);
  }

  void added(std::string_view name, const std::optional<RecordingTarget>& field) {
    if (field) {
      required(name, field);
    }
  }

  void history_rows(std::string_view name, const std::optional<std::size_t>& field) {
    if (field == all_history_rows) {
      required(name, std::string_view("all"));
    } else {
      nullable(name, field);
    }
  }

  void bytes(std::string_view name, const std::string& field) {
    json_.key(name);
    json_.base64(field);
  }

  void json(std::string_view name, const std::string& field) {
    if (!field.empty()) {
      json_.key(name);
      json_.raw(field);
    }
  }

  void signal(std::string_view name, int field) { required(name, field); }

 private:
  JsonWriter& json_;
};

/// Room for the envelope and the small fields of a request.
constexpr std::size_t small_request_bytes = 256;

}  // namespace

std::string encode_request(const std::optional<std::string>& token,
                           const std::optional<RequestId>& request_id, const Request& request) {
  JsonWriter json;
  json.reserve(small_request_bytes);
  json.begin_object();
  if (token) {
    json.key("token");
    json.string(*token);
  }
  if (request_id) {
    json.key("request_id");
    write_value(json, *request_id);
  }
  json.key("request");
  json.begin_object();
  json.key("op");
  json.string(op_name(request));
  std::visit(
      [&](const auto& value) {
        RequestWriter writer(json);
        describe(writer, value);
      },
      request);
  json.end_object();
  json.end_object();
  return json.take();
}

}  // namespace troupe::protocol
