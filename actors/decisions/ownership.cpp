// SPDX-License-Identifier: MIT
#include "actors/decisions/ownership.hpp"

#include <utility>

namespace troupe::actors {

Ownership::Ownership(Mode mode, std::string instance_id, std::int64_t steady_ms)
    : mode_(mode), instance_id_(std::move(instance_id)) {
  if (mode_ == Mode::owned) {
    claim_deadline_ms_ = steady_ms + claim_ms;
  }
}

Result<Claim> Ownership::claim(ConnectionId connection, std::string_view instance_id,
                               const std::optional<std::string>& ticket, std::int64_t steady_ms) {
  if (mode_ == Mode::standalone) {
    return Error{Code::unsupported, "a standalone daemon has no owner"};
  }
  if (stopped_ || expire(steady_ms) == Verdict::stop) {
    return Error{Code::cancelled, "daemon ownership deadline expired or daemon is stopping"};
  }
  if (instance_id != instance_id_) {
    return Error{Code::bad_request, "daemon instance_id mismatch"};
  }
  if (prepared_) {
    if (ticket != prepared_->handoff.ticket) {
      return owner_ && !ticket ? Error{Code::busy, "daemon already has a live owner"}
                               : Error{Code::bad_request, "invalid handoff ticket"};
    }
  } else if (owner_) {
    return Error{Code::busy, "daemon already has a live owner"};
  } else if (ticket) {
    return Error{Code::bad_request, "invalid handoff ticket"};
  }
  prepared_.reset();
  claim_deadline_ms_.reset();
  return Claim{std::exchange(owner_, connection)};
}

Result<HandoffTicket> Ownership::prepare(ConnectionId connection, std::int64_t steady_ms,
                                         std::int64_t wall_ms, std::string fresh_ticket) {
  if (owner_ != connection) {
    return Error{Code::bad_request, "handoff requires the owner connection"};
  }
  (void)expire(steady_ms);  // an owner is connected: expiry only voids the ticket
  if (!prepared_) {
    prepared_ = Prepared{{std::move(fresh_ticket), wall_ms + handoff_ms}, steady_ms + handoff_ms};
  }
  return prepared_->handoff;
}

Verdict Ownership::lost(ConnectionId connection, std::int64_t steady_ms) {
  if (owner_ != connection) {
    return Verdict::go_on;
  }
  (void)expire(steady_ms);
  owner_.reset();
  if (prepared_) {
    return Verdict::go_on;
  }
  stopped_ = true;
  return Verdict::stop;
}

Verdict Ownership::expire(std::int64_t steady_ms) {
  if (claim_deadline_ms_ && steady_ms >= *claim_deadline_ms_) {
    stopped_ = true;
  }
  if (prepared_ && steady_ms >= prepared_->deadline_ms) {
    prepared_.reset();
    stopped_ = stopped_ || !owner_;
  }
  return stopped_ ? Verdict::stop : Verdict::go_on;
}

std::optional<std::int64_t> Ownership::deadline_ms() const {
  if (stopped_) {
    return std::nullopt;
  }
  if (prepared_) {
    return prepared_->deadline_ms;
  }
  return claim_deadline_ms_;
}

}  // namespace troupe::actors
