// SPDX-License-Identifier: MIT
#include "protocol/json_writer.hpp"

#include <array>

#include "base/base64.hpp"

namespace troupe::protocol {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";
constexpr std::string_view hex_digits = "0123456789abcdef";

enum class Kind : std::uint8_t { plain, escape, multibyte };

constexpr std::array<Kind, 256> make_kinds() {
  std::array<Kind, 256> kinds{};
  for (std::size_t byte = 0; byte < kinds.size(); ++byte) {
    kinds[byte] = byte >= 0x80                                 ? Kind::multibyte
                  : byte < 0x20 || byte == '"' || byte == '\\' ? Kind::escape
                                                               : Kind::plain;
  }
  return kinds;
}

constexpr std::array<Kind, 256> kinds = make_kinds();

unsigned char byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

Kind kind_at(std::string_view text, std::size_t index) {
  return kinds[byte_at(text, index)];
}

/// A well-formed sequence, or the maximal part of one (Unicode 15, table 3-7).
struct Utf8Part {
  std::size_t length = 1;
  bool valid = false;
};

struct Lead {
  std::size_t length = 0;
  unsigned char low = 0x80;  ///< bounds of the second byte
  unsigned char high = 0xBF;
};

Lead lead_of(unsigned char byte) {
  if (byte >= 0xC2 && byte <= 0xDF) {
    return {.length = 2};
  }
  if (byte >= 0xE0 && byte <= 0xEF) {
    return {.length = 3,
            .low = static_cast<unsigned char>(byte == 0xE0 ? 0xA0 : 0x80),
            .high = static_cast<unsigned char>(byte == 0xED ? 0x9F : 0xBF)};
  }
  if (byte >= 0xF0 && byte <= 0xF4) {
    return {.length = 4,
            .low = static_cast<unsigned char>(byte == 0xF0 ? 0x90 : 0x80),
            .high = static_cast<unsigned char>(byte == 0xF4 ? 0x8F : 0xBF)};
  }
  return {};
}

Utf8Part part_at(std::string_view text, std::size_t index) {
  const Lead lead = lead_of(byte_at(text, index));
  for (std::size_t i = 1; i < lead.length; ++i) {
    const unsigned char low = i == 1 ? lead.low : 0x80;
    const unsigned char high = i == 1 ? lead.high : 0xBF;
    if (index + i >= text.size() || byte_at(text, index + i) < low ||
        byte_at(text, index + i) > high) {
      return {.length = i, .valid = false};
    }
  }
  return {.length = lead.length == 0 ? 1 : lead.length, .valid = lead.length > 0};
}

char short_escape(char character) {
  switch (character) {
    case '"':
    case '\\':
      return character;
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

/// Receives the pieces of a JSON string's body; one walk serves writing and measuring.
template <class Sink>
void walk(std::string_view text, Sink&& sink) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = at;
    while (at < text.size() && kind_at(text, at) != Kind::escape) {
      if (kind_at(text, at) == Kind::plain) {
        ++at;
        continue;
      }
      const Utf8Part part = part_at(text, at);
      if (!part.valid) {
        break;
      }
      at += part.length;
    }
    sink.verbatim(text.substr(start, at - start));
    if (at == text.size()) {
      return;
    }
    if (kind_at(text, at) == Kind::escape) {
      sink.escape(text[at++]);
    } else {
      at += part_at(text, at).length;
      sink.verbatim(replacement);
    }
  }
}

struct AppendSink {
  std::string& out;

  void verbatim(std::string_view bytes) { out.append(bytes); }
  void escape(char character) {
    out.push_back('\\');
    if (const char letter = short_escape(character); letter != 0) {
      out.push_back(letter);
      return;
    }
    const auto byte = static_cast<unsigned char>(character);
    out.append("u00");
    out.push_back(hex_digits[byte >> 4U]);
    out.push_back(hex_digits[byte & 0xFU]);
  }
};

struct MeasureSink {
  std::size_t size = 0;

  void verbatim(std::string_view bytes) { size += bytes.size(); }
  void escape(char character) {
    size += short_escape(character) != 0 ? std::size_t{2} : std::size_t{6};
  }
};

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  walk(text, AppendSink{out});
  out.push_back('"');
}

std::size_t json_string_size(std::string_view text) {
  MeasureSink sink;
  walk(text, sink);
  return sink.size + 2;
}

void JsonWriter::separate() {
  if (needs_comma_) {
    out_.push_back(',');
  }
  needs_comma_ = true;
}

void JsonWriter::open(char bracket) {
  separate();
  out_.push_back(bracket);
  needs_comma_ = false;
}

void JsonWriter::close(char bracket) {
  out_.push_back(bracket);
  needs_comma_ = true;
}

void JsonWriter::key(std::string_view name) {
  separate();
  out_.push_back('"');
  out_.append(name);
  out_.append("\":");
  needs_comma_ = false;
}

void JsonWriter::any_key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_.push_back(':');
  needs_comma_ = false;
}

void JsonWriter::null() {
  raw("null");
}

void JsonWriter::boolean(bool value) {
  raw(value ? "true" : "false");
}

void JsonWriter::integer(std::string_view digits) {
  raw(digits);
}

void JsonWriter::string(std::string_view text) {
  separate();
  append_json_string(out_, text);
}

void JsonWriter::base64(std::string_view bytes) {
  separate();
  out_.push_back('"');
  base64_append(out_, bytes);
  out_.push_back('"');
}

void JsonWriter::raw(std::string_view json) {
  separate();
  out_.append(json);
}

}  // namespace troupe::protocol
