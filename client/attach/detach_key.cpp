// SPDX-License-Identifier: MIT
#include "client/attach/detach_key.hpp"

#include <algorithm>
#include <cctype>

#include "client/attach/control_sequence.hpp"

namespace troupe::client {
namespace {

constexpr std::size_t max_held_bytes = 64;
constexpr std::uint32_t ctrl_bit = 4;
constexpr std::uint32_t lock_bits = 64 | 128;  // caps lock, num lock
constexpr std::uint32_t release_event = 3;

std::string_view after_prefix(std::string_view text) {
  constexpr std::string_view prefixes[] = {"ctrl-", "ctrl+", "control-", "control+", "c-", "^"};
  for (const std::string_view prefix : prefixes) {
    const bool same = text.size() > prefix.size() &&
                      std::equal(prefix.begin(), prefix.end(), text.begin(), [](char a, char b) {
                        return a == std::tolower(static_cast<unsigned char>(b));
                      });
    if (same) {
      return text.substr(prefix.size());
    }
  }
  return {};
}

}  // namespace

Result<DetachKey> parse_detach_key(std::string_view text) {
  if (text == "none") {
    return DetachKey{0};
  }
  const std::string_view name = after_prefix(text);
  if (name.size() != 1) {
    return Error{Code::bad_request, "a detach key looks like ctrl-] or ctrl-a, or is none"};
  }
  const auto key = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  const bool letter = key >= 'a' && key <= 'z';
  if (!letter && std::string_view{"@\\]^_"}.find(key) == std::string_view::npos) {
    return Error{Code::bad_request, "Ctrl with that character is no key that a terminal sends"};
  }
  if (key == 'i' || key == 'j' || key == 'm') {
    return Error{Code::bad_request, "a terminal cannot tell that key from Tab or Enter"};
  }
  return DetachKey{key};
}

std::string to_text(DetachKey key) {
  if (key.key == 0) {
    return "none";
  }
  return std::string("Ctrl-") +
         static_cast<char>(std::toupper(static_cast<unsigned char>(key.key)));
}

InputScanner::Kind InputScanner::classify(std::string_view body, char final) const {
  if (key_.key == 0 || pasting_) {
    return Kind::other;
  }
  const auto wanted = static_cast<std::uint32_t>(static_cast<unsigned char>(key_.key));
  std::string_view key_field;
  std::string_view modifier_field;
  if (final == 'u') {
    const std::size_t end = body.find(';');
    if (end == std::string_view::npos) {
      return Kind::other;
    }
    key_field = body.substr(0, end);
    modifier_field = body.substr(end + 1, body.find(';', end + 1) - end - 1);
  } else if (final == '~' && body.starts_with("27;")) {
    const std::size_t end = body.find(';', 3);
    if (end == std::string_view::npos) {
      return Kind::other;
    }
    modifier_field = body.substr(3, end - 3);
    key_field = body.substr(end + 1);
  } else {
    return Kind::other;
  }
  const std::size_t base = key_field.rfind(':');
  const bool alternates = base != std::string_view::npos && key_field.find(':') != base;
  const bool matches = leading_number(key_field, 0) == wanted ||
                       (alternates && leading_number(key_field.substr(base + 1), 0) == wanted);
  const std::uint32_t modifiers = leading_number(modifier_field, 1) - 1;
  if (!matches || (modifiers & ~lock_bits) != ctrl_bit) {
    return Kind::other;
  }
  const std::size_t event = modifier_field.find(':');
  const bool release = event != std::string_view::npos &&
                       leading_number(modifier_field.substr(event + 1), 1) == release_event;
  return release ? Kind::detach_release : Kind::detach_press;
}

void InputScanner::note_paste(std::string_view sequence) {
  if (sequence == "\x1b[200~") {
    pasting_ = true;
  } else if (sequence == "\x1b[201~") {
    pasting_ = false;
  }
}

InputScanner::Verdict InputScanner::feed(std::string_view bytes, std::string& out) {
  for (const char byte : bytes) {
    const Verdict verdict = held_.empty() ? plain(byte, out) : sequence_byte(byte, out);
    if (verdict == Verdict::detach) {
      return verdict;
    }
  }
  if (held_.size() == 1 && passed_ == 0) {
    out += held_;  // it may be the Escape key, for which programs wait
    passed_ = 1;
  }
  return Verdict::go_on;
}

InputScanner::Verdict InputScanner::plain(char byte, std::string& out) {
  if (byte == '\x1b') {
    held_ = byte;
    return Verdict::go_on;
  }
  if (key_.key != 0 && !pasting_ && byte == (key_.key & 0x1f)) {
    return Verdict::detach;
  }
  out += byte;
  return Verdict::go_on;
}

InputScanner::Verdict InputScanner::sequence_byte(char byte, std::string& out) {
  if (held_.size() == 1 && byte != '[') {
    release(out);
    return plain(byte, out);
  }
  held_ += byte;
  if (held_.size() == 2) {
    return Verdict::go_on;
  }
  if (byte >= 0x40 && byte <= 0x7e) {
    const Kind kind = classify(std::string_view{held_}.substr(2, held_.size() - 3), byte);
    note_paste(held_);
    if (kind == Kind::other) {
      release(out);
    }
    held_.clear();
    passed_ = 0;
    return kind == Kind::detach_press ? Verdict::detach : Verdict::go_on;
  }
  if (byte < 0x20 || byte > 0x3f || held_.size() > max_held_bytes) {
    held_.pop_back();
    release(out);  // no CSI after all
    return plain(byte, out);
  }
  return Verdict::go_on;
}

void InputScanner::release(std::string& out) {
  out.append(held_, passed_);
  held_.clear();
  passed_ = 0;
}

}  // namespace troupe::client
