// SPDX-License-Identifier: MIT
#include "terminal/keys.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "base/utf8.hpp"

namespace troupe::terminal {
namespace {

constexpr char32_t escape_code = 27;

// Modifier bits as xterm and kitty count them; on the wire stands 1 + bits.
constexpr unsigned shift = 1;
constexpr unsigned alt = 2;
constexpr unsigned ctrl = 4;
constexpr unsigned super = 8;

// Flags of the kitty keyboard protocol.
constexpr unsigned kitty_disambiguate = 1;
constexpr unsigned kitty_alternates = 4;
constexpr unsigned kitty_all_keys = 8;
constexpr unsigned kitty_text = 16;

enum class Shape : std::uint8_t { text, control, cursor, tilde, function };

/// A named key. `control`: a C0 code of its own. `cursor`: CSI or SS3 with a letter. `tilde`: CSI
/// number ~. `function`: f1 … f24.
struct Named {
  std::string_view name;
  Shape shape;
  unsigned code;
};

constexpr std::array<Named, 15> named_keys = {{
    {"enter", Shape::control, 13},
    {"tab", Shape::control, 9},
    {"backspace", Shape::control, 127},
    {"escape", Shape::control, 27},
    {"up", Shape::cursor, 'A'},
    {"down", Shape::cursor, 'B'},
    {"right", Shape::cursor, 'C'},
    {"left", Shape::cursor, 'D'},
    {"home", Shape::cursor, 'H'},
    {"end", Shape::cursor, 'F'},
    {"insert", Shape::tilde, 2},
    {"delete", Shape::tilde, 3},
    {"pageup", Shape::tilde, 5},
    {"pagedown", Shape::tilde, 6},
    {"space", Shape::text, ' '},
}};

/// CSI number ~ of f1 … f12.
constexpr std::array<unsigned, 12> function_numbers = {11, 12, 13, 14, 15, 17,
                                                       18, 19, 20, 21, 23, 24};
constexpr unsigned kitty_f13 = 57376;

struct Key {
  Shape shape = Shape::text;
  unsigned code = 0;  // code point, C0 code, letter or number, as the shape says
  unsigned modifiers = 0;
};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

unsigned code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  switch (character.size()) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1FU) << 6 | (byte(1) & 0x3FU);
    case 3:
      return (byte(0) & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
    default:
      return (byte(0) & 0x07U) << 18 | (byte(1) & 0x3FU) << 12 | (byte(2) & 0x3FU) << 6 |
             (byte(3) & 0x3FU);
  }
}

std::string to_utf8(unsigned code) {
  std::string text;
  const auto tail = [&](unsigned bits) {
    text += static_cast<char>(0x80 | ((code >> bits) & 0x3F));
  };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xE0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
  return text;
}

bool take_modifier(std::string_view& rest, unsigned& modifiers) {
  constexpr std::array<std::pair<std::string_view, unsigned>, 4> names = {
      {{"ctrl+", ctrl}, {"alt+", alt}, {"shift+", shift}, {"super+", super}}};
  for (const auto& [name, bit] : names) {
    if (rest.size() > name.size() && lower(rest.substr(0, name.size())) == name) {
      rest.remove_prefix(name.size());
      modifiers |= bit;
      return true;
    }
  }
  return false;
}

std::optional<Key> named_key(const std::string& name) {
  for (const Named& named : named_keys) {
    if (named.name == name) {
      return Key{named.shape, named.code, 0};
    }
  }
  if (name.size() < 2 || name.size() > 3 || name[0] != 'f' || name[1] == '0') {
    return std::nullopt;
  }
  unsigned number = 0;
  for (const char c : name.substr(1)) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number >= 1 && number <= 24 ? std::optional(Key{Shape::function, number, 0})
                                     : std::nullopt;
}

std::optional<Key> parse_key(std::string_view text) {
  unsigned modifiers = 0;
  std::string_view rest = text;
  while (take_modifier(rest, modifiers)) {
  }
  std::optional<Key> key;
  if (rest.empty()) {
    return std::nullopt;
  }
  if (utf8_character_length(rest) == rest.size()) {
    const unsigned code = code_point(rest);
    if (code < 0x20 || (code >= 0x7F && code < 0xA0)) {
      return std::nullopt;  // a control character is no key: it has a name
    }
    key = Key{Shape::text, code, 0};
  } else {
    key = named_key(lower(rest));
  }
  if (key) {
    key->modifiers = modifiers;
  }
  return key;
}

// -- the forms -----------------------------------------------------------------------------------

std::string csi_letter(unsigned modifiers, unsigned letter) {
  const std::string last(1, static_cast<char>(letter));
  return modifiers == 0 ? "\x1b[" + last : "\x1b[1;" + std::to_string(1 + modifiers) + last;
}

std::string csi_tilde(unsigned modifiers, unsigned number) {
  return "\x1b[" + std::to_string(number) +
         (modifiers == 0 ? "" : ";" + std::to_string(1 + modifiers)) + "~";
}

std::string csi_u(unsigned code, unsigned modifiers) {
  return "\x1b[" + std::to_string(code) +
         (modifiers == 0 ? "" : ";" + std::to_string(1 + modifiers)) + "u";
}

std::string with_alt(unsigned modifiers, std::string bytes) {
  return (modifiers & alt) != 0 ? "\x1b" + bytes : bytes;
}

bool is_upper(unsigned code) {
  return code >= 'A' && code <= 'Z';
}

unsigned shifted(unsigned code) {
  return code >= 'a' && code <= 'z' ? code - 'a' + 'A' : code;
}

/// The control code that ctrl makes of an ASCII character, or nothing.
std::optional<char> control_code(unsigned code) {
  const unsigned upper = shifted(code);
  if ((upper >= '@' && upper <= '_') || upper == ' ') {
    return static_cast<char>(upper & 0x1F);
  }
  switch (code) {
    case '2':
      return '\0';
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
      return static_cast<char>(code - '3' + 27);
    case '8':
    case '?':
      return '\x7f';
    case '/':
      return '\x1f';
    default:
      return std::nullopt;
  }
}

// -- xterm ---------------------------------------------------------------------------------------

std::string modify_other(unsigned code, unsigned modifiers) {
  return "\x1b[27;" + std::to_string(1 + modifiers) + ";" + std::to_string(code) + "~";
}

std::string legacy_text(const Key& key, const InputModes& modes) {
  if ((key.modifiers & super) != 0) {
    return csi_u(key.code, key.modifiers);  // xterm has no form for it, kitty uses this one
  }
  const unsigned code = (key.modifiers & shift) != 0 ? shifted(key.code) : key.code;
  if ((key.modifiers & ctrl) == 0) {
    const bool reported = modes.modify_other_keys >= 2 && (key.modifiers & alt) != 0;
    return reported ? modify_other(code, key.modifiers) : with_alt(key.modifiers, to_utf8(code));
  }
  const auto control = control_code(key.code);
  if (modes.modify_other_keys >= 2 || (modes.modify_other_keys == 1 && !control)) {
    return modify_other(code, key.modifiers);
  }
  return with_alt(key.modifiers, control ? std::string(1, *control) : to_utf8(code));
}

std::string legacy_control(const Key& key, const InputModes& modes) {
  const unsigned plain = key.modifiers & ~alt;
  if ((key.modifiers & super) != 0) {
    return csi_u(key.code, key.modifiers);
  }
  if (key.code == 9 && (key.modifiers & shift) != 0 && (key.modifiers & ctrl) == 0) {
    return with_alt(key.modifiers, "\x1b[Z");
  }
  if (modes.modify_other_keys >= 2 && key.modifiers != 0) {
    return modify_other(key.code, key.modifiers);
  }
  switch (key.code) {
    case 13:
      return with_alt(key.modifiers, modes.newline_mode ? "\r\n" : "\r");
    case 127: {
      const bool other = (plain & ctrl) != 0;
      return with_alt(key.modifiers, modes.backarrow_sends_backspace != other ? "\x08" : "\x7f");
    }
    default:
      return with_alt(key.modifiers, std::string(1, static_cast<char>(key.code)));
  }
}

std::string legacy_function(unsigned number, unsigned modifiers) {
  if (number > 12) {
    number -= 12;
    modifiers |= shift;
  }
  if (number <= 4) {
    const unsigned letter = 'P' + number - 1;
    return modifiers == 0 ? "\x1bO" + std::string(1, static_cast<char>(letter))
                          : csi_letter(modifiers, letter);
  }
  return csi_tilde(modifiers, function_numbers[number - 1]);
}

std::string legacy(const Key& key, const InputModes& modes) {
  switch (key.shape) {
    case Shape::text:
      return legacy_text(key, modes);
    case Shape::control:
      return legacy_control(key, modes);
    case Shape::cursor:
      return key.modifiers == 0 && modes.application_cursor
                 ? "\x1bO" + std::string(1, static_cast<char>(key.code))
                 : csi_letter(key.modifiers, key.code);
    case Shape::tilde:
      return csi_tilde(key.modifiers, key.code);
    case Shape::function:
      return legacy_function(key.code, key.modifiers);
  }
  return {};
}

// -- the kitty keyboard protocol -----------------------------------------------------------------

std::string kitty_text_key(const Key& key, unsigned flags) {
  unsigned modifiers = key.modifiers;
  unsigned base = key.code;
  if (is_upper(base)) {  // a capital is its letter with shift
    base = base - 'A' + 'a';
    modifiers |= shift;
  }
  const unsigned typed = (modifiers & shift) != 0 ? shifted(base) : base;
  if ((flags & kitty_all_keys) == 0 && (modifiers & ~shift) == 0) {
    return to_utf8(typed);
  }
  std::string number = std::to_string(base);
  if ((flags & kitty_alternates) != 0 && typed != base) {
    number += ":" + std::to_string(typed);
  }
  std::string rest;
  if ((flags & kitty_all_keys) != 0 && (flags & kitty_text) != 0 && (modifiers & ~shift) == 0) {
    rest = ";" + (modifiers == 0 ? std::string() : std::to_string(1 + modifiers)) + ";" +
           std::to_string(typed);
  } else if (modifiers != 0) {
    rest = ";" + std::to_string(1 + modifiers);
  }
  return "\x1b[" + number + rest + "u";
}

std::string kitty_function(unsigned number, unsigned modifiers) {
  if (number > 12) {
    return csi_u(kitty_f13 + number - 13, modifiers);
  }
  if (number <= 4 && number != 3) {  // f3's letter would be a cursor report
    return csi_letter(modifiers, 'P' + number - 1);
  }
  return csi_tilde(modifiers, function_numbers[number - 1]);
}

std::string kitty(const Key& key, unsigned flags, const InputModes& modes) {
  switch (key.shape) {
    case Shape::text:
      return kitty_text_key(key, flags);
    case Shape::control:
      // Enter, tab and backspace stay what they are, so that a shell left by a crashed program in
      // this mode can still be typed into.
      if (key.modifiers == 0 && key.code != escape_code && (flags & kitty_all_keys) == 0) {
        return legacy_control(key, modes);
      }
      return csi_u(key.code, key.modifiers);
    case Shape::cursor:
      return csi_letter(key.modifiers, key.code);
    case Shape::tilde:
      return csi_tilde(key.modifiers, key.code);
    case Shape::function:
      return kitty_function(key.code, key.modifiers);
  }
  return {};
}

}  // namespace

Result<std::string> encode_key(std::string_view name, const InputModes& modes) {
  const auto key = parse_key(name);
  if (!key) {
    return Error{Code::bad_request, "unknown key \"" + std::string(cut_utf8(name, 40)) + "\""};
  }
  const unsigned flags = modes.kitty_flags;
  return (flags & (kitty_disambiguate | kitty_all_keys)) != 0 ? kitty(*key, flags, modes)
                                                              : legacy(*key, modes);
}

Result<std::string> encode_keys(const std::vector<std::string>& keys, const InputModes& modes) {
  std::string bytes;
  for (const std::string& key : keys) {
    auto encoded = encode_key(key, modes);
    if (!encoded) {
      return encoded.error();
    }
    bytes += *encoded;
  }
  return bytes;
}

}  // namespace troupe::terminal
