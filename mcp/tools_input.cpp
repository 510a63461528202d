// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "base/signal_name.hpp"
#include "mcp/tools.hpp"
#include "protocol/features.hpp"

namespace troupe::mcp {
namespace {

namespace request = protocol::request;
namespace reply = protocol::reply;

/// How long a program may leave its input unread before the answer is that it is queued.
constexpr std::int64_t patience_ms = 2'000;

/// An input on its way to a program, and the timer that runs beside it.
struct Delivery {
  client::RequestNumber timer = 0;
  bool settled = false;
};

/// With the rows of the terminal's recording, this input's among them; of one that is not recorded
/// the inputs are counted. The input was taken: nothing that goes wrong here makes it an error.
void succeed_counted(ToolCall& call, TerminalId id, Json out) {
  const auto self = call.shared_from_this();
  ++call.notes(id).events;
  const auto finish = [self, id, out = std::move(out)](std::optional<std::uint64_t> rows) {
    Json counted = out;
    counted["event_count"] = rows.value_or(self->notes(id).events);
    self->succeed(counted);
  };
  if (!call.daemon().has(protocol::feature::recording)) {
    return finish({});
  }
  call.daemon().ask(request::Record{id, {}, {}},
                    [finish](const Result<protocol::Response>& response) {
                      const auto* const recording =
                          response ? std::get_if<reply::Recording>(&*response) : nullptr;
                      finish(recording != nullptr ? recording->events : std::nullopt);
                    });
}

/// A request that the daemon answers when `patience_ms` are over: idleness that no one waits for.
protocol::Request timer(ToolCall& call, TerminalId id) {
  if (!call.daemon().has(protocol::feature::text)) {
    return request::WaitExit{id, patience_ms};
  }
  request::Wait never;
  never.id = id;
  never.cursor = CursorNow{};
  never.idle_ms = std::int64_t{10} * patience_ms;
  never.timeout_ms = patience_ms;
  return never;
}

bool ran_out(const Result<protocol::Response>& response) {
  const auto* const text = response ? std::get_if<reply::Text>(&*response) : nullptr;
  const auto* const exit = response ? std::get_if<reply::Exit>(&*response) : nullptr;
  return (text != nullptr && text->reason == WaitReason::timeout) ||
         (exit != nullptr && exit->timed_out);
}

/// Notes where the text stands, then sends: both are executed in this order, so a later wait sees
/// everything that the input caused and nothing before it. Answers when the terminal took the
/// input, which it does not while its program leaves too much unread.
void send_noted(ToolCall& call, TerminalId id, const protocol::Request& input) {
  const auto self = call.shared_from_this();
  call.daemon().ask(request::Since{id, CursorNow{}, 0},
                    [self, id](const Result<protocol::Response>& response) {
                      const auto* text = response ? std::get_if<reply::Text>(&*response) : nullptr;
                      if (text != nullptr) {  // without it (no journal) no text is waited for
                        self->notes(id).unseen = place(text->slice.next);
                      }
                    });
  const auto delivery = std::make_shared<Delivery>();
  call.ask_for<reply::Ok>(input, [self, id, delivery](const reply::Ok& ok) {
    if (!std::exchange(delivery->settled, true)) {
      self->daemon().cancel(delivery->timer);
      Json out = {{"ok", true}, {"queued", false}};
      if (ok.written) {
        out["accepted"] = *ok.written;
      }
      succeed_counted(*self, id, std::move(out));
    }
  });
  delivery->timer = call.daemon().ask(
      timer(call, id), [self, id, delivery](const Result<protocol::Response>& response) {
        if (ran_out(response) && !self->finished() && !std::exchange(delivery->settled, true)) {
          succeed_counted(*self, id, {{"ok", true}, {"queued", true}});
        }
      });
}

}  // namespace

void terminal_send_input(ToolCall& call, Arguments& arguments) {
  request::Write write;
  write.id = arguments.terminal();
  write.data = arguments.text("text");
  write.ack = true;
  write.password = arguments.flag("password");
  if (arguments.flag("enter")) {
    write.data += '\r';
  }
  if (!refused(call, arguments)) {
    send_noted(call, write.id, write);
  }
}

void terminal_keys(ToolCall& call, Arguments& arguments) {
  request::Keys keys;
  keys.id = arguments.terminal();
  keys.keys = arguments.texts("keys");
  keys.ack = true;
  if (keys.keys.empty()) {
    arguments.refuse("keys must name at least one key");
  }
  if (!refused(call, arguments)) {
    send_noted(call, keys.id, keys);
  }
}

void terminal_resize(ToolCall& call, Arguments& arguments) {
  request::Resize resize;
  resize.id = arguments.terminal();
  resize.cols = static_cast<std::uint16_t>(arguments.integer("cols", 1, 65'535, 80));
  resize.rows = static_cast<std::uint16_t>(arguments.integer("rows", 1, 65'535, 24));
  if (refused(call, arguments)) {
    return;
  }
  call.ask_for<reply::Ok>(resize, [self = call.shared_from_this(), resize](const reply::Ok&) {
    self->succeed({{"ok", true}, {"cols", resize.cols}, {"rows", resize.rows}});
  });
}

void terminal_signal(ToolCall& call, Arguments& arguments) {
  request::Signal signal;
  signal.id = arguments.terminal();
  const std::string name = arguments.text("signal", "INT");
  const auto number = signal_number(name);
  if (!number) {
    arguments.refuse("signal must be a name such as INT, TERM or KILL, or a number");
  }
  signal.signal = number.value_or(0);
  const auto target =
      protocol::from_text<protocol::SignalTarget>(arguments.text("target", "foreground"));
  if (!target) {
    arguments.refuse("target must be foreground, session or leader");
  }
  signal.target = target.value_or(protocol::SignalTarget::foreground);
  if (refused(call, arguments)) {
    return;
  }
  call.ask_for<reply::Ok>(signal, [self = call.shared_from_this()](const reply::Ok&) {
    self->succeed({{"ok", true}});
  });
}

}  // namespace troupe::mcp
