// SPDX-License-Identifier: MIT
#include <array>
#include <concepts>
#include <type_traits>

#include "protocol/codec.hpp"
#include "protocol/json_writer.hpp"
#include "protocol/limits.hpp"
#include "protocol/response_fields.hpp"

namespace troupe::protocol {
namespace {

class ResponseWriter {
 public:
  static constexpr bool reads = false;

  explicit ResponseWriter(JsonWriter& json) : json_(json) {}

  template <class T>
  void field(std::string_view name, const T& value) {
    json_.key(name);
    write(value);
  }

  template <class T>
  void added(std::string_view name, const T& value) {
    field(name, value);
  }

  template <class T>
  void derived(std::string_view name, const T& value) {
    field(name, value);
  }

  template <class T>
  void sparse(std::string_view name, const std::optional<T>& value) {
    if (value) {
      field(name, *value);
    }
  }

  template <class T>
  void sparse(std::string_view name, const std::vector<T>& list) {
    if (!list.empty()) {
      field(name, list);
    }
  }

  void sparse(std::string_view name, bool flag) {
    if (flag) {
      field(name, flag);
    }
  }

  void bytes(std::string_view name, const std::string& value) {
    json_.key(name);
    json_.base64(value);
  }

  template <class Enum>
  void word_or_null(std::string_view name, Enum value) {
    json_.key(name);
    if (const std::string_view word = to_text(value); word.empty()) {
      json_.null();
    } else {
      json_.string(word);
    }
  }

 private:
  void write(const std::string& text) { json_.string(text); }
  void write(bool flag) { json_.boolean(flag); }
  void write(TerminalId id) { json_.number(id.value); }
  void write(std::integral auto number) { json_.number(number); }

  template <class T>
  requires std::is_enum_v<T>
  void write(T word) { json_.string(to_text(word)); }

  template <class T>
  void write(const std::optional<T>& value) {
    if (value) {
      write(*value);
    } else {
      json_.null();
    }
  }

  template <class T>
  void write(const std::vector<T>& list) {
    json_.begin_array();
    for (const T& element : list) {
      write(element);
    }
    json_.end_array();
  }

  void write(const Lifecycle& lifecycle) {
    json_.begin_object();
    json_.key("status");
    if (const auto* exited = std::get_if<Exited>(&lifecycle)) {
      json_.string("exited");
      field("exit_code", exited->exit_code);
    } else if (const auto* failed = std::get_if<Failed>(&lifecycle)) {
      json_.string("failed");
      field("message", failed->message);
    } else {
      json_.string("running");
    }
    json_.end_object();
  }

  /// A part with keys of its own.
  template <class T>
  requires std::is_class_v<T>
  void write(const T& part) {
    json_.begin_object();
    describe(*this, part);
    json_.end_object();
  }

  JsonWriter& json_;
};

/// Room for everything but the large texts of a response.
constexpr std::size_t small_response_bytes = 1024;

/// What the large texts of a response will take, so that the payload is allocated once.
std::size_t expected_size(const Response& response) {
  return std::visit(
      [](const auto& value) {
        std::size_t size = small_response_bytes;
        if constexpr (requires { value.checkpoint; }) {
          size += value.checkpoint.size() / 3 * 4;
        }
        if constexpr (requires { value.text; }) {
          size += value.text.size() + value.text.size() / 8;
        }
        if constexpr (requires { value.replay; }) {
          size += value.replay.size() / 3 * 4;
        }
        if constexpr (requires { value.data; }) {
          size += value.data.size() / 3 * 4;
        }
        if constexpr (requires { value.slice; }) {
          size += value.slice.text.size() + value.slice.text.size() / 8;
        }
        return size;
      },
      response);
}

std::string write_frame(const Response& response, const std::optional<RequestId>& request_id) {
  JsonWriter json;
  json.reserve(expected_size(response));
  json.begin_object();
  json.key("type");
  json.string(type_name(response));
  if (request_id) {
    json.key("request_id");
    if (const auto* number = std::get_if<std::uint64_t>(&*request_id)) {
      json.number(*number);
    } else {
      json.string(std::get<std::string>(*request_id));
    }
  }
  std::visit(
      [&](const auto& value) {
        ResponseWriter writer(json);
        describe(writer, value);
      },
      response);
  json.end_object();
  return json.take();
}

// -- what does not fit a frame -------------------------------------------------------------------

constexpr std::string_view ellipsis = "\xE2\x80\xA6";
constexpr std::size_t kept_arguments = 8;

/// At most `limit` bytes and the mark of a cut, at a character's boundary.
void shorten(std::string& text, std::size_t limit) {
  if (text.size() <= limit) {
    return;
  }
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) {
    --limit;
  }
  text.resize(limit);
  text += ellipsis;
}

void shorten(TerminalInfo& info, std::size_t limit) {
  if (info.command.size() > kept_arguments) {
    info.command.resize(kept_arguments);
    info.command.emplace_back(ellipsis);
  }
  for (std::string& argument : info.command) {
    shorten(argument, limit);
  }
  shorten(info.title, limit);
  shorten(info.group_id, limit);
  shorten(info.cwd, limit);
  for (auto* text :
       {&info.user_title, &info.foreground_process, &info.label, &info.profile, &info.recording,
        &info.last_recording, &info.recording_error, &info.shell_cwd, &info.controller}) {
    if (*text) {
      shorten(**text, limit);
    }
  }
  if (auto* failed = std::get_if<Failed>(&info.lifecycle)) {
    shorten(failed->message, limit);
  }
}

/// A list must never fail for one terminal's long command line: clients ask for it before all
/// else.
std::optional<std::string> fit(reply::Terminals list, const std::optional<RequestId>& request_id) {
  list.reduced = true;
  for (const std::size_t limit : {std::size_t{1024}, std::size_t{128}, std::size_t{16}}) {
    for (TerminalInfo& info : list.terminals) {
      shorten(info, limit);
    }
    std::string payload = write_frame(list, request_id);
    if (payload.size() <= max_frame_bytes) {
      return payload;
    }
  }
  return std::nullopt;
}

/// Where a text must begin so that it costs at least `excess` bytes less on the wire: after a whole
/// row.
std::size_t cut_of(std::string_view text, std::size_t excess) {
  constexpr std::size_t quotes = 2;
  constexpr std::size_t escaped_newline = 2;
  std::size_t at = 0;
  std::size_t saved = 0;
  while (saved < excess) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) {
      return text.size();
    }
    saved += json_string_size(text.substr(at, end - at)) - quotes + escaped_newline;
    at = end + 1;
  }
  return at;
}

/// The oldest rows of the text go: what a viewer needs is the checkpoint and the newest rows.
std::optional<std::string> fit(reply::Snapshot snapshot, std::size_t excess,
                               const std::optional<RequestId>& request_id) {
  snapshot.text.erase(0, cut_of(snapshot.text, excess));
  snapshot.reduced = true;
  std::string payload = write_frame(snapshot, request_id);
  return payload.size() <= max_frame_bytes ? std::optional(std::move(payload)) : std::nullopt;
}

/// Bytes by which an added `"reduced":true` lengthens a frame.
constexpr std::size_t reduced_key_bytes = 16;

std::string make_fit(const Response& response, std::size_t size,
                     const std::optional<RequestId>& request_id) {
  std::optional<std::string> fitted;
  if (const auto* list = std::get_if<reply::Terminals>(&response)) {
    fitted = fit(*list, request_id);
  } else if (const auto* snapshot = std::get_if<reply::Snapshot>(&response)) {
    fitted = fit(*snapshot, size - max_frame_bytes + reduced_key_bytes, request_id);
  }
  if (fitted) {
    return *std::move(fitted);
  }
  return write_frame(
      reply::Error(troupe::Error{
          Code::too_large, "reply exceeds " + std::to_string(max_frame_bytes) + " byte limit"}),
      request_id);
}

}  // namespace

std::string encode_response(const Response& response, const std::optional<RequestId>& request_id) {
  std::string payload = write_frame(response, request_id);
  if (payload.size() > max_frame_bytes) {
    return make_fit(response, payload.size(), request_id);
  }
  return payload;
}

std::string_view type_name(const Response& response) {
  if (const auto* unknown = std::get_if<reply::Unknown>(&response)) {
    return unknown->type;
  }
  return response_types.at(response.index());
}

reply::Error authentication_failed() {
  reply::Error error;
  error.message = "authentication failed";
  return error;
}

}  // namespace troupe::protocol
