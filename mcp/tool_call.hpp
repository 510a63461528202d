// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// One `tools/call` under way, and what the server remembers about a terminal between calls.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cursor.hpp"
#include "base/result.hpp"
#include "base/text_read.hpp"
#include "mcp/arguments.hpp"
#include "mcp/daemon_link.hpp"
#include "mcp/rpc.hpp"

namespace troupe::mcp {

/// What this server knows of a terminal beyond what the daemon tells.
struct TerminalNotes {
  /// Where the text begins that a wait has not seen: the beginning of what this server launched,
  /// the place of the last send, the end of what the last run returned, or behind the last match.
  /// Until one of them a wait looks at what comes.
  CursorSpec unseen = CursorNow{};
  std::uint64_t events = 0;  ///< inputs sent by this server
};

/// Longest wait without a progress token: clients give a call up after 60 s.
inline constexpr std::chrono::milliseconds longest_silent_wait{50'000};

/// Threads: one. Lives as long as a continuation holds it.
/// Invariants: answered at most once; a cancelled call is never answered.
class ToolCall : public std::enable_shared_from_this<ToolCall> {
 public:
  /// Receives `tools/call`'s result object.
  using Finish = std::function<void(Json)>;
  struct Parts {
    DaemonLink& daemon;
    std::map<TerminalId, TerminalNotes>& notes;
    std::string progress_token;  ///< as JSON text; empty where none
    Finish finish;
  };

  explicit ToolCall(Parts parts) : parts_(std::move(parts)) {}

  /// Asks the daemon; an error of it ends the call.
  void ask(const protocol::Request& request,
           const std::function<void(const protocol::Response&)>& then);
  /// As `ask` for one expected reply.
  template <class Reply>
  void ask_for(const protocol::Request& request, const std::function<void(const Reply&)>& then) {
    ask(request, [self = shared_from_this(), then](const protocol::Response& response) {
      if (const auto* reply = std::get_if<Reply>(&response)) {
        then(*reply);
      } else {
        self->fail(Error{Code::internal, "the daemon gave another kind of answer"});
      }
    });
  }

  void succeed(const Json& structured);
  void fail(const Error& error);
  /// Ends the call without an answer and what it waits for in the daemon.
  void cancel();

  [[nodiscard]] DaemonLink& daemon() const { return parts_.daemon; }
  [[nodiscard]] TerminalNotes& notes(TerminalId id) const { return parts_.notes[id]; }
  void forget(TerminalId id) const { parts_.notes.erase(id); }
  [[nodiscard]] const std::string& progress_token() const { return parts_.progress_token; }
  [[nodiscard]] bool finished() const { return finished_; }
  /// `asked`, or the longest wait that the client sits out.
  [[nodiscard]] std::int64_t bounded_wait(std::int64_t asked_ms) const;

 private:
  Parts parts_;
  std::vector<client::RequestNumber> in_flight_;
  bool finished_ = false;
};

using Handler = void (*)(ToolCall& call, Arguments& arguments);

}  // namespace troupe::mcp
