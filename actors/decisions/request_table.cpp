// SPDX-License-Identifier: MIT
#include "actors/decisions/request_table.hpp"

#include <utility>

#include "protocol/limits.hpp"

namespace troupe::actors {

Result<> RequestTable::add(RequestKey key, PendingRequest request) {
  if (request.id && ids_.count(*request.id) > 0) {
    return Error{Code::bad_request, "request_id is already in flight"};
  }
  if (request.kind != RequestKind::cancel && requests_.size() >= protocol::max_requests_in_flight) {
    return Error{Code::limit, "too many requests in flight on this connection"};
  }
  if (request.kind == RequestKind::wait) {
    if (waits_ >= protocol::max_waits_per_connection) {
      return Error{Code::limit, "too many waits on this connection"};
    }
    ++waits_;
  }
  if (request.id) {
    ids_.emplace(*request.id, key);
  }
  requests_.emplace(key, std::move(request));
  return success();
}

const PendingRequest* RequestTable::find(RequestKey key) const {
  const auto at = requests_.find(key);
  return at == requests_.end() ? nullptr : &at->second;
}

std::optional<RequestKey> RequestTable::cancellable(const protocol::RequestId& id) const {
  const auto at = ids_.find(id);
  if (at == ids_.end()) {
    return std::nullopt;
  }
  const RequestKind kind = requests_.at(at->second).kind;
  const bool blocks = kind == RequestKind::wait || kind == RequestKind::subscription;
  return blocks ? std::optional{at->second} : std::nullopt;
}

std::optional<PendingRequest> RequestTable::take(RequestKey key) {
  auto node = requests_.extract(key);
  if (node.empty()) {
    return std::nullopt;
  }
  if (node.mapped().id) {
    ids_.erase(*node.mapped().id);
  }
  if (node.mapped().kind == RequestKind::wait) {
    --waits_;
  }
  return std::move(node.mapped());
}

std::size_t RequestTable::take_credit(RequestKey key) {
  const auto at = requests_.find(key);
  return at == requests_.end() ? 0 : std::exchange(at->second.unconsumed_bytes, 0);
}

std::vector<RequestKey> RequestTable::keys() const {
  std::vector<RequestKey> result;
  result.reserve(requests_.size());
  for (const auto& entry : requests_) {
    result.push_back(entry.first);
  }
  return result;
}

}  // namespace troupe::actors
