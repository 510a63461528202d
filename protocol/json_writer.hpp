// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Writes compact JSON with keys in the order of the calls. Written by hand because protocol 7
/// fixes the key order, and because a checkpoint of megabytes goes into the payload without a copy
/// of its base64.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::protocol {

/// Appends `text` as a JSON string with quotes. Non-ASCII stays raw UTF-8; each maximal part that
/// is not UTF-8 becomes U+FFFD.
void append_json_string(std::string& out, std::string_view text);

/// The length that `append_json_string` adds.
std::size_t json_string_size(std::string_view text);

/// Order: begin_object, then key and value in turn, end_object; commas come by themselves.
class JsonWriter {
 public:
  void reserve(std::size_t bytes) { out_.reserve(bytes); }

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  /// `name` must need no escaping: the names of the wire are plain words.
  void key(std::string_view name);
  void any_key(std::string_view name);

  void null();
  void boolean(bool value);
  void number(std::integral auto value) { integer(std::to_string(value)); }
  void string(std::string_view text);
  void base64(std::string_view bytes);
  /// `json` must be valid JSON.
  void raw(std::string_view json);

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void separate();
  void open(char bracket);
  void close(char bracket);
  void integer(std::string_view digits);

  std::string out_;
  bool needs_comma_ = false;
};

}  // namespace troupe::protocol
