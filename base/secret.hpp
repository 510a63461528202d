// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A password in memory: one copy of it, however many hold it, overwritten when the last lets go.
/// A plain string leaves copies wherever it was moved from or grew.

#include <memory>
#include <string>
#include <string_view>

namespace troupe {

/// Overwrites the bytes, also those of its room that are not in use, before it forgets them.
void wipe(std::string& secret);

/// Cheap to copy: copies share the bytes. Safe to read from any thread.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string_view text);

  [[nodiscard]] std::string_view view() const {
    return bytes_ ? std::string_view{*bytes_} : std::string_view{};
  }
  [[nodiscard]] std::size_t size() const { return view().size(); }

 private:
  std::shared_ptr<const std::string> bytes_;
};

}  // namespace troupe
