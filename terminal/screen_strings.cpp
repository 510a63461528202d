// SPDX-License-Identifier: MIT
// OSC and DCS: titles, marks, directories, hyperlinks, colours.
#include <charconv>

#include "base/utf8.hpp"
#include "terminal/screen_impl.hpp"

namespace troupe::terminal {
namespace {

constexpr std::size_t max_title_bytes = 2048;
constexpr std::size_t max_directory_bytes = 3 * 4096 + 512;  // a URL: every byte escaped, a host

// Without C0, DEL and C1: what is stored and told to others must not contain controls.
std::string without_controls(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_utf8(text, at);
    if (c >= 0x20 && !(c >= 0x7F && c < 0xA0)) {
      out += text.substr(begin, at - begin);
    }
  }
  return out;
}

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::string_view take_field(std::string_view& text) {
  const std::size_t end = text.find(';');
  const std::string_view field = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  return field;
}

std::optional<unsigned> hex(std::string_view digits) {
  unsigned value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.empty() || digits.size() > 4 || error != std::errc{} ||
      end != digits.data() + digits.size()) {
    return std::nullopt;
  }
  return value;
}

// rgb:R/G/B with one to four digits each, #RGB, #RRGGBB, #RRRRGGGGBBBB.
std::optional<Color> parse_color(std::string_view text) {
  unsigned parts[3] = {};
  std::size_t digits = 0;
  if (text.starts_with('#')) {
    text.remove_prefix(1);
    digits = text.size() / 3;
    if (digits == 0 || text.size() % 3 != 0 || digits > 4) {
      return std::nullopt;
    }
  } else if (text.starts_with("rgb:")) {
    text.remove_prefix(4);
  } else {
    return std::nullopt;
  }
  for (auto& part : parts) {
    const std::size_t length = digits != 0 ? digits : std::min(text.find('/'), text.size());
    const auto value = hex(text.substr(0, length));
    if (!value) {
      return std::nullopt;
    }
    const unsigned top = (1U << (4U * length)) - 1U;
    part = digits == 1 ? *value * 16U : *value * 255U / top;
    text.remove_prefix(length);
    if (digits == 0 && text.starts_with('/')) {
      text.remove_prefix(1);
    }
  }
  if (!text.empty()) {
    return std::nullopt;
  }
  return color_rgb | (parts[0] << 16U) | (parts[1] << 8U) | parts[2];
}

constexpr std::uint16_t dynamic_base = 256;

}  // namespace

void ScreenImpl::operating_system_command(StreamOffset end) {
  const std::string_view payload = tokenizer.string();
  std::string_view rest = payload;
  const auto code = number(take_field(rest));
  if (!code) {
    return;
  }
  switch (*code) {
    case 0:
    case 2:
      if (rest.size() <= max_title_bytes && is_valid_utf8(rest)) {
        title = without_controls(rest);
        events->title(title, end);
      }
      return;
    case 4:
      return palette(rest);
    case 7:
      if (rest.size() <= max_directory_bytes && is_valid_utf8(rest)) {
        directory = without_controls(rest);
        events->working_directory(directory);
      }
      return;
    case 8:
      return hyperlink(rest);
    case 10:
    case 11:
    case 12:
      return dynamic_color(*code, rest);
    case 104:
      return reset_palette(rest);
    case 110:
    case 111:
    case 112:
      palette_changes.erase(static_cast<std::uint16_t>(dynamic_base + *code - 100));
      return;
    case 133:
    case 633:
      return tokenizer.terminated() ? mark(payload, end) : void();
    default:
      return;
  }
}

void ScreenImpl::mark(std::string_view payload, StreamOffset end) {
  const bool any = printed;
  printed = false;
  events->mark(payload, tokenizer.begin(), end, any);
}

void ScreenImpl::hyperlink(std::string_view payload) {
  std::string_view uri = payload;
  std::string_view parameters = take_field(uri);
  Extra& extra = pen.extra;
  extra.link.clear();
  extra.link_id.clear();
  if (!uri.empty() && uri.size() <= ExtraTable::max_link_bytes && is_valid_utf8(uri)) {
    extra.link = without_controls(uri);
    while (!parameters.empty()) {
      const std::size_t stop = std::min(parameters.find(':'), parameters.size());
      const std::string_view field = parameters.substr(0, stop);
      parameters.remove_prefix(std::min(stop + 1, parameters.size()));
      if (field.starts_with("id=") && field.size() <= 256 && is_valid_utf8(field)) {
        extra.link_id = without_controls(field.substr(3));
      }
    }
  }
  update_pen_extra();
}

void ScreenImpl::palette(std::string_view payload) {
  while (!payload.empty()) {
    const auto index = number(take_field(payload));
    const std::string_view value = take_field(payload);
    if (!index || *index > 255) {
      continue;
    }
    if (value == "?") {
      report_color("4;" + std::to_string(*index), palette_color(*index));
    } else if (const auto color = parse_color(value)) {
      palette_changes[static_cast<std::uint16_t>(*index)] = *color;
    }
  }
}

// OSC 10; 11; 12: each further field is for the next of them.
void ScreenImpl::dynamic_color(unsigned code, std::string_view payload) {
  for (; code <= 12 && !payload.empty(); ++code) {
    const std::string_view value = take_field(payload);
    if (value == "?") {
      report_color(std::to_string(code), palette_color(dynamic_base + code));
    } else if (const auto color = parse_color(value)) {
      palette_changes[static_cast<std::uint16_t>(dynamic_base + code)] = *color;
    }
  }
}

void ScreenImpl::reset_palette(std::string_view payload) {
  if (payload.empty()) {
    palette_changes.erase(palette_changes.begin(), palette_changes.lower_bound(dynamic_base));
    return;
  }
  while (!payload.empty()) {
    if (const auto index = number(take_field(payload)); index && *index < dynamic_base) {
      palette_changes.erase(static_cast<std::uint16_t>(*index));
    }
  }
}

void ScreenImpl::device_control(StreamOffset end) {
  const std::string_view payload = tokenizer.string();
  if (payload.starts_with("$q")) {
    report_setting(payload.substr(2));
  } else if (payload.starts_with("+q")) {
    report_capabilities(payload.substr(2));
  } else if (payload.starts_with("tmux;")) {
    passthrough(payload.substr(5), end);
  }
}

// What tmux would hand to its own terminal: marks and directories count, the rest does not.
void ScreenImpl::passthrough(std::string_view bytes, StreamOffset end) {
  Tokenizer inner;
  for (std::size_t at = 0; at < bytes.size();) {
    if (inner.next(bytes, at, 0) != Token::osc || !inner.terminated()) {
      continue;
    }
    std::string_view rest = inner.string();
    const auto code = number(take_field(rest));
    if (code == 133U || code == 633U) {
      mark(inner.string(), end);
    } else if (code == 7U && rest.size() <= max_directory_bytes && is_valid_utf8(rest)) {
      directory = without_controls(rest);
      events->working_directory(directory);
    }
  }
}

}  // namespace troupe::terminal
