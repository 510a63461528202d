// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "mcp/launch_arguments.hpp"
#include "mcp/tools.hpp"
#include "protocol/features.hpp"

namespace troupe::mcp {
namespace {

namespace request = protocol::request;
namespace reply = protocol::reply;

Json describe(const protocol::TerminalInfo& terminal) {
  Json out = {{"instance_id", instance_id(terminal.id)},
              {"kind", "terminal"},
              {"connector_type", protocol::to_text(terminal.kind)},
              {"label", nullptr},
              {"profile", nullptr},
              {"url", nullptr},
              {"log_path", nullptr},
              {"har_path", nullptr},
              {"protected", terminal.is_protected},
              {"title", terminal.title},
              {"cols", terminal.cols},
              {"rows", terminal.rows}};
  if (terminal.label) {
    out["label"] = *terminal.label;
  }
  if (terminal.profile) {
    out["profile"] = *terminal.profile;
  }
  if (terminal.recording || terminal.last_recording) {
    out["log_path"] = terminal.recording ? *terminal.recording : *terminal.last_recording;
  }
  if (terminal.recording_error) {
    out["recording_error"] = *terminal.recording_error;
  }
  add_lifecycle(out, terminal);
  return out;
}

/// The file of a recording is opened beside the launch, so what is wrong with it is known a moment
/// later at best: it is asked for once and told where it is known by then.
void succeed_recorded(ToolCall& call, const protocol::TerminalInfo& terminal) {
  call.daemon().ask(
      request::Record{terminal.id, {}, {}},
      [self = call.shared_from_this(), terminal](const Result<protocol::Response>& response) {
        Json out = describe(terminal);
        const auto* const recording =
            response ? std::get_if<reply::Recording>(&*response) : nullptr;
        if (recording != nullptr && recording->error) {
          out["recording_error"] = *recording->error;
        }
        self->succeed(out);
      });
}

}  // namespace

void terminal_launch(ToolCall& call, Arguments& arguments) {
  const bool record = arguments.flag("record", true);
  request::Create create = launch_request(arguments);
  if (refused(call, arguments)) {
    return;
  }
  if (create.kind != protocol::TerminalKind::pty && !call.daemon().has(protocol::feature::kinds)) {
    call.fail(Error{Code::unsupported, "this daemon opens no ssh and telnet terminals"});
    return;
  }
  if (record && call.daemon().has(protocol::feature::recording)) {
    create.recording = protocol::RecordingTarget{};
  } else {
    create.redact.reset();
  }
  create.integrate = create.integrate && call.daemon().has(protocol::feature::integrate);
  const bool recorded = create.recording.has_value();
  call.ask_for<reply::Created>(
      create, [self = call.shared_from_this(), recorded](const reply::Created& created) {
        self->notes(created.terminal.id).unseen = CursorOldest{};
        if (recorded) {
          succeed_recorded(*self, created.terminal);
        } else {
          self->succeed(describe(created.terminal));
        }
      });
}

void terminal_list(ToolCall& call, Arguments& arguments) {
  if (refused(call, arguments)) {
    return;
  }
  call.ask_for<reply::Terminals>(request::List{},
                                 [self = call.shared_from_this()](const reply::Terminals& listed) {
                                   Json terminals = Json::array();
                                   for (const auto& terminal : listed.terminals) {
                                     terminals.push_back(describe(terminal));
                                   }
                                   self->succeed({{"terminals", terminals}});
                                 });
}

void terminal_close(ToolCall& call, Arguments& arguments) {
  const request::Terminate terminate{arguments.terminal(), arguments.flag("force")};
  if (refused(call, arguments)) {
    return;
  }
  call.ask_for<reply::Ok>(terminate,
                          [self = call.shared_from_this(), id = terminate.id](const reply::Ok& ok) {
                            self->forget(id);
                            Json out = {{"closed", true}};
                            if (!ok.survivors.empty()) {
                              out["survivors"] = ok.survivors;
                            }
                            self->succeed(out);
                          });
}

}  // namespace troupe::mcp
