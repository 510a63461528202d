// SPDX-License-Identifier: MIT
#include "scenario/reporter.hpp"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "client/attach/painter.hpp"
#include "client/cli/context.hpp"
#include "client/cli/table.hpp"

namespace troupe::scenario {
namespace {

using Json = nlohmann::ordered_json;
namespace cli = client::cli;

constexpr std::size_t max_shown_bytes = 500;
constexpr std::array<const char*, 5> event_names{"started", "ready", "step", "up", "failed"};

void say(const std::string& text) {
  std::fprintf(stderr, "%s\n", client::printable(text, max_shown_bytes).c_str());
}

void emit(const Json& json) {
  cli::print_line(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Json id_of(TerminalId id) {
  return id == TerminalId{} ? Json() : Json(id.value);
}

std::string count_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " terminal" : " terminals");
}

}  // namespace

void Reporter::problems(const std::vector<Problem>& problems) const {
  for (const Problem& problem : problems) {
    if (form_ == Form::json) {
      emit({{"event", "problem"},
            {"file", problem.file},
            {"line", problem.line},
            {"message", problem.message}});
    } else {
      say(to_text(problem));
    }
  }
}

void Reporter::notes(const std::vector<Problem>& notes) const {
  for (const Problem& one : notes) {
    say("note: " + to_text(one));
  }
}

void Reporter::order(const Plan& plan) const {
  cli::Table table{{"ORDER", "PARTICIPANT", "KIND", "NEEDS"}};
  Json json = Json::array();
  for (std::size_t at = 0; at < plan.launches.size(); ++at) {
    const Launch& launch = plan.launches[at];
    std::string needs;
    Json names = Json::array();
    for (const std::size_t need : launch.needs) {
      needs += (needs.empty() ? "" : ", ") + plan.launches[need].name;
      names.push_back(plan.launches[need].name);
    }
    const std::string kind(protocol::to_text(launch.create.kind));
    table.add({std::to_string(at + 1), client::printable(launch.name, max_shown_bytes), kind,
               needs.empty() ? "-" : client::printable(needs, max_shown_bytes)});
    json.push_back({{"participant", launch.name}, {"kind", kind}, {"needs", names}});
  }
  if (form_ == Form::json) {
    emit({{"event", "checked"}, {"scenario", plan.name}, {"order", json}});
  } else {
    cli::print(table.text());
  }
}

void Reporter::happened(const Plan& plan, const Launch& launch, const Happening& happening) const {
  using What = Happening::What;
  if (form_ == Form::json) {
    Json json{{"event", event_names.at(static_cast<std::size_t>(happening.what))},
              {"participant", launch.name},
              {"id", id_of(happening.id)},
              {"line", happening.line}};
    if (!happening.text.empty()) {
      json[happening.what == What::failed ? "message" : "what"] = happening.text;
    }
    // What stands for the whole scenario is told by `is_up`.
    if (happening.what == What::up) {
      json["event"] = "participant_up";
    }
    emit(json);
    return;
  }
  const std::string name = launch.name + ": ";
  switch (happening.what) {
    case What::started:
      say(name + "started " + std::string(protocol::to_text(launch.create.kind)) + " " +
          std::to_string(happening.id.value));
      break;
    case What::ready:
      say(name + "ready");
      break;
    case What::step:
      say(name + happening.text + " (line " + std::to_string(happening.line) + ") done");
      break;
    case What::up:
      say(name + "up");
      break;
    case What::failed:
      say("error: " + to_text({plan.file, happening.line, name + happening.text}));
  }
}

void Reporter::last_rows(const Launch& launch, const std::string& state,
                         const std::vector<std::string>& rows) const {
  if (form_ == Form::json) {
    emit({{"event", "last_rows"}, {"participant", launch.name}, {"state", state}, {"rows", rows}});
    return;
  }
  say(launch.name + " is " + state + (rows.empty() ? "" : "; its last rows:"));
  for (const std::string& row : rows) {
    say("  | " + row);
  }
}

void Reporter::error(const std::string& message) const {
  if (form_ == Form::json) {
    emit({{"event", "error"}, {"message", message}});
  } else {
    say("error: " + message);
  }
}

void Reporter::note(const std::string& message) const {
  say("note: " + message);
}

void Reporter::is_up(const std::string& scenario, const std::vector<Member>& members) const {
  if (form_ == Form::words) {
    cli::Table table{{"ID", "KIND", "PARTICIPANT"}};
    for (const Member& member : members) {
      table.add({std::to_string(member.id.value), member.kind,
                 client::printable(member.name, max_shown_bytes)});
    }
    say("scenario " + scenario + " is up: " + count_text(members.size()));
    cli::print(table.text());
    return;
  }
  Json terminals = Json::array();
  for (const Member& member : members) {
    terminals.push_back({{"participant", member.name},
                         {"id", member.id.value},
                         {"kind", member.kind},
                         {"role", member.role},
                         {"persona", member.persona}});
  }
  emit({{"event", "up"}, {"scenario", scenario}, {"ok", true}, {"terminals", terminals}});
}

void Reporter::not_up(const std::string& scenario) const {
  if (form_ == Form::json) {
    emit({{"event", "up"}, {"scenario", scenario}, {"ok", false}});
  }
}

void Reporter::closed(const std::string& name, TerminalId id) const {
  if (form_ == Form::json) {
    emit({{"event", "closed"}, {"title", name}, {"id", id.value}});
  } else {
    say(name + ": closed " + std::to_string(id.value));
  }
}

void Reporter::is_down(const std::string& scenario, std::size_t closed, std::size_t left) const {
  if (form_ == Form::json) {
    emit({{"event", "down"},
          {"scenario", scenario},
          {"ok", left == 0},
          {"closed", closed},
          {"left", left}});
  } else {
    say("scenario " + scenario + ": closed " + count_text(closed) +
        (left == 0 ? "" : ", " + count_text(left) + " left"));
  }
}

}  // namespace troupe::scenario
