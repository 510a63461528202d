// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// JSON-RPC batches, which one version of MCP (2025-03-26) has: the answers to an array of messages
/// are one array.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::mcp {

/// The answers to one batch, sent when the last one came; nothing where none is to be sent.
///
/// Threads: one.
/// Order: as the answers come, which JSON-RPC leaves open.
/// Bounds: `max_messages`; each answer has its own bound.
class Batch {
 public:
  static constexpr std::size_t max_messages = 100;

  explicit Batch(std::function<void(std::string)> send) : send_(std::move(send)) {}

  /// A message of it will be answered, or its answer withdrawn.
  void expect() { ++awaited_; }
  void answer(std::string_view message);
  /// No answer comes: the request was cancelled.
  void withdraw() { settle(); }
  /// All messages of it were read.
  void close() { settle(); }

 private:
  void settle();

  std::function<void(std::string)> send_;
  std::string answers_;
  std::size_t awaited_ = 1;  ///< the reading of the batch counts
};

}  // namespace troupe::mcp
