// SPDX-License-Identifier: MIT
// Answers to what a program asks, each exactly once and in order. Nothing is answered that the
// daemon cannot know (pixels, clipboard), so that a program's own timeout decides.
#include <array>

#include "terminal/screen_impl.hpp"

namespace troupe::terminal {
namespace {

constexpr std::array<Color, 16> base_palette = {
    0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
    0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF};
constexpr Color default_foreground = 0xE5E5E5;
constexpr Color default_background = 0x000000;

struct Capability {
  std::string_view name;
  std::string_view value;
};
constexpr Capability capabilities[] = {
    {"TN", "xterm-256color"},
    {"name", "xterm-256color"},
    {"Co", "256"},
    {"colors", "256"},
    {"RGB", "8/8/8"},
    {"Tc", ""},
    {"Su", ""},
    {"Ms", ""},
};

std::string to_hex(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += digits[byte >> 4U];
    out += digits[byte & 15U];
  }
  return out;
}

std::optional<std::string> from_hex(std::string_view text) {
  std::string out;
  if (text.size() % 2 != 0) {
    return std::nullopt;
  }
  const auto digit = [](char c) -> int {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]);
    const int low = digit(text[i + 1]);
    if (high < 0 || low < 0) {
      return std::nullopt;
    }
    out.push_back(static_cast<char>(high * 16 + low));
  }
  return out;
}

}  // namespace

void ScreenImpl::reply(std::string_view bytes) {
  events->reply(bytes);
}

void ScreenImpl::report_status(unsigned what, bool is_private) {
  if (what == 6) {
    const std::uint32_t top = modes.origin ? margins.top : 0;
    const std::uint32_t left = modes.origin && modes.left_right ? margins.left : 0;
    return reply((is_private ? "\x1b[?" : "\x1b[") + std::to_string(cursor.y - top + 1) + ';' +
                 std::to_string(cursor.x - left + 1) + 'R');
  }
  if (!is_private) {
    return what == 5 ? reply("\x1b[0n") : void();
  }
  switch (what) {
    case 15:
      return reply("\x1b[?13n");  // no printer
    case 25:
      return reply("\x1b[?20n");  // user-defined keys are not locked
    case 26:
      return reply("\x1b[?27;1;0;0n");
    case 996:
      return reply("\x1b[?997;1n");  // dark, like the default background that OSC 11 tells
    default:
      return;
  }
}

void ScreenImpl::report_mode(unsigned mode, bool is_private) {
  std::optional<bool> value;
  if (is_private) {
    value = private_mode(mode);
  } else if (mode == 4) {
    value = modes.insert;
  } else if (mode == 20) {
    value = modes.newline;
  }
  const char state = !value ? '0' : *value ? '1' : '2';
  reply((is_private ? "\x1b[?" : "\x1b[") + std::to_string(mode) + ';' + state + "$y");
}

void ScreenImpl::report_setting(std::string_view request) {
  std::string value;
  if (request == "m") {
    const std::string p = sgr_parameters(pen.look, pen.extra.underline);
    value = "0" + (p.empty() ? p : ';' + p) + 'm';
  } else if (request == "r") {
    value = std::to_string(margins.top + 1) + ';' + std::to_string(margins.bottom) + 'r';
  } else if (request == "s" && modes.left_right) {
    value = std::to_string(margins.left + 1) + ';' + std::to_string(margins.right) + 's';
  } else if (request == " q") {
    value = std::to_string(cursor_style == 0 ? 1U : unsigned{cursor_style}) + " q";
  } else if (request == "\"q") {
    value = (pen.look.flags & attribute::protect) != 0 ? "1\"q" : "0\"q";
  } else if (request == "\"p") {
    value = "62;1\"p";
  } else {
    return reply("\x1bP0$r\x1b\\");
  }
  reply("\x1bP1$r" + value + "\x1b\\");
}

void ScreenImpl::report_capabilities(std::string_view request) {
  constexpr std::size_t most = 32;
  for (std::size_t asked = 0; asked < most && !request.empty(); ++asked) {
    const std::size_t stop = std::min(request.find(';'), request.size());
    const std::string_view digits = request.substr(0, stop);
    request.remove_prefix(std::min(stop + 1, request.size()));
    const auto name = from_hex(digits);
    const Capability* found = nullptr;
    for (const Capability& one : capabilities) {
      found = name && one.name == *name ? &one : found;
    }
    if (found == nullptr) {
      // Only hexadecimal digits go back, so that nothing can be injected.
      reply("\x1bP0+r" + (name ? to_hex(*name) : std::string{}) + "\x1b\\");
    } else {
      reply("\x1bP1+r" + to_hex(found->name) +
            (found->value.empty() ? std::string{} : '=' + to_hex(found->value)) + "\x1b\\");
    }
  }
}

Color ScreenImpl::palette_color(unsigned index) const {
  if (const auto found = palette_changes.find(static_cast<std::uint16_t>(index));
      found != palette_changes.end()) {
    return found->second;
  }
  if (index < 16) {
    return base_palette[index];
  }
  if (index < 232) {
    const auto level = [](unsigned step) { return step == 0 ? 0U : 55U + 40U * step; };
    const unsigned cube = index - 16;
    return (level(cube / 36) << 16U) | (level(cube / 6 % 6) << 8U) | level(cube % 6);
  }
  if (index < 256) {
    const unsigned grey = 8 + 10 * (index - 232);
    return (grey << 16U) | (grey << 8U) | grey;
  }
  return index == 256 + 11 ? default_background : default_foreground;
}

void ScreenImpl::report_color(std::string_view name, Color color) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string value = "rgb:";
  for (unsigned shift = 24; shift > 0; shift -= 8) {
    const unsigned part = (color >> (shift - 8)) & 255U;
    const char two[] = {digits[part >> 4U], digits[part & 15U]};
    value.append(two, 2).append(two, 2);
    value += shift > 8 ? "/" : "";
  }
  reply("\x1b]" + std::string{name} + ';' + value + "\x1b\\");
}

}  // namespace troupe::terminal
