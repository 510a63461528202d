// SPDX-License-Identifier: MIT
#include "terminal/keys.hpp"

#include <array>
#include <optional>

#include "base/key.hpp"
#include "base/utf8.hpp"

namespace troupe::terminal {
namespace {

using namespace key_modifier;
using Shape = Key::Shape;

constexpr char32_t escape_code = 27;

// Flags of the kitty keyboard protocol.
constexpr unsigned kitty_disambiguate = 1;
constexpr unsigned kitty_alternates = 4;
constexpr unsigned kitty_all_keys = 8;
constexpr unsigned kitty_text = 16;

/// CSI number ~ of f1 … f12.
constexpr std::array<unsigned, 12> function_numbers = {11, 12, 13, 14, 15, 17,
                                                       18, 19, 20, 21, 23, 24};
constexpr unsigned kitty_f13 = 57376;

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
