// SPDX-License-Identifier: MIT
#include "terminal/marks.hpp"

#include <charconv>

#include "base/utf8.hpp"

namespace troupe::terminal {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  if (c >= 'A' && c <= 'F') {
    return c - 'A' + 10;
  }
  return -1;
}

/// The byte that two hexadecimal digits at `at` name, or -1.
int hex_byte(std::string_view text, std::size_t at) {
  if (at + 2 > text.size()) {
    return -1;
  }
  const int high = hex_value(text[at]);
  const int low = hex_value(text[at + 1]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/// Walks the `;`-separated fields of a payload.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  std::optional<std::string_view> next() {
    if (done_) {
      return std::nullopt;
    }
    const std::size_t end = rest_.find(';');
    const std::string_view field = rest_.substr(0, end);
    done_ = end == std::string_view::npos;
    rest_.remove_prefix(done_ ? rest_.size() : end + 1);
    return field;
  }

 private:
  std::string_view rest_;
  bool done_ = false;
};

bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::optional<std::int32_t> parse_status(std::string_view text) {
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') {
    text.remove_prefix(1);
  }
  std::int32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) {
    return std::nullopt;
  }
  return value;
}

/// `\xHH` and `\\`; any other backslash stands for itself.
std::string unescape(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (text[i] != '\\') {
      bytes += text[i];
    } else if (next == '\\') {
      bytes += '\\';
      ++i;
    } else if (const int value = hex_byte(text, i + 2);
               (next == 'x' || next == 'X') && value >= 0) {
      bytes += static_cast<char>(value);
      i += 3;
    } else {
      bytes += '\\';
    }
  }
  return to_valid_utf8(bytes);
}

bool take_value(std::string_view field, std::string_view key, std::string_view& value) {
  if (field.substr(0, key.size()) != key) {
    return false;
  }
  value = field.substr(key.size());
  return true;
}

void read_params(Mark& mark, Fields fields) {
  while (const auto field = fields.next()) {
    std::string_view value;
    if (take_value(*field, "nonce=", value)) {
      mark.nonce = std::string(value);
    } else if (mark.kind == MarkKind::executed && take_value(*field, "cmdline_url=", value)) {
      if (auto text = percent_decode(value); text && !text->empty()) {
        mark.command = to_valid_utf8(*text);
      }
    }
  }
}

void read_command_line(Mark& mark, Fields fields) {
  mark.command = unescape(fields.next().value_or(std::string_view()));
  if (const auto nonce = fields.next()) {
    mark.nonce = std::string(*nonce);
  }
}

/// Splits `133;X…` and `633;X…` into the dialect and the rest from X on.
std::optional<std::pair<Dialect, std::string_view>> split_dialect(std::string_view payload) {
  const std::string_view number = payload.substr(0, 4);
  if (number == "133;") {
    return std::pair{Dialect::osc133, payload.substr(4)};
  }
  if (number == "633;") {
    return std::pair{Dialect::osc633, payload.substr(4)};
  }
  return std::nullopt;
}

std::optional<MarkKind> kind_of(char letter) {
  switch (letter) {
    case 'A':
      return MarkKind::prompt;
    case 'B':
      return MarkKind::input;
    case 'C':
      return MarkKind::executed;
    case 'D':
      return MarkKind::finished;
    case 'E':
      return MarkKind::command_line;
    case 'P':
      return MarkKind::continuation;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Mark> parse_mark(std::string_view payload) {
  const auto split = split_dialect(payload);
  if (!split || split->second.empty()) {
    return std::nullopt;
  }
  const auto& [dialect, body] = *split;
  const auto kind = kind_of(body.front());
  if (!kind || (body.size() > 1 && body[1] != ';') ||
      (*kind == MarkKind::command_line && dialect == Dialect::osc133) ||
      (*kind == MarkKind::continuation && payload != "133;P;k=s" && payload != "133;P;k=c")) {
    return std::nullopt;
  }
  Mark mark;
  mark.kind = *kind;
  mark.dialect = dialect;
  if (body.size() < 2) {
    if (*kind == MarkKind::command_line) {
      mark.command = std::string();
    }
    return mark;
  }
  const Fields fields(body.substr(2));
  if (*kind == MarkKind::command_line) {
    read_command_line(mark, fields);
  } else if (*kind == MarkKind::executed || *kind == MarkKind::finished) {
    read_params(mark, fields);
    if (*kind == MarkKind::finished) {
      mark.status = parse_status(Fields(fields).next().value_or(std::string_view()));
    }
  }
  return mark;
}

std::optional<std::string> parse_cwd_property(std::string_view payload) {
  constexpr std::string_view prefix = "633;P;Cwd=";
  if (payload.substr(0, prefix.size()) != prefix) {
    return std::nullopt;
  }
  const std::string_view value = payload.substr(prefix.size());
  return unescape(value.substr(0, value.find(';')));
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      bytes += text[i];
      continue;
    }
    const int value = hex_byte(text, i + 1);
    if (value < 0) {
      return std::nullopt;
    }
    bytes += static_cast<char>(value);
    i += 2;
  }
  return bytes;
}

}  // namespace troupe::terminal
