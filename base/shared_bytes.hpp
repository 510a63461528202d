// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Immutable bytes that several readers share: one chunk of output goes to the log, the screen and
/// every subscriber's socket without a copy for each.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

/// A slice of an immutable, shared buffer. Cheap to copy; safe to read from any thread.
class SharedBytes {
 public:
  SharedBytes() = default;
  explicit SharedBytes(std::string bytes)
      : owner_(std::make_shared<const std::string>(std::move(bytes))), length_(owner_->size()) {}

  [[nodiscard]] std::size_t size() const { return length_; }
  [[nodiscard]] bool empty() const { return length_ == 0; }
  [[nodiscard]] std::string_view view() const {
    return owner_ ? std::string_view{*owner_}.substr(offset_, length_) : std::string_view{};
  }
  /// The part from `offset`, at most `length` bytes; shares the buffer.
  [[nodiscard]] SharedBytes slice(std::size_t offset, std::size_t length = SIZE_MAX) const {
    SharedBytes part;
    part.owner_ = owner_;
    offset = offset < length_ ? offset : length_;
    part.offset_ = offset_ + offset;
    part.length_ = length < length_ - offset ? length : length_ - offset;
    return part;
  }

 private:
  std::shared_ptr<const std::string> owner_;
  std::size_t offset_ = 0;
  std::size_t length_ = 0;
};

}  // namespace troupe
