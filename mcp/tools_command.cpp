// SPDX-License-Identifier: MIT
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "mcp/tools.hpp"

namespace troupe::mcp {
namespace {

namespace request = protocol::request;
namespace reply = protocol::reply;

/// More than a result shows, so that the tail of a long output is its true end.
constexpr std::size_t fetch_bytes = std::size_t{4} * 1024 * 1024;

void add_output(Json& into, const TextSlice& slice, const Caps& caps) {
  add_excerpt(into, "output", slice.text, caps);
  into["next"] = to_json(slice.next);
  into["more"] = slice.truncated;
  into["evicted"] = slice.evicted;
}

CommandSpec command_index(Arguments& arguments) {
  const auto index = arguments.integer("index", 0, INT64_MAX);
  return index ? CommandSpec{static_cast<std::uint64_t>(*index)} : CommandSpec{CommandLatest{}};
}

/// The first records that fit into a result, at least one.
template <class Iterator>
Json fitting_rows(Iterator record, Iterator end) {
  Json rows = Json::array();
  ListRoom room(list_bytes);
  for (; record != end; ++record) {
    Json row = to_json(*record);
    if (!room.take(dump(row).size())) {
      break;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json outcome_of(const reply::CommandOutput& done, const Caps& caps) {
  Json out = {{"record", nullptr}, {"exit_code", nullptr}, {"timed_out", done.timed_out}};
  if (done.record) {
    out["record"] = to_json(*done.record);
    out["exit_code"] = out["record"]["exit_code"];
  } else {
    out["hint"] =
        "no command mark came: the shell may lack shell integration (terminal_launch with "
        "integrate), or wait for input; look with terminal_snapshot";
  }
  if (done.timed_out && done.record) {
    out["hint"] = "still running: call terminal_output with index " +
                  std::to_string(done.record->index) + " and wait";
  }
  add_output(out, done.slice, caps);
  return out;
}

/// `timed_out`: whether the command was still running when a wait for its end was over.
void fetch_output(ToolCall& call, const request::Output& output, const Caps& caps,
                  std::optional<bool> timed_out = std::nullopt) {
  call.ask_for<reply::Text>(
      output, [self = call.shared_from_this(), caps, timed_out](const reply::Text& text) {
        Json out = Json::object();
        if (text.record) {
          out["record"] = to_json(*text.record);
        }
        if (timed_out) {
          out["timed_out"] = *timed_out;
        }
        add_output(out, text.slice, caps);
        self->succeed(out);
      });
}

void fetch_ended(ToolCall& call, const request::Output& output, std::int64_t timeout_ms,
                 const Caps& caps) {
  call.ask_for<reply::Command>(
      request::JournalWait{output.id, output.index, timeout_ms},
      [self = call.shared_from_this(), output, caps](const reply::Command& waited) {
        request::Output latched = output;
        if (waited.record) {
          latched.index = waited.record->index;
        }
        fetch_output(*self, latched, caps, waited.timed_out);
      });
}

/// The latest command by its number: the daemon's wait for the latest is one for the next where
/// none runs. So it stays where there was none at all.
void fetch_latest_ended(ToolCall& call, const request::Output& output, std::int64_t timeout_ms,
                        const Caps& caps) {
  request::Journal newest;
  newest.id = output.id;
  newest.limit = 1;
  call.ask_for<reply::Journal>(newest, [self = call.shared_from_this(), output, timeout_ms,
                                        caps](const reply::Journal& listed) {
    request::Output found = output;
    if (!listed.records.empty()) {
      found.index = listed.records.back().index;
    }
    fetch_ended(*self, found, timeout_ms, caps);
  });
}

}  // namespace

void terminal_run(ToolCall& call, Arguments& arguments) {
  request::Run run;
  run.id = arguments.terminal();
  run.text = arguments.text("command");
  if (run.text.empty()) {
    arguments.refuse("command must not be empty");
  }
  run.timeout_ms = call.bounded_wait(arguments.seconds("timeout", 30));
  run.max_bytes = fetch_bytes;
  const Caps caps = read_caps(arguments);
  if (refused(call, arguments)) {
    return;
  }
  // Where no mark comes, nothing is returned and all that was printed is still to be seen.
  const auto before = std::make_shared<std::optional<Cursor>>();
  call.daemon().ask(request::Since{run.id, CursorNow{}, 0},
                    [before](const Result<protocol::Response>& response) {
                      const auto* text = response ? std::get_if<reply::Text>(&*response) : nullptr;
                      if (text != nullptr) {
                        *before = text->slice.next;
                      }
                    });
  call.ask_for<reply::CommandOutput>(run, [self = call.shared_from_this(), id = run.id, before,
                                           caps](const reply::CommandOutput& done) {
    if (done.record) {
      self->notes(id).unseen = place(done.record->end);
    } else if (*before) {
      self->notes(id).unseen = place(**before);
    }
    self->succeed(outcome_of(done, caps));
  });
}

void terminal_journal(ToolCall& call, Arguments& arguments) {
  request::Journal journal;
  journal.id = arguments.terminal();
  const auto from = arguments.integer("from_index", 0, INT64_MAX);
  if (from) {
    journal.from_index = static_cast<std::uint64_t>(*from);
    journal.tail = false;
  }
  journal.limit = static_cast<std::size_t>(arguments.integer("limit", 1, 1000, 20));
  if (refused(call, arguments)) {
    return;
  }
  call.ask_for<reply::Journal>(
      journal, [self = call.shared_from_this(), tail = journal.tail](const reply::Journal& listed) {
        Json records = tail ? fitting_rows(listed.records.rbegin(), listed.records.rend())
                            : fitting_rows(listed.records.begin(), listed.records.end());
        if (tail) {
          std::reverse(records.begin(), records.end());
        }
        const bool cut = records.size() < listed.records.size();
        self->succeed({{"oldest_index", listed.oldest_index},
                       {"next_index", listed.next_index},
                       {"records", std::move(records)},
                       {"more", listed.truncated || cut}});
      });
}

void terminal_output(ToolCall& call, Arguments& arguments) {
  request::Output output;
  output.id = arguments.terminal();
  output.index = command_index(arguments);
  output.cursor = arguments.cursor("cursor");
  output.max_bytes = fetch_bytes;
  const bool wait = arguments.flag("wait");
  const std::int64_t timeout_ms = call.bounded_wait(arguments.seconds("timeout", 30));
  const Caps caps = read_caps(arguments);
  if (refused(call, arguments)) {
    return;
  }
  if (!wait) {
    fetch_output(call, output, caps);
  } else if (std::holds_alternative<CommandLatest>(output.index)) {
    fetch_latest_ended(call, output, timeout_ms, caps);
  } else {
    fetch_ended(call, output, timeout_ms, caps);
  }
}

}  // namespace troupe::mcp
