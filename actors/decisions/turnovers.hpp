// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Which requests of a connection wait for the answer to a `terminate` or a `restart` before them.
/// Those two take another way than the rest (by the registry, or a host that is long in answering),
/// so without this a later request would overtake them.

#include <optional>
#include <unordered_map>
#include <vector>

#include "actors/decisions/request_table.hpp"
#include "base/ids.hpp"
#include "protocol/requests.hpp"

namespace troupe::actors {

/// The terminals that one connection ends or starts anew, and what it asked of them meanwhile.
///
/// Threads: none of its own; one caller at a time.
/// Order: what is held comes back in the order in which it was asked. A `terminate` waits only for
///   another `terminate`, never for a `restart`, which a host may never answer.
/// Bounds: none of its own: what is held is in flight, and RequestTable bounds that.
class Turnovers {
 public:
  struct Held {
    RequestKey key = 0;
    protocol::Request request;
  };

  /// True where the request has to wait; it is moved from then, and only then.
  [[nodiscard]] bool hold(RequestKey key, protocol::Request& request);
  /// What may go on now that `key` was answered. Each of it has to ask `hold` again: it may be the
  /// next turnover itself.
  [[nodiscard]] std::vector<Held> answered(TerminalId terminal, RequestKey key);

 private:
  struct Turnover {
    std::optional<RequestKey> terminate;  // until they are answered
    std::optional<RequestKey> restart;
    std::vector<Held> held;
  };

  std::unordered_map<TerminalId, Turnover> turnovers_;
};

}  // namespace troupe::actors
