// SPDX-License-Identifier: MIT
#include "base/base64.hpp"

#include <array>
#include <cstdint>

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

std::uint32_t byte_at(std::string_view bytes, std::size_t index) {
  return static_cast<unsigned char>(bytes[index]);
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
  if (text.size() % 4 != 0) {
    return Error{Code::bad_request, "length is not a multiple of four"};
  }
  std::string out;
  out.reserve(text.size() / 4 * 3);
  for (std::size_t at = 0; at < text.size(); at += 4) {
    const bool last = at + 4 == text.size();
    std::size_t symbols = 4;
    while (last && symbols > 2 && text[at + symbols - 1] == '=') {
      --symbols;
    }
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::uint8_t value = i < symbols ? values[byte_at(text, at + i)] : std::uint8_t{0};
      if (value == invalid_symbol) {
        return Error{Code::bad_request, "invalid symbol at " + std::to_string(at + i)};
      }
      group = group << 6U | value;
    }
    const std::uint32_t surplus = symbols == 2 ? group & 0xFFFFU : symbols == 3 ? group & 0xFFU : 0;
    if (surplus != 0) {
      return Error{Code::bad_request, "last symbol has surplus bits"};
    }
    for (std::size_t i = 0; i + 1 < symbols; ++i) {
      out.push_back(static_cast<char>(group >> (16U - 8U * i) & 0xFFU));
    }
  }
  return out;
}

}  // namespace troupe
