// SPDX-License-Identifier: MIT
#include "base/base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace troupe {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t invalid_symbol = 0xFF;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  for (auto& value : values) {
    value = invalid_symbol;
  }
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}

constexpr std::array<std::uint8_t, 256> values = make_values();

constexpr std::size_t symbols_per_group = 4;
constexpr std::size_t bytes_per_group = 3;
constexpr std::uint32_t max_group = 0xFFFFFF;

std::uint32_t byte_at(std::string_view bytes, std::size_t index) {
  return static_cast<unsigned char>(bytes[index]);
}

/// The 24 bits of four symbols; more than `max_group` where one of them is invalid, because 0xFF
/// has bits beyond a symbol's six.
std::uint32_t group_at(std::string_view text, std::size_t index) {
  const std::uint32_t first = values[byte_at(text, index)];
  const std::uint32_t second = values[byte_at(text, index + 1)];
  const std::uint32_t third = values[byte_at(text, index + 2)];
  const std::uint32_t fourth = values[byte_at(text, index + 3)];
  const std::uint32_t invalid = (first | second | third | fourth) & 0xC0U;
  return invalid << 24U | first << 18U | second << 12U | third << 6U | fourth;
}

Error invalid_symbol_in(std::string_view text) {
  const auto invalid = [](char symbol) {
    return values[static_cast<unsigned char>(symbol)] == invalid_symbol;
  };
  const auto place = std::find_if(text.begin(), text.end(), invalid) - text.begin();
  return {Code::bad_request, "invalid symbol at " + std::to_string(place)};
}

/// The only group that may be padded. `index` is its place in the whole text.
Result<std::string> decode_last_group(std::string out, std::string_view group, std::size_t index) {
  std::size_t symbols = symbols_per_group;
  while (symbols > 2 && group[symbols - 1] == '=') {
    --symbols;
  }
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < symbols_per_group; ++i) {
    const std::uint8_t value = i < symbols ? values[byte_at(group, i)] : std::uint8_t{0};
    if (value == invalid_symbol) {
      return Error{Code::bad_request, "invalid symbol at " + std::to_string(index + i)};
    }
    bits = bits << 6U | value;
  }
  const std::uint32_t surplus = symbols == 2 ? bits & 0xFFFFU : symbols == 3 ? bits & 0xFFU : 0;
  if (surplus != 0) {
    return Error{Code::bad_request, "last symbol has surplus bits"};
  }
  for (std::size_t i = 0; i + 1 < symbols; ++i) {
    out.push_back(static_cast<char>(bits >> (16U - 8U * i) & 0xFFU));
  }
  return out;
}

}  // namespace

std::string base64_encode(std::string_view bytes) {
  std::string out;
  base64_append(out, bytes);
  return out;
}

void base64_append(std::string& out, std::string_view bytes) {
  std::size_t at = out.size();
  out.resize(at + (bytes.size() + 2) / 3 * 4, '=');
  std::size_t in = 0;
  for (; in + 2 < bytes.size(); in += 3, at += 4) {
    const std::uint32_t group =
        byte_at(bytes, in) << 16U | byte_at(bytes, in + 1) << 8U | byte_at(bytes, in + 2);
    out[at] = alphabet[group >> 18U];
    out[at + 1] = alphabet[group >> 12U & 63U];
    out[at + 2] = alphabet[group >> 6U & 63U];
    out[at + 3] = alphabet[group & 63U];
  }
  if (in + 1 == bytes.size()) {
    const std::uint32_t group = byte_at(bytes, in) << 4U;
    out[at] = alphabet[group >> 6U];
    out[at + 1] = alphabet[group & 63U];
  } else if (in + 2 == bytes.size()) {
    const std::uint32_t group = byte_at(bytes, in) << 10U | byte_at(bytes, in + 1) << 2U;
    out[at] = alphabet[group >> 12U];
    out[at + 1] = alphabet[group >> 6U & 63U];
    out[at + 2] = alphabet[group & 63U];
  }
}

Result<std::string> base64_decode(std::string_view text) {
  if (text.size() % symbols_per_group != 0) {
    return Error{Code::bad_request, "length is not a multiple of four"};
  }
  if (text.empty()) {
    return std::string();
  }
  const std::string_view last = text.substr(text.size() - symbols_per_group);
  text.remove_suffix(symbols_per_group);
  std::string out;
  out.reserve((text.size() / symbols_per_group + 1) * bytes_per_group);
  out.resize(text.size() / symbols_per_group * bytes_per_group);
  for (std::size_t in = 0, at = 0; in < text.size(); in += symbols_per_group) {
    const std::uint32_t group = group_at(text, in);
    if (group > max_group) {
      return invalid_symbol_in(text.substr(0, in + symbols_per_group));
    }
    out[at++] = static_cast<char>(group >> 16U);
    out[at++] = static_cast<char>(group >> 8U & 0xFFU);
    out[at++] = static_cast<char>(group & 0xFFU);
  }
  return decode_last_group(std::move(out), last, text.size());
}

}  // namespace troupe
