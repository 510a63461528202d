// SPDX-License-Identifier: MIT
#include "telemetry/otel_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace troupe::telemetry {
namespace {

constexpr std::size_t max_pairs = 64;
constexpr std::size_t max_pair_bytes = 4096;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool is_token(const std::string& name) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !name.empty() && std::all_of(name.begin(), name.end(), [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || marks.find(c) != marks.npos;
  });
}

bool is_field_value(const std::string& value) {
  return std::all_of(value.begin(), value.end(), [](char c) {
    return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
  });
}

/// The fields that the sender sets itself, or that would break its framing.
bool is_reserved(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 6> reserved{
      "host", "content-length", "content-type", "transfer-encoding", "connection", "expect"};
  return std::find(reserved.begin(), reserved.end(), name) != reserved.end();
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
        hex_digit(text[i + 2]) >= 0) {
      out.push_back(static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

std::optional<Pairs> parse_pairs(std::string_view text) {
  Pairs pairs;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = trimmed(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    if (part.empty()) {
      continue;
    }
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0 || part.size() > max_pair_bytes ||
        pairs.size() == max_pairs) {
      return std::nullopt;
    }
    pairs.emplace_back(std::string{trimmed(part.substr(0, equals))},
                       decoded(trimmed(part.substr(equals + 1))));
  }
  return pairs;
}

bool is_sendable_header(const std::string& name, const std::string& value) {
  return is_token(name) && is_field_value(value) && !is_reserved(name);
}

}  // namespace troupe::telemetry
