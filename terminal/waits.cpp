// SPDX-License-Identifier: MIT
#include "terminal/waits.hpp"

#include <algorithm>

namespace troupe::terminal {

Result<> Waits::admit(std::int64_t timeout_ms) const {
  if (timeout_ms < 0) {
    return Error{Code::bad_request, "the timeout is negative"};
  }
  if (size() >= max_pending_waits) {
    return Error{Code::limit, "too many waits on this terminal"};
  }
  return success();
}

Result<WaitId> Waits::arm_text(const TextWaitSpec& spec, const WaitContext& context) {
  const auto from = reader_.resolve(spec.cursor);
  if (!from) {
    return from.error();
  }
  if (auto admitted = admit(spec.timeout_ms); !admitted) {
    return admitted.error();
  }
  if (auto armed = texts_.arm(next_id_, spec, *from, context); !armed) {
    return armed.error();
  }
  return next_id_++;
}

Result<WaitId> Waits::arm_command(const CommandSpec& spec, std::int64_t timeout_ms,
                                  const WaitContext& context) {
  if (auto admitted = admit(timeout_ms); !admitted) {
    return admitted.error();
  }
  commands_.arm(next_id_, spec, timeout_ms, context);
  return next_id_++;
}

Result<WaitId> Waits::arm_run(std::int64_t timeout_ms, std::size_t max_bytes,
                              const WaitContext& context, Typed typed) {
  if (auto admitted = admit(timeout_ms); !admitted) {
    return admitted.error();
  }
  if (auto armed = commands_.arm_run(next_id_, timeout_ms, max_bytes, context, typed); !armed) {
    return armed.error();
  }
  return next_id_++;
}

void Waits::cancel(WaitId wait) {
  texts_.cancel(wait);
  commands_.cancel(wait);
}

void Waits::child_exited(const WaitContext& context) {
  texts_.child_exited(context);
  commands_.child_exited(context);
}

void Waits::exited(const WaitContext& context) {
  texts_.exited(context);
  commands_.child_exited(context);
}

void Waits::restarted() {
  texts_.restarted();
  commands_.restarted();
}

void Waits::expire(const WaitContext& context) {
  texts_.expire(context);
  commands_.expire(context);
}

std::optional<std::int64_t> Waits::next_deadline() const {
  const auto text = texts_.next_deadline();
  const auto command = commands_.next_deadline();
  return text && command ? std::min(text, command) : (text ? text : command);
}

}  // namespace troupe::terminal
