// SPDX-License-Identifier: MIT
#include "actors/decisions/subscriber_set.hpp"

#include <algorithm>
#include <utility>

namespace troupe::actors {

Result<ControlChange> SubscriberSet::attach(SubscriberId id, SubscriberSpec spec,
                                            StreamOffset offset) {
  Subscriber* const older = find_attachment(spec.attachment_id);
  const bool own_control = older != nullptr && is_controller(older->id);
  const bool wants_control = spec.role == Role::controller;
  if (wants_control && controller_ && !own_control && spec.takeover == Takeover::no) {
    return Error{Code::busy, "terminal already has a controller"};
  }
  ControlChange change;
  std::uint64_t const before = generation_;
  std::uint64_t last_control = 0;
  if (older != nullptr) {
    change.replaced = older->id;
    last_control = older->last_control;
    std::erase_if(subscribers_, [&](const Subscriber& s) { return s.id == *change.replaced; });
  }
  subscribers_.push_back({id, std::move(spec), last_control, 0, offset, std::nullopt});
  if (own_control) {
    // The attachment keeps its control under the new stream: no change that anybody could see.
    controller_ = id;
    if (!wants_control) {
      controller_.reset();
      subscribers_.back().last_control = 0;
      elect();
      ++generation_;
    }
  } else if (wants_control) {
    set_controller(id);
  }
  change.controller_changed = generation_ != before;
  return change;
}

ControlChange SubscriberSet::detach(SubscriberId id) {
  ControlChange change;
  std::erase_if(subscribers_, [&](const Subscriber& s) { return s.id == id; });
  if (controller_ == id) {
    controller_.reset();
    elect();
    ++generation_;
    change.controller_changed = true;
  }
  return change;
}

Result<ControlChange> SubscriberSet::promote(std::string_view attachment_id) {
  Subscriber* const subscriber = find_attachment(attachment_id);
  if (subscriber == nullptr) {
    return Error{Code::not_controller,
                 "attachment " + std::string{attachment_id} + " is not subscribed"};
  }
  ControlChange change;
  change.controller_changed = set_controller(subscriber->id);
  return change;
}

Result<> SubscriberSet::authorize(const std::optional<std::string>& attachment_id) const {
  const std::optional<std::string> current = controller();
  if (attachment_id == current) {
    return success();
  }
  if (!attachment_id) {
    return Error{Code::not_controller, "terminal input requires the active controller attachment"};
  }
  return Error{Code::not_controller,
               "attachment " + *attachment_id + " is not the terminal controller"};
}

std::optional<std::string> SubscriberSet::controller() const {
  for (const Subscriber& subscriber : subscribers_) {
    if (controller_ == subscriber.id) {
      return subscriber.spec.attachment_id;
    }
  }
  return std::nullopt;
}

Offer SubscriberSet::offer(Subscriber& subscriber, std::size_t bytes) {
  if (subscriber.lost_from) {
    return Offer::skip;
  }
  std::size_t const limit = is_controller(subscriber.id) ? controller_hard_limit : observer_limit;
  if (subscriber.outstanding >= limit) {
    if (!subscriber.spec.resync) {
      return Offer::lagging;
    }
    subscriber.lost_from = subscriber.next_offset;
    return Offer::skip;
  }
  subscriber.outstanding += bytes;
  return Offer::send;
}

bool SubscriberSet::acknowledge(SubscriberId id, std::size_t bytes) {
  Subscriber* const subscriber = find(id);
  if (subscriber == nullptr) {
    return false;
  }
  subscriber->outstanding -= std::min(bytes, subscriber->outstanding);
  return subscriber->lost_from && subscriber->outstanding <= resync_backlog;
}

bool SubscriberSet::held() const {
  return std::any_of(subscribers_.begin(), subscribers_.end(), [&](const Subscriber& s) {
    return controller_ == s.id && s.outstanding >= controller_window;
  });
}

Subscriber* SubscriberSet::find(SubscriberId id) {
  const auto at = std::find_if(subscribers_.begin(), subscribers_.end(),
                               [&](const Subscriber& s) { return s.id == id; });
  return at == subscribers_.end() ? nullptr : &*at;
}

Subscriber* SubscriberSet::find_attachment(std::string_view attachment_id) {
  const auto at = std::find_if(subscribers_.begin(), subscribers_.end(), [&](const Subscriber& s) {
    return s.spec.attachment_id == attachment_id;
  });
  return at == subscribers_.end() ? nullptr : &*at;
}

bool SubscriberSet::set_controller(std::optional<SubscriberId> id) {
  if (id) {
    find(*id)->last_control = ++control_clock_;
  }
  if (controller_ == id) {
    return false;
  }
  controller_ = id;
  ++generation_;
  return true;
}

void SubscriberSet::elect() {
  // max_element keeps the first of equals: among those that never controlled the oldest.
  const auto best = std::max_element(
      subscribers_.begin(), subscribers_.end(),
      [](const Subscriber& a, const Subscriber& b) { return a.last_control < b.last_control; });
  if (best != subscribers_.end()) {
    controller_ = best->id;
    best->last_control = ++control_clock_;
  }
}

}  // namespace troupe::actors
