// SPDX-License-Identifier: MIT
#include "terminal/tables.hpp"

namespace troupe::terminal {

std::uint32_t ClusterTable::intern(std::string_view text) {
  std::string key{text.substr(0, max_cluster_bytes)};
  if (const auto found = ids_.find(key); found != ids_.end()) {
    return found->second;
  }
  if (full()) {
    return none;
  }
  std::uint32_t id = 0;
  if (free_.empty()) {
    id = static_cast<std::uint32_t>(texts_.size());
    texts_.push_back(key);
  } else {
    id = free_.back();
    free_.pop_back();
    texts_[id] = key;
  }
  ids_.emplace(std::move(key), id);
  return id;
}

void ClusterTable::sweep(const std::vector<bool>& used) {
  for (std::uint32_t id = 0; id < texts_.size(); ++id) {
    const bool keep = id < used.size() && used[id];
    if (!keep && !texts_[id].empty()) {
      ids_.erase(texts_[id]);
      texts_[id] = {};
      free_.push_back(id);
    }
  }
}

std::size_t ClusterTable::memory_bytes() const {
  constexpr std::size_t per_entry = 2 * sizeof(std::string) + 40;
  return texts_.size() * per_entry;
}

const Extra& ExtraTable::get(std::uint16_t id) const {
  static const Extra nothing;
  return id == 0 || id > entries_.size() ? nothing : entries_[id - 1U];
}

std::size_t ExtraTable::cost(const Extra& extra) {
  return 2 * (sizeof(Extra) + extra.link.size() + extra.link_id.size());
}

std::string ExtraTable::key(const Extra& extra) {
  return std::to_string(extra.underline) + ' ' + extra.link_id + '\0' + extra.link;
}

bool ExtraTable::full() const {
  return (free_.empty() && entries_.size() >= max_extras) || bytes_ >= max_bytes;
}

std::uint16_t ExtraTable::intern(const Extra& extra) {
  if (extra == Extra{}) {
    return 0;
  }
  auto name = key(extra);
  if (const auto found = ids_.find(name); found != ids_.end()) {
    return found->second;
  }
  if (full()) {
    return 0;
  }
  std::uint16_t id = 0;
  if (free_.empty()) {
    entries_.push_back(extra);
    id = static_cast<std::uint16_t>(entries_.size());
  } else {
    id = free_.back();
    free_.pop_back();
    entries_[id - 1U] = extra;
  }
  bytes_ += cost(extra);
  ids_.emplace(std::move(name), id);
  return id;
}

void ExtraTable::sweep(const std::vector<bool>& used) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const bool keep = i + 1 < used.size() && used[i + 1];
    if (!keep && entries_[i] != Extra{}) {
      bytes_ -= cost(entries_[i]);
      ids_.erase(key(entries_[i]));
      entries_[i] = {};
      free_.push_back(static_cast<std::uint16_t>(i + 1));
    }
  }
}

}  // namespace troupe::terminal
