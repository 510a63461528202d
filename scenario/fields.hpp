// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Strict reading of one mapping: each key is asked for by its type, and what was not asked for is
/// unknown. A number in quotes is no number, `true` is neither a number nor a text: a file that is
/// read differently from what its writer meant is worse than one that is refused.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/scenario.hpp"
#include "scenario/yaml_tree.hpp"

namespace troupe::scenario {

/// Keys that would hold a secret in the file: `password` and its like.
bool is_password_key(std::string_view key);
/// Reports every such key in the tree, at any depth.
void refuse_passwords(const Node& root, Problems& problems);

/// 1 … `max_name_bytes` bytes without control characters.
bool is_name(std::string_view text);

/// Ownership: borrows the node and the problems.
class Fields {
 public:
  /// `where` is put before the keys in messages, as in `options.cols`.
  Fields(const Node& node, std::string where, Problems& problems);

  /// The value of a key; nothing where it is absent or null. Known from here on.
  const Node* find(const std::string& key);
  /// The line of a key, or the mapping's.
  [[nodiscard]] int line_of(const std::string& key) const;
  [[nodiscard]] bool has(const std::string& key) const;

  std::optional<std::string> text(const std::string& key);
  std::optional<std::string> name(const std::string& key);
  /// A name of an environment variable. The value is never repeated in a message: somebody may
  /// have put a password there.
  std::optional<std::string> variable(const std::string& key);
  std::optional<std::int64_t> integer(const std::string& key, std::int64_t least,
                                      std::int64_t most);
  std::optional<bool> boolean(const std::string& key);
  std::optional<Milliseconds> time(const std::string& key);
  std::optional<std::vector<std::string>> texts(const std::string& key);
  std::map<std::string, std::string> text_map(const std::string& key);

  /// The scalar as a text; reported as `key` where it is none.
  std::optional<std::string> as_text(const std::string& key, const Node& node);
  void refuse(const std::string& key, const std::string& why);
  [[nodiscard]] std::string full_name(const std::string& key) const;
  [[nodiscard]] Problems& problems() { return *problems_; }

  /// Reports what was not asked for.
  void finish();

 private:
  const Node* node_;
  std::string where_;
  Problems* problems_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace troupe::scenario
