// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The MCP server as a value between three streams: lines in, lines out, the daemon. The program
/// around it only moves bytes.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/batch.hpp"
#include "mcp/daemon_link.hpp"
#include "mcp/listens.hpp"
#include "mcp/resources.hpp"
#include "mcp/rpc.hpp"
#include "mcp/tool_call.hpp"
#include "mcp/watches.hpp"

namespace troupe::mcp {

/// Threads: one.
/// Invariants: every request is answered once, in the era it came in, unless it was cancelled;
/// those
///   of a batch together; a line that is no JSON-RPC is ignored.
/// Bounds: `max_calls` calls at once, the next is refused; results are bounded by each tool.
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
  /// A request, and where its answer goes.
  struct Asked {
    std::string id;  ///< as JSON text
    Era era = Era::legacy;
    std::shared_ptr<Batch> batch{};  ///< none where the answer is a line of its own
  };
  struct Active {
    std::shared_ptr<ToolCall> call;
    std::shared_ptr<Batch> batch;
    client::Deadline began;
    std::optional<client::Deadline> report;  ///< of its progress, where the client wants that
  };

  void batch(const Json& messages);
  void message(const Json& message, const std::shared_ptr<Batch>& batch);
  void request(Asked asked, const std::string& method, const Json& params);
  void notification(const std::string& method, const Json& params);
  void initialize(const Asked& asked, const Json& params);
  bool admit_open(const Asked& asked);
  void call_tool(const Asked& asked, const Json& params);
  void report_progress(Active& active, client::Deadline now);
  void send_answer(const Asked& asked, std::string message);
  void reply_plain(const Asked& asked, const Json& result);
  void reply(const Asked& asked, Json result);
  void reply_cacheable(const Asked& asked, Json result);
  void refuse(const Asked& asked, int code, std::string_view message);
  bool answer_resources(const Asked& asked, const std::string& method, const Json& params);

  std::function<void(std::string)> send_;
  DaemonLink daemon_;
  Watches watches_;
  Resources resources_;
  Listens listens_;
  EraGuard era_;
  std::string negotiated_;  ///< the legacy version, once there is one
  std::map<TerminalId, TerminalNotes> notes_;
  std::map<std::string, Active> calls_;  ///< by the request's id as JSON text
};

}  // namespace troupe::mcp
