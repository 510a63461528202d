// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The MCP server as a value between three streams: lines in, lines out, the daemon. The program
/// around it only moves bytes.

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "mcp/daemon_link.hpp"
#include "mcp/resources.hpp"
#include "mcp/rpc.hpp"
#include "mcp/tool_call.hpp"

namespace troupe::mcp {

/// Threads: one.
/// Invariants: every request is answered once, in the era it came in, unless it was cancelled;
///   a line that is no JSON-RPC is ignored.
/// Bounds: `max_calls` calls at once, the next is refused; results are bounded by each tool.
class Server {
 public:
  /// `send` takes one line without its LF.
  Server(client::DaemonAddress address, std::function<void(std::string)> send);

  void line(std::string_view text);
  /// To be called when the daemon's descriptor is ready.
  void pump() { daemon_.pump(); }
  /// Tells clients that asked for it that their calls go on.
  void report_progress();
  [[nodiscard]] bool wants_progress() const;

  [[nodiscard]] int daemon_fd() const { return daemon_.fd(); }
  [[nodiscard]] bool daemon_wants_write() const { return daemon_.wants_write(); }
  [[nodiscard]] bool busy() const { return !calls_.empty(); }

 private:
  struct Active {
    std::shared_ptr<ToolCall> call;
    std::chrono::steady_clock::time_point began;
  };

  void request(const Json& id, const std::string& method, const Json& params);
  void notification(const std::string& method, const Json& params);
  void initialize(const Json& id, const Json& params);
  void call_tool(const Json& id, const Json& params, Era era);
  void reply(const Json& id, Json result, Era era);
  bool answer_resources(const Json& id, const std::string& method, const Json& params, Era era);

  std::function<void(std::string)> send_;
  DaemonLink daemon_;
  Resources resources_;
  EraGuard era_;
  std::map<TerminalId, TerminalNotes> notes_;
  std::map<std::string, Active> calls_;  ///< by the request's id as JSON text
};

}  // namespace troupe::mcp
