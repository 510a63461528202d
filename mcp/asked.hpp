// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A request of the client, and how it is answered: in the era that it came in, on a line of its
/// own or among the answers to its batch.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "mcp/batch.hpp"
#include "mcp/rpc.hpp"

namespace troupe::mcp {

/// What this program is called: told once in the legacy era, with every result in the modern one.
Json server_info();

/// Threads: one.
/// Invariants: it is for its holder to answer once, or to withdraw.
class Asked {
 public:
  using Send = std::function<void(std::string)>;

  /// `id` as JSON text; `batch` is none where the answer is a line of its own.
  Asked(std::string id, Era era, Send send, std::shared_ptr<Batch> batch = nullptr)
      : id_(std::move(id)), era_(era), send_(std::move(send)), batch_(std::move(batch)) {}

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] Era era() const { return era_; }
  /// The request itself can decide which one it is.
  void belongs_to(Era era) { era_ = era; }

  void answer(Json result) const;
  /// A result that a modern client may keep.
  void answer_cacheable(Json result) const;
  /// A result that is the same in both eras.
  void answer_plain(const Json& result) const;
  void refuse(int code, std::string_view message) const;
  void refuse(int code, std::string_view message, const Json& data) const;
  /// No answer comes: the client cancelled it.
  void withdraw() const;

 private:
  void send(std::string message) const;

  std::string id_;
  Era era_;
  Send send_;
  std::shared_ptr<Batch> batch_;
};

}  // namespace troupe::mcp
