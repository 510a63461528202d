// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "mcp/tools.hpp"
#include "protocol/words.hpp"

namespace troupe::mcp {
namespace {

namespace request = protocol::request;
namespace reply = protocol::reply;

/// Where a wait begins: where the caller says, else behind what was sent or matched last.
CursorSpec wait_start(ToolCall& call, Arguments& arguments, TerminalId id) {
  if (auto given = arguments.cursor("since")) {
    return *given;
  }
  const auto& unseen = call.notes(id).unseen;
  return unseen ? CursorSpec{CursorAt{unseen->seq, unseen->col, unseen->epoch}}
                : CursorSpec{CursorOldest{}};
}

/// The answer, with the screen as it stands now.
void answer(const std::shared_ptr<ToolCall>& call, TerminalId id, const reply::Text& waited,
            const Caps& caps) {
  const WaitReason reason = waited.reason.value_or(WaitReason::timeout);
  if (waited.matched) {
    call->notes(id).unseen = waited.slice.next;
  }
  Json out = {{"matched", waited.matched},
              {"timed_out", reason == WaitReason::timeout},
              {"reason", protocol::to_text(reason)},
              {"next", to_json(waited.slice.next)}};
  const Excerpt text = excerpt(waited.slice.text, caps);
  out["text"] = text.text;
  call->ask_for<reply::Rows>(request::ReadRows{id, std::nullopt},
                             [call, out, caps](const reply::Rows& rows) mutable {
                               add_excerpt(out, "screen", join_rows(rows.lines), caps);
                               add_lifecycle(out, rows.terminal);
                               call->succeed(out);
                             });
}

}  // namespace

void terminal_wait_for(ToolCall& call, Arguments& arguments) {
  request::Wait wait;
  wait.id = arguments.terminal();
  wait.regex = arguments.optional_text("prompt");
  wait.needle = arguments.optional_text("text");
  if (const auto idle =
          arguments.has("idle") ? std::optional(arguments.seconds("idle", 0)) : std::nullopt) {
    wait.idle_ms = *idle;
  }
  wait.exit = arguments.flag("exit");
  wait.timeout_ms = call.bounded_wait(arguments.seconds("timeout", 10));
  const Caps caps = read_caps(arguments);
  wait.cursor = wait_start(call, arguments, wait.id);
  if (!wait.regex && !wait.needle && !wait.idle_ms && !wait.exit) {
    arguments.refuse("needs prompt (a regular expression), text, idle or exit");
  }
  if (refused(call, arguments)) {
    return;
  }
  call.ask_for<reply::Text>(
      wait, [self = call.shared_from_this(), id = wait.id, caps](const reply::Text& waited) {
        answer(self, id, waited, caps);
      });
}

}  // namespace troupe::mcp
