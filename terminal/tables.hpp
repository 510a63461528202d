// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What does not fit a cell: clusters of several code points, underline colours and hyperlinks.
/// Programs can make any number of them, so both tables are bounded and are swept when full.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "terminal/cell.hpp"

namespace troupe::terminal {

/// Clusters that cells refer to.
///
/// Bounds: `max_clusters` of at most `max_cluster_bytes` each. The owner sweeps when `full`; where
/// that frees nothing, further marks are dropped.
class ClusterTable {
 public:
  static constexpr std::size_t max_clusters = 16'384;
  static constexpr std::size_t max_cluster_bytes = 128;
  static constexpr std::uint32_t none = UINT32_MAX;

  [[nodiscard]] std::string_view text(std::uint32_t id) const {
    return id < texts_.size() ? std::string_view{texts_[id]} : std::string_view{};
  }
  /// The id of `text`; `none` where the table is full.
  std::uint32_t intern(std::string_view text);
  [[nodiscard]] bool full() const { return free_.empty() && texts_.size() >= max_clusters; }
  /// Keeps what `used` marks (indexed by id).
  void sweep(const std::vector<bool>& used);
  [[nodiscard]] std::size_t size() const { return texts_.size(); }
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  std::vector<std::string> texts_;
  std::vector<std::uint32_t> free_;
  std::unordered_map<std::string, std::uint32_t> ids_;
};

/// What `Attributes::extra` names; entry 0 is "nothing".
struct Extra {
  Color underline = 0;
  std::string link;     ///< URI, empty: none
  std::string link_id;  ///< the `id=` parameter
  bool operator==(const Extra&) const = default;
};

/// Underline colours and hyperlinks in use.
///
/// Bounds: `max_extras` entries, links of at most `max_link_bytes`, `max_bytes` in all. The owner
/// sweeps when `full`; where that frees nothing, the attribute is dropped.
class ExtraTable {
 public:
  static constexpr std::size_t max_extras = 4096;
  static constexpr std::size_t max_link_bytes = 2083;
  static constexpr std::size_t max_bytes = 512 * 1024;

  [[nodiscard]] const Extra& get(std::uint16_t id) const;
  /// The id of `extra`; 0 where it is empty or the table is full.
  std::uint16_t intern(const Extra& extra);
  [[nodiscard]] bool full() const;
  void sweep(const std::vector<bool>& used);
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::size_t memory_bytes() const { return bytes_; }

 private:
  static std::size_t cost(const Extra& extra);
  static std::string key(const Extra& extra);

  std::vector<Extra> entries_;  ///< id - 1
  std::vector<std::uint16_t> free_;
  std::unordered_map<std::string, std::uint16_t> ids_;
  std::size_t bytes_ = 0;
};

}  // namespace troupe::terminal
