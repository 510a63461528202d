// SPDX-License-Identifier: MIT
#include "base/key.hpp"

#include <array>
#include <string>
#include <utility>

#include "base/ascii_case.hpp"
#include "base/utf8.hpp"

namespace troupe {
namespace {

using namespace key_modifier;
using Shape = Key::Shape;

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

/// A modifier that was taken before is left: no key is called so.
bool take_modifier(std::string_view& rest, unsigned& modifiers) {
  constexpr std::array<std::pair<std::string_view, unsigned>, 4> names = {
      {{"ctrl+", ctrl}, {"alt+", alt}, {"shift+", shift}, {"super+", super}}};
  for (const auto& [name, bit] : names) {
    if ((modifiers & bit) == 0 && rest.size() > name.size() &&
        ascii_lower(rest.substr(0, name.size())) == name) {
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

}  // namespace

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
    key = named_key(ascii_lower(rest));
  }
  if (key) {
    key->modifiers = modifiers;
  }
  return key;
}

}  // namespace troupe
