// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The calls of tools that are under way: begun, told to go on to clients that want progress,
/// answered or cancelled.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "mcp/asked.hpp"
#include "mcp/daemon_link.hpp"
#include "mcp/rpc.hpp"
#include "mcp/tool_call.hpp"

namespace troupe::mcp {

/// What `tools/call` asks for.
struct CallRequest {
  Handler handler = nullptr;
  const Json* arguments = nullptr;  ///< of the parameters, or empty ones
  std::string progress_token;       ///< as JSON text; empty where none

  /// `bad_request` for an unknown tool or arguments that are no object. Borrows `params`.
  static Result<CallRequest> read(const Json& params);
};

/// Threads: one. Borrows the daemon's link.
/// Bounds: `max_calls` at once, the next is refused; results are bounded by each tool.
class Calls {
 public:
  static constexpr std::size_t max_calls = 1024;

  Calls(DaemonLink& daemon, std::function<void(std::string)> send)
      : daemon_(daemon), send_(std::move(send)) {}

  /// The request's id must not be in use.
  void begin(const Asked& asked, const CallRequest& request);
  /// By the request's id as JSON text.
  [[nodiscard]] bool has(const std::string& id) const { return calls_.count(id) != 0; }
  /// The client wants no answer any more.
  void cancel(const std::string& id);

  /// Tells clients that asked for it that their calls go on.
  void tick(client::Deadline now);
  /// When the next of them is to be told; absent where none is.
  [[nodiscard]] std::optional<client::Deadline> due() const;

 private:
  struct Active {
    std::shared_ptr<ToolCall> call;
    Asked asked;
    client::Deadline began;
    std::optional<client::Deadline> report;  ///< of its progress, where the client wants that
  };

  void report_progress(Active& active, client::Deadline now);

  DaemonLink& daemon_;
  std::function<void(std::string)> send_;
  std::map<TerminalId, TerminalNotes> notes_;
  std::map<std::string, Active> calls_;  ///< by the request's id as JSON text
};

}  // namespace troupe::mcp
