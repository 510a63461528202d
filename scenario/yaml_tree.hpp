// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A YAML file as a tree of our own, each node with its line. yaml-cpp's own nodes share what an
/// alias names, so a few lines can stand for billions of nodes; here every alias is a copy that
/// counts, and what would pass a limit is refused.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/problem.hpp"

namespace troupe::scenario {

inline constexpr std::size_t max_file_bytes = std::size_t{256} * 1024;
/// Nodes of a tree, with those that aliases copy and those kept for an alias.
inline constexpr std::size_t max_nodes = 20'000;
/// Bytes of all scalars and keys, counted alike.
inline constexpr std::size_t max_text_bytes = std::size_t{1024} * 1024;
inline constexpr std::size_t max_depth = 24;

struct Entry;

struct Node {
  enum class Kind : std::uint8_t { null, scalar, sequence, map };

  Kind kind = Kind::null;
  int line = 0;         ///< from 1
  bool quoted = false;  ///< a scalar that is text whatever it looks like
  std::string text;     ///< of a scalar
  std::vector<Node> items;
  std::vector<Entry> entries;  ///< in the file's order; no key twice

  /// A plain scalar that is a whole number in decimal.
  [[nodiscard]] bool looks_like_integer() const;
  /// A plain `true` or `false`.
  [[nodiscard]] bool looks_like_boolean() const;
};

struct Entry {
  std::string key;
  int line = 0;
  Node value;
};

/// Reads one document. Refused with the line: what is no YAML or no UTF-8, a second document, a key
/// that stands twice or is no text, tags, and what passes a limit. Nothing is thrown.
Read<Node> read_yaml(std::string_view text, const std::string& file);

}  // namespace troupe::scenario
