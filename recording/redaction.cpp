// SPDX-License-Identifier: MIT
#include "recording/redaction.hpp"

#include <algorithm>
#include <array>

#include "base/ascii_case.hpp"

namespace troupe::recording {

namespace {

constexpr std::size_t max_line_bytes = 1024;
constexpr std::size_t max_prompt_words = 64;
constexpr std::size_t max_prompt_word_bytes = 128;

/// Lower case. Those of ASCII count in any case; of others both spellings stand here.
constexpr std::array<std::string_view, 34> words{
    "password",
    "passphrase",
    "passwd",
    "passcode",
    "passwort",
    "kennwort",
    "mot de passe",
    "contrase\xC3\xB1"
    "a",
    "contrasena",
    "senha",
    "palavra-passe",
    "wachtwoord",
    "l\xC3\xB6senord",
    "adgangskode",
    "passord",
    "salasana",
    "heslo",
    "has\xC5\x82o",
    "parola",
    "jelsz\xC3\xB3",
    "\xD0\xBF\xD0\xB0\xD1\x80\xD0\xBE\xD0\xBB\xD1\x8C",
    "\xD0\x9F\xD0\xB0\xD1\x80\xD0\xBE\xD0\xBB\xD1\x8C",
    "\xE5\xAF\x86\xE7\xA0\x81",
    "\xE3\x83\x91\xE3\x82\xB9\xE3\x83\xAF\xE3\x83\xBC\xE3\x83\x89",
    "\xEB\xB9\x84\xEB\xB0\x80\xEB\xB2\x88\xED\x98\xB8",
    "verification code",
    "security code",
    "access code",
    "authentication code",
    "authenticator code",
    "one-time code",
    "secret key",
    "private key",
    "recovery code"};
/// Short ones count as whole words alone: "opinion:" asks for no PIN.
constexpr std::array<std::string_view, 6> whole_words{"pin",    "otp", "token",
                                                      "secret", "cvv", "puk"};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f' || c == '\0';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) {
    text.remove_suffix(1);
  }
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
  }
  return text;
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         (static_cast<unsigned char>(c) & 0x80U) != 0;
}

/// The index after the escape sequence that starts at `at`.
std::size_t escape_end(std::string_view text, std::size_t at) {
  std::size_t i = at + 1;
  if (i >= text.size()) {
    return text.size();
  }
  if (text[i] == ']') {
    while (i < text.size() && text[i] != '\a' && text[i] != '\x1b') {
      ++i;
    }
    return std::min(text.size(), i < text.size() && text[i] == '\x1b' ? i + 2 : i + 1);
  }
  if (text[i] == '[') {
    ++i;
    while (i < text.size() && (text[i] < '@' || text[i] > '~')) {
      ++i;
    }
    return std::min(text.size(), i + 1);
  }
  while (i < text.size() && text[i] >= ' ' && text[i] <= '/') {
    ++i;
  }
  return std::min(text.size(), i + 1);
}

std::string without_escapes(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\x1b') {
      i = escape_end(text, i);
    } else {
      result += text[i++];
    }
  }
  return result;
}

bool ends_like_a_question(std::string_view line) {
  constexpr std::string_view wide_colon = "\xEF\xBC\x9A";
  return !line.empty() && (line.back() == ':' || line.back() == '?' ||
                           (line.size() >= wide_colon.size() &&
                            line.substr(line.size() - wide_colon.size()) == wide_colon));
}

bool has_whole_word(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos;
       at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_character(line[at - 1])) &&
        (end == line.size() || !is_word_character(line[end]))) {
      return true;
    }
  }
  return false;
}

}  // namespace

RedactMode redact_mode(std::string_view text) {
  const std::string value = ascii_lower(trimmed(text));
  if (value == "off") {
    return RedactMode::off;
  }
  return value == "all" ? RedactMode::all : RedactMode::passwords;
}

std::vector<std::string> prompt_words(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty() && result.size() < max_prompt_words) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view word = trimmed(text.substr(0, comma));
    if (!word.empty() && word.size() <= max_prompt_word_bytes) {
      result.emplace_back(word);
    }
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return result;
}

PromptMatcher::PromptMatcher(std::vector<std::string> more_words) {
  for (std::string& word : more_words) {
    if (const std::string_view text = trimmed(word); !text.empty()) {
      more_words_.push_back(ascii_lower(text));
    }
  }
}

bool PromptMatcher::matches(std::string_view screen) const {
  // Escapes may stand after the last line's text, so a wider tail is looked at first.
  screen = screen.substr(screen.size() - std::min(screen.size(), 4 * max_line_bytes));
  const std::string text = without_escapes(screen);
  std::string_view line = trimmed(text);
  line = line.substr(line.find_last_of("\r\n") + 1);
  line = line.substr(line.size() - std::min(line.size(), max_line_bytes));
  if (!ends_like_a_question(line)) {
    return false;
  }
  const std::string plain = ascii_lower(line);
  const auto found = [&plain](const auto& word) { return plain.find(word) != std::string::npos; };
  return std::any_of(words.begin(), words.end(), found) ||
         std::any_of(more_words_.begin(), more_words_.end(), found) ||
         std::any_of(whole_words.begin(), whole_words.end(),
                     [&plain](std::string_view word) { return has_whole_word(plain, word); });
}

bool is_secret(RedactMode mode, const InputContext& context, const PromptMatcher& prompts) {
  if (mode != RedactMode::passwords) {
    return mode == RedactMode::all;
  }
  return context.flagged || context.tty_hides_input.value_or(false) ||
         (context.cursor_line && prompts.matches(*context.cursor_line));
}

}  // namespace troupe::recording
