// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The requests of one connection that are not answered yet.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "protocol/requests.hpp"

namespace troupe::actors {

/// Names a request towards actors; unique in the process.
using RequestKey = std::uint64_t;

/// What a request in flight waits for.
enum class RequestKind : std::uint8_t {
  plain,         ///< answered soon
  wait,          ///< may block for long, as input that wants an `ack`; can be cancelled
  subscription,  ///< goes on after its first answer; can be cancelled
  cancel,        ///< answered at once; makes room, so it needs none
};

struct PendingRequest {
  std::optional<protocol::RequestId> id;  ///< absent on a connection of protocol 7's manners
  RequestKind kind = RequestKind::plain;
  std::optional<TerminalId> terminal;
  bool errors_with_code = true;      ///< protocol 7's own operations answer without one
  std::size_t unconsumed_bytes = 0;  ///< read credit to give back with the answer
};

/// Threads: none of its own; one caller at a time.
/// Invariants: ids in flight are unique.
/// Bounds: protocol::max_requests_in_flight requests, max_waits_per_connection of them waits, and
///   one cancel.
class RequestTable {
 public:
  /// `bad_request` for an id that is in flight, `limit` over a bound.
  Result<> add(RequestKey key, PendingRequest request);
  [[nodiscard]] const PendingRequest* find(RequestKey key) const;
  /// The request with this id, of a kind that can be cancelled.
  [[nodiscard]] std::optional<RequestKey> cancellable(const protocol::RequestId& id) const;
  std::optional<PendingRequest> take(RequestKey key);
  /// Gives the read credit of a request back before its answer.
  std::size_t take_credit(RequestKey key);
  [[nodiscard]] std::vector<RequestKey> keys() const;
  [[nodiscard]] std::size_t size() const { return requests_.size(); }
  [[nodiscard]] std::size_t waits() const { return waits_; }

 private:
  std::unordered_map<RequestKey, PendingRequest> requests_;
  std::map<protocol::RequestId, RequestKey> ids_;
  std::size_t waits_ = 0;
};

}  // namespace troupe::actors
