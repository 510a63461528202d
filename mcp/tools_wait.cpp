// SPDX-License-Identifier: MIT
#include <algorithm>
#include <nlohmann/json.hpp>

#include "mcp/tools.hpp"
#include "protocol/words.hpp"

namespace troupe::mcp {
namespace {

namespace request = protocol::request;
namespace reply = protocol::reply;

struct Watch {
  request::Wait wait;
  Caps caps;
  bool follows_notes = false;  ///< it began where the notes said, not where the caller did
};

/// Remembers what this wait has shown, for the next one that does not say where to begin. One that
/// began at "now" without a match goes on from there, not from a later "now".
void note_seen(ToolCall& call, const Watch& watch, const reply::Text& waited) {
  CursorSpec& unseen = call.notes(watch.wait.id).unseen;
  if (waited.matched) {
    unseen = place(waited.slice.next);
  } else if (watch.follows_notes && std::holds_alternative<CursorNow>(unseen)) {
    unseen = place(waited.slice.start);
  }
}

/// Up to where no later output can complete a match: a regular expression may reach back to the
/// start of the unfinished line, a text as many lines further as it has newlines itself.
std::size_t settled_bytes(const request::Wait& wait, std::string_view text) {
  const std::string needle = wait.needle.value_or("");
  const auto spanned = static_cast<std::size_t>(std::count(needle.begin(), needle.end(), '\n'));
  return bytes_before_last_lines(text, spanned + 1);
}

/// The answer, with the screen as it stands now.
void answer(const std::shared_ptr<ToolCall>& call, const Watch& watch, const reply::Text& waited,
            const Cursor& next) {
  const WaitReason reason = waited.reason.value_or(WaitReason::timeout);
  Json out = {{"matched", waited.matched},
              {"timed_out", reason == WaitReason::timeout},
              {"reason", protocol::to_text(reason)},
              {"next", to_json(next)}};
  const Excerpt text = excerpt(waited.slice.text, watch.caps);
  out["text"] = text.text;
  out["text_cut"] = text.truncated;
  call->ask_for<reply::Rows>(request::ReadRows{watch.wait.id, std::nullopt},
                             [call, out, caps = watch.caps](const reply::Rows& rows) mutable {
                               add_excerpt(out, "screen", join_rows(rows.lines), caps);
                               add_lifecycle(out, rows.terminal);
                               call->succeed(out);
                             });
}

/// The daemon's `next` of a wait that timed out stands behind what was printed, so a match that
/// began before it would never be found: the answer's `next` stands where one may still begin. How
/// far the settled lines reach is asked of the daemon, which knows rows.
void answer_timeout(const std::shared_ptr<ToolCall>& call, const Watch& watch,
                    const reply::Text& waited) {
  const std::size_t settled = settled_bytes(watch.wait, waited.slice.text);
  if (settled == 0) {
    return answer(call, watch, waited, waited.slice.start);
  }
  call->daemon().ask(request::Since{watch.wait.id, place(waited.slice.start), settled},
                     [=](const Result<protocol::Response>& response) {
                       const auto* const lines =
                           response ? std::get_if<reply::Text>(&*response) : nullptr;
                       const bool fits = lines != nullptr && lines->slice.text.size() <= settled;
                       answer(call, watch, waited, fits ? lines->slice.next : waited.slice.start);
                     });
}

}  // namespace

void terminal_wait_for(ToolCall& call, Arguments& arguments) {
  Watch watch;
  request::Wait& wait = watch.wait;
  wait.id = arguments.terminal();
  wait.regex = arguments.optional_text("prompt");
  wait.needle = arguments.optional_text("text");
  if (const auto idle =
          arguments.has("idle") ? std::optional(arguments.seconds("idle", 0)) : std::nullopt) {
    wait.idle_ms = *idle;
  }
  wait.exit = arguments.flag("exit");
  wait.timeout_ms = call.bounded_wait(arguments.seconds("timeout", 10));
  watch.caps = read_caps(arguments);
  const auto since = arguments.cursor("since");
  if (!wait.regex && !wait.needle && !wait.idle_ms && !wait.exit) {
    arguments.refuse("needs prompt (a regular expression), text, idle or exit");
  }
  if (refused(call, arguments)) {
    return;
  }
  watch.follows_notes = !since;
  wait.cursor = since.value_or(call.notes(wait.id).unseen);
  call.ask_for<reply::Text>(
      wait, [self = call.shared_from_this(), watch](const reply::Text& waited) {
        note_seen(*self, watch, waited);
        const bool resumable = waited.reason.value_or(WaitReason::timeout) == WaitReason::timeout &&
                               (watch.wait.needle || watch.wait.regex);
        resumable ? answer_timeout(self, watch, waited)
                  : answer(self, watch, waited, waited.slice.next);
      });
}

}  // namespace troupe::mcp
