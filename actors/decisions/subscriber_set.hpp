// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Who follows a terminal, who controls it, and how far each one's socket lags. One value, so that
/// the rules of control and of back-pressure are tested without actors.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "protocol/words.hpp"

namespace troupe::actors {

using protocol::Role;
enum class Takeover : std::uint8_t { no, yes };

/// Names one subscription inside a terminal; given out by the terminal, never reused.
using SubscriberId = std::uint64_t;

/// What a subscription asks for.
struct SubscriberSpec {
  std::string attachment_id;
  Role role = Role::observer;
  Takeover takeover = Takeover::no;
  bool journal = false;                     ///< wants command_started and command_finished
  bool child_events = false;                ///< wants child_exited, and spans a restart
  bool resync = false;                      ///< is never dropped for lagging
  std::optional<std::size_t> history_rows;  ///< of checkpoints in its events
};

/// One subscriber's state.
struct Subscriber {
  SubscriberId id = 0;
  SubscriberSpec spec;
  std::uint64_t last_control = 0;  ///< grows with each promotion; 0: never controlled
  std::size_t outstanding = 0;     ///< bytes given to the session and not yet taken by the socket
  StreamOffset next_offset = 0;    ///< the output it gets next
  std::optional<StreamOffset> lost_from;  ///< set while a resync is due
};

/// What an attach, a promotion or a detach changed.
struct ControlChange {
  bool controller_changed = false;
  std::optional<SubscriberId> replaced;  ///< an older stream of the same attachment, to be ended
};

/// What to do with an item for a subscriber.
enum class Offer : std::uint8_t { send, skip, lagging };

/// The subscribers of one terminal.
///
/// Threads: none of its own; one caller at a time.
/// Invariants: at most one controller; `generation` grows by one with each change of controller;
/// attachment ids are unique.
/// Bounds: `outstanding` of an observer stays below `observer_limit` + one item, of a controller
/// below `controller_hard_limit` + one item; whoever exceeds it lags.
class SubscriberSet {
 public:
  static constexpr std::size_t observer_limit = 8U * 1024 * 1024;
  static constexpr std::size_t controller_window = 512U * 1024;
  static constexpr std::size_t controller_hard_limit = 32U * 1024 * 1024;
  /// A lost subscriber is caught up once its backlog is below this.
  static constexpr std::size_t resync_backlog = 64U * 1024;

  /// Adds a subscriber at `offset`. Refused (`busy`) while another attachment controls and no
  /// takeover is asked.
  Result<ControlChange> attach(SubscriberId id, SubscriberSpec spec, StreamOffset offset);
  /// Removes a subscriber; the one that controlled last, else the oldest, is promoted.
  ControlChange detach(SubscriberId id);
  /// `control` and `input`: the attachment becomes the controller. `not_controller` when it is not
  /// subscribed.
  Result<ControlChange> promote(std::string_view attachment_id);
  /// May this attachment write and resize?
  [[nodiscard]] Result<> authorize(const std::optional<std::string>& attachment_id) const;

  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  /// The controller's attachment id.
  [[nodiscard]] std::optional<std::string> controller() const;
  [[nodiscard]] bool is_controller(SubscriberId id) const { return controller_ == id; }

  /// Decides about an item of `bytes` for a subscriber and accounts for it when it is sent. A
  /// lagging one that asked for `resync` is marked lost instead (`skip`).
  Offer offer(Subscriber& subscriber, std::size_t bytes);
  /// The socket took `bytes`. True when a resync of this subscriber is now due.
  bool acknowledge(SubscriberId id, std::size_t bytes);
  /// The controller's window is full: the terminal must stop reading its PTY.
  [[nodiscard]] bool held() const;

  [[nodiscard]] Subscriber* find(SubscriberId id);
  [[nodiscard]] std::vector<Subscriber>& all() { return subscribers_; }
  [[nodiscard]] const std::vector<Subscriber>& all() const { return subscribers_; }
  [[nodiscard]] bool empty() const { return subscribers_.empty(); }

 private:
  Subscriber* find_attachment(std::string_view attachment_id);
  bool set_controller(std::optional<SubscriberId> id);
  void elect();

  std::vector<Subscriber> subscribers_;  // in order of attaching
  std::optional<SubscriberId> controller_;
  std::uint64_t generation_ = 0;
  std::uint64_t control_clock_ = 0;
};

}  // namespace troupe::actors
