// SPDX-License-Identifier: MIT
#include "bench/streams.hpp"

#include <array>
#include <random>

namespace troupe::bench {
namespace {

using Random = std::minstd_rand;

constexpr unsigned stream_seed = 20260701;
constexpr std::size_t line_columns = 72;
constexpr unsigned screen_columns = 80;
constexpr unsigned screen_rows = 24;

unsigned pick(Random& random, unsigned count) {
  return static_cast<unsigned>(random()) % count;
}

std::string ascii_word(Random& random) {
  std::string word;
  const unsigned letters = 2 + pick(random, 9);
  for (unsigned i = 0; i < letters; ++i) {
    word += static_cast<char>('a' + static_cast<int>(pick(random, 26)));
  }
  return word;
}

/// The colours of ordinary programs: mostly the eight, some bold, some of the 256.
std::string sgr(Random& random) {
  switch (pick(random, 6)) {
    case 0:
      return "\x1b[38;5;" + std::to_string(pick(random, 256)) + "m";
    case 1:
      return "\x1b[1;" + std::to_string(91 + pick(random, 6)) + "m";
    default:
      return "\x1b[" + std::to_string(31 + pick(random, 6)) + "m";
  }
}

void plain_line(Random& random, std::string& out) {
  for (std::size_t column = 0; column < line_columns;) {
    const std::string word = ascii_word(random);
    out += word;
    out += ' ';
    column += word.size() + 1;
  }
  out += '\n';
}

void coloured_line(Random& random, std::string& out) {
  for (std::size_t column = 0; column < line_columns;) {
    const std::string word = ascii_word(random);
    const bool coloured = pick(random, 4) == 0;
    out += coloured ? sgr(random) + word + "\x1b[0m" : word;
    out += ' ';
    column += word.size() + 1;
  }
  out += '\n';
}

void utf8_line(Random& random, std::string& out) {
  static constexpr std::array<std::string_view, 12> words = {"größe", "naïve",  "Привет",   "мир",
                                                             "終端",  "日本語", "καλημέρα", "señor",
                                                             "→",     "漢字",   "🙂",     "text"};
  for (std::size_t word = 0; word < 10; ++word) {
    out += words[pick(random, words.size())];
    out += ' ';
  }
  out += '\n';
}

void cursor_step(Random& random, std::string& out) {
  out += "\x1b[" + std::to_string(1 + pick(random, screen_rows)) + ";" +
         std::to_string(1 + pick(random, screen_columns - 24)) + "H";
  if (pick(random, 4) == 0) {
    out += sgr(random);
  }
  out += ascii_word(random) + ' ' + ascii_word(random);
  if (pick(random, 8) == 0) {
    out += "\x1b[K";
  }
}

using Step = void (*)(Random&, std::string&);

Step step_of(std::string_view name) {
  if (name == "plain") {
    return plain_line;
  }
  if (name == "coloured") {
    return coloured_line;
  }
  if (name == "utf8") {
    return utf8_line;
  }
  return name == "cursor" ? cursor_step : nullptr;
}

}  // namespace

const std::vector<StreamKind>& stream_kinds() {
  static const std::vector<StreamKind> kinds = {{"plain", "plain text"},
                                                {"coloured", "coloured text"},
                                                {"utf8", "UTF-8 text"},
                                                {"cursor", "cursor-addressed"}};
  return kinds;
}

std::optional<std::string> make_stream(std::string_view name, std::size_t bytes) {
  const Step step = step_of(name);
  if (step == nullptr) {
    return std::nullopt;
  }
  Random random(stream_seed);
  std::string out;
  while (out.size() < bytes) {
    step(random, out);
  }
  return out;
}

std::string make_tty_stream(std::string_view name, std::size_t bytes) {
  const std::string stream = make_stream(name, bytes).value_or(std::string());
  std::string out;
  for (const char byte : stream) {
    if (byte == '\n') {
      out += '\r';
    }
    out += byte;
  }
  return out;
}

}  // namespace troupe::bench
