// SPDX-License-Identifier: MIT
#include "recording/html.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "base/utf8.hpp"

namespace troupe::recording {

namespace {

constexpr std::array<std::string_view, 16> ansi_colours{
    "#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
    "#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff"};
constexpr std::string_view page_foreground = "#d4d4d4";
constexpr std::string_view page_background = "#1e1e1e";
constexpr std::size_t max_parameters = 64;

struct Pen {
  std::optional<std::string> foreground;
  std::optional<std::string> background;
  bool bold = false;
  bool dim = false;
  bool italic = false;
  bool underline = false;
  bool strike = false;
  bool overline = false;
  bool inverse = false;
  bool hidden = false;
  bool operator==(const Pen&) const = default;
};

std::string hex_colour(unsigned red, unsigned green, unsigned blue) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", red & 255U, green & 255U, blue & 255U);
  return text.data();
}

std::string palette_colour(unsigned index) {
  if (index < ansi_colours.size()) {
    return std::string(ansi_colours.at(index));
  }
  if (index < 232) {
    const auto level = [](unsigned step) { return step == 0 ? 0U : 55U + 40U * step; };
    index -= 16;
    return hex_colour(level(index / 36), level(index / 6 % 6), level(index % 6));
  }
  const unsigned grey = 8U + 10U * (index - 232U);
  return hex_colour(grey, grey, grey);
}

/// One SGR parameter with its colon-separated parts.
using Parameter = std::vector<unsigned>;

std::vector<Parameter> parameters(std::string_view text) {
  std::vector<Parameter> result{{0}};
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      unsigned& value = result.back().back();
      value = value > 65535U ? value : value * 10U + static_cast<unsigned>(c - '0');
    } else if (c == ';' && result.size() < max_parameters) {
      result.push_back({0});
    } else if (c == ':' && result.back().size() < max_parameters) {
      result.back().push_back(0);
    }
  }
  return result;
}

/// The colour of a 38 or 48 at `at`, which moves to its last parameter.
std::optional<std::string> extended_colour(const std::vector<Parameter>& all, std::size_t& at) {
  const Parameter& own = all[at];
  if (own.size() >= 3 && own[1] == 5) {
    return palette_colour(own[2] & 255U);
  }
  if (own.size() >= 5 && own[1] == 2) {
    const std::size_t first = own.size() >= 6 ? 3 : 2;
    return hex_colour(own[first], own[first + 1], own[first + 2]);
  }
  if (own.size() == 1 && at + 2 < all.size() && all[at + 1][0] == 5) {
    at += 2;
    return palette_colour(all[at][0] & 255U);
  }
  if (own.size() == 1 && at + 4 < all.size() && all[at + 1][0] == 2) {
    at += 4;
    return hex_colour(all[at - 2][0], all[at - 1][0], all[at][0]);
  }
  return std::nullopt;
}

void apply_colour(unsigned code, Pen& pen) {
  if (code >= 30 && code <= 37) {
    pen.foreground = palette_colour(code - 30);
  } else if (code >= 90 && code <= 97) {
    pen.foreground = palette_colour(code - 90 + 8);
  } else if (code >= 40 && code <= 47) {
    pen.background = palette_colour(code - 40);
  } else if (code >= 100 && code <= 107) {
    pen.background = palette_colour(code - 100 + 8);
  } else if (code == 39) {
    pen.foreground.reset();
  } else if (code == 49) {
    pen.background.reset();
  }
}

void apply_style(const Parameter& parameter, Pen& pen) {
  switch (parameter[0]) {
    case 0:
      pen = Pen();
      return;
    case 1:
      pen.bold = true;
      return;
    case 2:
      pen.dim = true;
      return;
    case 3:
      pen.italic = true;
      return;
    case 4:
      pen.underline = parameter.size() < 2 || parameter[1] != 0;
      return;
    case 7:
      pen.inverse = true;
      return;
    case 8:
      pen.hidden = true;
      return;
    case 9:
      pen.strike = true;
      return;
    case 21:
      pen.underline = true;
      return;
    case 22:
      pen.bold = pen.dim = false;
      return;
    case 23:
      pen.italic = false;
      return;
    case 24:
      pen.underline = false;
      return;
    case 27:
      pen.inverse = false;
      return;
    case 28:
      pen.hidden = false;
      return;
    case 29:
      pen.strike = false;
      return;
    case 53:
      pen.overline = true;
      return;
    case 55:
      pen.overline = false;
      return;
    default:
      apply_colour(parameter[0], pen);
  }
}

void apply_sgr(std::string_view text, Pen& pen) {
  const std::vector<Parameter> all = parameters(text);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const unsigned code = all[i][0];
    if (code == 38 || code == 48) {
      const std::optional<std::string> colour = extended_colour(all, i);
      if (colour) {
        (code == 38 ? pen.foreground : pen.background) = colour;
      }
    } else if (code == 58) {
      (void)extended_colour(all, i);
    } else {
      apply_style(all[i], pen);
    }
  }
}

std::string style_of(const Pen& pen) {
  std::optional<std::string> foreground = pen.foreground;
  std::optional<std::string> background = pen.background;
  if (pen.inverse) {
    foreground = pen.background.value_or(std::string(page_background));
    background = pen.foreground.value_or(std::string(page_foreground));
  }
  std::string style;
  if (foreground) {
    style += "color:" + *foreground + ";";
  }
  if (background) {
    style += "background:" + *background + ";";
  }
  style += pen.bold ? "font-weight:bold;" : "";
  style += pen.dim ? "opacity:.6;" : "";
  style += pen.italic ? "font-style:italic;" : "";
  style += pen.hidden ? "visibility:hidden;" : "";
  if (pen.underline || pen.strike || pen.overline) {
    style += "text-decoration:";
    style += pen.underline ? " underline" : "";
    style += pen.strike ? " line-through" : "";
    style += pen.overline ? " overline" : "";
    style += ";";
  }
  return style;
}

void append_html(std::string_view text, std::string& out) {
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) {
          out += c;
        }
    }
  }
}

/// The index after the escape sequence at `at`; an SGR is applied to the pen.
std::size_t after_escape(std::string_view row, std::size_t at, Pen& pen) {
  if (at + 1 < row.size() && (row[at + 1] == ']' || row[at + 1] == 'P')) {
    const std::size_t bell = row.find('\a', at);
    const std::size_t terminator = row.find("\x1b\\", at + 1);
    if (bell < terminator) {
      return bell + 1;
    }
    return terminator == std::string_view::npos ? row.size() : terminator + 2;
  }
  if (at + 1 >= row.size() || row[at + 1] != '[') {
    return at + 1 < row.size() ? at + 2 : row.size();
  }
  std::size_t end = at + 2;
  while (end < row.size() && (row[end] < '@' || row[end] > '~')) {
    ++end;
  }
  if (end < row.size() && row[end] == 'm') {
    apply_sgr(row.substr(at + 2, end - at - 2), pen);
  }
  return end < row.size() ? end + 1 : row.size();
}

void append_row(std::string_view row, std::string& out) {
  Pen pen;
  for (std::size_t at = 0; at < row.size();) {
    if (row[at] == '\x1b') {
      at = after_escape(row, at, pen);
      continue;
    }
    const std::size_t end = std::min(row.find('\x1b', at), row.size());
    const std::string style = style_of(pen);
    if (!style.empty()) {
      out += "<span style=\"" + style + "\">";
    }
    append_html(row.substr(at, end - at), out);
    if (!style.empty()) {
      out += "</span>";
    }
    at = end;
  }
}

}  // namespace

std::string html_page(const std::vector<std::string>& rows, std::string_view title) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>";
  append_html(to_valid_utf8(title), out);
  out += "</title>\n<style>body{margin:0;background:";
  out += page_background;
  out += ";color:";
  out += page_foreground;
  out += "}pre{margin:0;padding:1em;font:14px/1.3 monospace}</style>\n</head>\n<body>\n<pre>";
  for (const std::string& row : rows) {
    append_row(to_valid_utf8(row), out);
    out += '\n';
  }
  return out + "</pre>\n</body>\n</html>\n";
}

}  // namespace troupe::recording
