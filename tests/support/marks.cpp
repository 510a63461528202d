// SPDX-License-Identifier: MIT
#include "tests/support/marks.hpp"

namespace troupe::test {

namespace {

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

bool is_ours(std::string_view payload) {
  return starts_with(payload, "133;") || starts_with(payload, "633;") || starts_with(payload, "7;");
}

std::vector<std::string> fields(std::string_view text) {
  std::vector<std::string> result(1);
  for (const char c : text) {
    if (c == ';') {
      result.emplace_back();
    } else {
      result.back() += c;
    }
  }
  return result;
}

int hex_digit(char c) {
  const std::string_view digits = "0123456789abcdef";
  const auto lower = static_cast<char>(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
  const std::size_t at = digits.find(lower);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

/// Undoes `mark`, two hex digits; and, where `mark` is a backslash before an x, a doubled
/// backslash.
std::string unescaped(std::string_view text, std::string_view mark) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digits = i + mark.size();
    if (starts_with(text.substr(i), mark) && digits + 1 < text.size() &&
        hex_digit(text[digits]) >= 0 && hex_digit(text[digits + 1]) >= 0) {
      result += static_cast<char>(hex_digit(text[digits]) * 16 + hex_digit(text[digits + 1]));
      i = digits + 1;
    } else if (mark == "\\x" && starts_with(text.substr(i), "\\\\")) {
      result += '\\';
      ++i;
    } else {
      result += text[i];
    }
  }
  return result;
}

bool carries(const std::vector<std::string>& params, std::string_view nonce) {
  for (const std::string& param : params) {
    if (starts_with(param, "nonce=") && param.substr(6) == nonce) {
      return true;
    }
  }
  return false;
}

std::string short_form(const std::string& osc, std::string_view nonce) {
  std::vector<std::string> params = fields(osc);
  const std::string letter = params.at(1);
  std::string result = letter;
  if (starts_with(osc, "633;E;")) {
    result += "[" + unescaped(params.at(2), "\\x") + "]";
    return params.size() == 4 && params[3] == nonce ? result : result + "?";
  }
  if (letter == "D") {
    result += "[" + (params.size() > 2 ? params[2] : std::string()) + "]";
  }
  const bool signed_mark = letter == "C" || letter == "D";
  return !signed_mark || carries(params, nonce) ? result : result + "?";
}

std::string without_leading_csi(std::string text) {
  while (starts_with(text, "\x1b[") || starts_with(text, "\r")) {
    if (text.front() == '\r' && !starts_with(text, "\r\n")) {
      text.erase(0, 1);
      continue;
    }
    const std::size_t end = text.find_first_of("hlmK", 2);
    if (text.front() == '\r' || end == std::string::npos) {
      break;
    }
    text.erase(0, end + 1);
  }
  return text;
}

}  // namespace

std::vector<Piece> pieces(std::string_view stream) {
  std::vector<Piece> result;
  std::string text;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    if (!starts_with(stream.substr(i), "\x1b]")) {
      text += stream[i];
      continue;
    }
    std::size_t end = i + 2;
    while (end < stream.size() && stream[end] != '\a' &&
           !starts_with(stream.substr(end), "\x1b\\")) {
      ++end;
    }
    const std::string_view payload = stream.substr(i + 2, end - i - 2);
    if (end == stream.size() || !is_ours(payload)) {
      text += stream[i];
      continue;
    }
    if (!text.empty()) {
      result.push_back({"", text});
      text.clear();
    }
    result.push_back({std::string(payload), ""});
    i = stream[end] == '\a' ? end : end + 1;
  }
  if (!text.empty()) {
    result.push_back({"", text});
  }
  return result;
}

std::string outline(std::string_view stream, std::string_view nonce) {
  std::vector<std::string> marks;
  for (const Piece& piece : pieces(stream)) {
    if (piece.osc.empty() || starts_with(piece.osc, "7;")) {
      continue;
    }
    std::string mark = short_form(piece.osc, nonce);
    const std::size_t count = marks.size();
    if (mark == "B" && count >= 1 && marks.back() == "B") {
      continue;
    }
    if (mark == "A" && count >= 2 && marks[count - 1] == "B" && marks[count - 2] == "A") {
      marks.pop_back();
      continue;
    }
    marks.push_back(std::move(mark));
  }
  std::string result;
  for (const std::string& mark : marks) {
    result += (result.empty() ? "" : " ") + mark;
  }
  return result;
}

std::vector<std::string> outputs(std::string_view stream) {
  std::vector<std::string> result;
  bool running = false;
  for (const Piece& piece : pieces(stream)) {
    if (starts_with(piece.osc, "133;C")) {
      result.emplace_back();
      running = true;
    } else if (starts_with(piece.osc, "133;D")) {
      running = false;
    } else if (running) {
      result.back() += piece.text;
    }
  }
  for (std::string& text : result) {
    text = without_leading_csi(text);
  }
  return result;
}

std::vector<std::string> directories(std::string_view stream) {
  std::vector<std::string> result;
  for (const Piece& piece : pieces(stream)) {
    if (!starts_with(piece.osc, "7;file://")) {
      continue;
    }
    const std::string path = unescaped(piece.osc.substr(piece.osc.find('/', 9)), "%");
    if (result.empty() || result.back() != path) {
      result.push_back(path);
    }
  }
  return result;
}

std::string without_marks(std::string_view stream) {
  std::string result;
  for (const Piece& piece : pieces(stream)) {
    result += piece.text;
  }
  return result;
}

std::size_t prompts(std::string_view stream) {
  std::size_t count = 0;
  bool begun = false;
  for (const Piece& piece : pieces(stream)) {
    if (starts_with(piece.osc, "133;A")) {
      begun = true;
    } else if (starts_with(piece.osc, "133;B") && begun) {
      begun = false;
      ++count;
    }
  }
  return count;
}

}  // namespace troupe::test
