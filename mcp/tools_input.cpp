// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "base/signal_name.hpp"
#include "mcp/tools.hpp"
#include "protocol/features.hpp"

namespace troupe::mcp {
namespace {

namespace request = protocol::request;
namespace reply = protocol::reply;

/// With the rows of the terminal's recording, this input's among them; of one that is not recorded
/// the inputs are counted. The input was taken: nothing that goes wrong here makes it an error.
void succeed_counted(ToolCall& call, TerminalId id) {
  const auto self = call.shared_from_this();
  const auto finish = [self, id](std::optional<std::uint64_t> rows) {
    self->succeed({{"ok", true}, {"event_count", rows.value_or(self->notes(id).events)}});
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

/// Notes where the text stands, then sends: both are executed in this order, so a later wait sees
/// everything that the input caused and nothing before it.
void send_noted(ToolCall& call, TerminalId id, const protocol::Request& input) {
  const auto self = call.shared_from_this();
  call.daemon().ask(request::Since{id, CursorNow{}, 0},
                    [self, id](const Result<protocol::Response>& response) {
                      const auto* text = response ? std::get_if<reply::Text>(&*response) : nullptr;
                      if (text != nullptr) {  // without it (no journal) waits look at everything
                        self->notes(id).unseen = text->slice.next;
                      }
                    });
  call.ask_for<reply::Ok>(input, [self, id](const reply::Ok&) {
    ++self->notes(id).events;
    succeed_counted(*self, id);
  });
}

}  // namespace

void terminal_send_input(ToolCall& call, Arguments& arguments) {
  request::Write write;
  write.id = arguments.terminal();
  write.data = arguments.text("text");
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
