// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The MCP server as a value between three streams: lines in, lines out, the daemon. The program
/// around it only moves bytes.

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "mcp/asked.hpp"
#include "mcp/batch.hpp"
#include "mcp/calls.hpp"
#include "mcp/daemon_link.hpp"
#include "mcp/listens.hpp"
#include "mcp/resources.hpp"
#include "mcp/rpc.hpp"
#include "mcp/watches.hpp"

namespace troupe::mcp {

/// Threads: one.
/// Invariants: every request is answered once, in the era it came in, unless it was cancelled;
///   those of a batch together; a line that is no JSON-RPC is refused where it has an id, else
///   ignored.
/// Bounds: `Calls`, `Listens`, `Watches`, `Batch::max_messages`.
class Server {
 public:
  /// `send` takes one line without its LF.
  Server(client::DaemonAddress address, std::function<void(std::string)> send);

  void line(std::string_view text);
  /// To be called when the daemon's descriptor is ready.
  void pump() { daemon_.pump(); }
  /// Does what is due by `now`: tells clients that asked for it that their calls go on.
  void tick(client::Deadline now);
  /// When `tick` has something to do next; absent while only a message can bring that.
  [[nodiscard]] std::optional<client::Deadline> due() const;

  [[nodiscard]] int daemon_fd() const { return daemon_.fd(); }
  [[nodiscard]] bool daemon_wants_write() const { return daemon_.wants_write(); }
  /// Nothing more is asked: ends what only waits. What is under way goes on while `busy`.
  void input_ended();
  /// Answers what is still under way with an error.
  void give_up();
  [[nodiscard]] bool busy() const { return daemon_.busy(); }

 private:
  void batch(const Json& messages);
  void message(const Json& message, const std::shared_ptr<Batch>& batch);
  void request(Asked asked, const std::string& method, const Json& params);
  void notification(const std::string& method, const Json& params);
  void initialize(const Asked& asked, const Json& params);
  [[nodiscard]] bool in_flight(const std::string& id) const;
  void call_tool(const Asked& asked, const Json& params);
  bool answer_resources(const Asked& asked, const std::string& method, const Json& params);

  std::function<void(std::string)> send_;
  DaemonLink daemon_;
  Watches watches_;
  Resources resources_;
  Listens listens_;
  EraGuard era_;
  Calls calls_;
  std::set<std::string> looks_;  ///< ids of the requests for resources that are under way
  std::string negotiated_;       ///< the legacy version, once there is one
};

}  // namespace troupe::mcp
