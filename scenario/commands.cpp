// SPDX-License-Identifier: MIT
#include "scenario/commands.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/environment.hpp"
#include "client/attach/signal_source.hpp"
#include "client/cli/inherited_environment.hpp"
#include "scenario/files.hpp"
#include "scenario/group.hpp"
#include "scenario/play.hpp"
#include "scenario/reporter.hpp"

namespace troupe::scenario {
namespace {

namespace cli = client::cli;
using client::Client;
using protocol::TerminalInfo;

constexpr std::size_t max_last_rows = 5;

Form form_of(const cli::Context& context) {
  return context.json ? Form::json : Form::words;
}

// -- secrets and environment ---------------------------------------------------------------------

/// The values that the plan's variables have. A name is never told: it may be a password that
/// somebody put in its place.
Read<std::vector<SecretValue>> read_secrets(const Plan& plan) {
  Read<std::vector<SecretValue>> read;
  std::vector<SecretValue> values;
  const auto take = [&](const std::string& variable, int line, const std::string& key) {
    if (auto value = environment_value(variable.c_str())) {
      values.push_back({variable, std::move(*value)});
    } else {
      read.problems.push_back(
          {plan.file, line, "the environment variable that " + key + " names is not set"});
    }
  };
  for (const Launch& launch : plan.launches) {
    for (const SecretOption& option : launch.secrets) {
      take(option.variable, launch.line, launch.name + "'s " + option.key + "_env");
    }
    for (const Step& step : launch.steps) {
      if (const auto* const secret = std::get_if<step::Secret>(&step.what)) {
        take(secret->variable, step.line, "password_env");
      }
    }
  }
  if (read.problems.empty()) {
    read.value = std::move(values);
  }
  return read;
}

protocol::request::Create complete(const Launch& launch, const std::vector<SecretValue>& secrets) {
  protocol::request::Create create = launch.create;
  if (create.kind == protocol::TerminalKind::pty) {
    create.env.merge(cli::inherited_environment());
    return create;
  }
  if (!launch.secrets.empty()) {
    auto options = nlohmann::ordered_json::parse(create.options, nullptr, false);
    for (const SecretOption& option : launch.secrets) {
      const auto value = std::find_if(secrets.begin(), secrets.end(), [&](const SecretValue& it) {
        return it.variable == option.variable;
      });
      options[option.key] = value == secrets.end() ? std::string{} : value->value;
    }
    create.options = options.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }
  return create;
}

Stage make_stage(const Plan& plan, const std::vector<SecretValue>& secrets) {
  std::vector<Performance> performances;
  for (const Launch& launch : plan.launches) {
    performances.emplace_back(launch, complete(launch, secrets), secrets);
  }
  return Stage(std::move(performances), plan);
}

// -- after a failure -----------------------------------------------------------------------------

/// What was typed from a secret may stand on the screen, where a program did not hide it.
bool has_secrets(const Launch& launch) {
  return !launch.secrets.empty() ||
         std::any_of(launch.steps.begin(), launch.steps.end(), [](const Step& step) {
           return std::holds_alternative<step::Secret>(step.what);
         });
}

void show_last_rows(Client& client, const Launch& launch, TerminalId id, const Reporter& reporter) {
  const auto read = client.ask<protocol::reply::Rows>(protocol::request::ReadRows{id, {}});
  if (!read) {
    return;
  }
  std::vector<std::string> rows;
  for (const std::string& line : read->lines) {
    if (line.find_first_not_of(' ') != std::string::npos) {
      rows.push_back(line);
    }
  }
  if (has_secrets(launch)) {
    rows.clear();
  } else if (rows.size() > max_last_rows) {
    rows.erase(rows.begin(), rows.end() - max_last_rows);
  }
  reporter.last_rows(launch, cli::lifecycle_text(read->terminal), rows);
}

void close_started(Client& client, const Stage& stage, const Plan& plan, const Reporter& reporter) {
  const auto all = list_group(client, plan.name);
  if (!all) {
    reporter.error(all.error().message);
    return;
  }
  const std::vector<TerminalId> started = stage.terminals();
  std::vector<TerminalInfo> mine;
  std::copy_if(all->begin(), all->end(), std::back_inserter(mine), [&](const TerminalInfo& it) {
    return std::find(started.begin(), started.end(), it.id) != started.end();
  });
  (void)close_all(client, mine, Force::yes, reporter);
}

// -- up ------------------------------------------------------------------------------------------

/// Makes room for a scenario: terminals of an earlier `up` that ended are closed; running ones are
/// in the way.
Result<> make_room(Client& client, const Plan& plan, const cli::UpOptions& options,
                   const Reporter& reporter) {
  const auto before = list_group(client, plan.name);
  if (!before) {
    return before.error();
  }
  if (any_running(*before) && !options.replace) {
    return Error{Code::busy, "scenario " + plan.name + " is up already (" +
                                 std::to_string(before->size()) +
                                 " terminals); `troupe down` closes it, --replace starts it anew"};
  }
  return close_all(client, *before, Force::no, reporter) == 0
             ? success()
             : Result<>{Error{Code::busy, "scenario " + plan.name + " could not be closed"}};
}

Result<> check_features(const Client& client, const Plan& plan) {
  for (const Needed& needed : needed_features(plan)) {
    if (const Result<> can = cli::require(client, needed.feature, needed.what); !can) {
      return can;
    }
  }
  return success();
}

std::vector<Member> members_of(const Plan& plan, const Stage& stage) {
  std::vector<Member> members;
  for (std::size_t who = 0; who < plan.launches.size(); ++who) {
    const Launch& launch = plan.launches[who];
    members.push_back({launch.name, stage.performance(who).id(),
                       std::string(protocol::to_text(launch.create.kind)), launch.role,
                       launch.persona});
  }
  return members;
}

/// Directories that no participant can have made by the time they are needed.
std::vector<Problem> missing_directories(const Plan& plan) {
  std::vector<Problem> problems;
  for (const Launch& launch : plan.launches) {
    std::error_code error;
    if (launch.create.kind == protocol::TerminalKind::pty && launch.needs.empty() &&
        !std::filesystem::is_directory(launch.create.cwd, error)) {
      problems.push_back({plan.file, launch.line,
                          launch.name + "'s cwd: " + launch.create.cwd + " is not a directory"});
    }
  }
  return problems;
}

/// The exit status of what did not come up: by a signal, or by what failed first.
int status_of(int signal, Code failure) {
  if (signal != 0) {
    return cli::exit_status::signal_base + signal;
  }
  return failure == Code::timeout ? cli::exit_status::timeout : cli::exit_status::error;
}

int start(Client& client, const Plan& plan, Stage stage, const cli::UpOptions& options,
          const Reporter& reporter) {
  // From here on a signal must not leave half a scenario behind.
  const client::SignalSource interrupts{SIGINT, SIGTERM, SIGHUP};
  Result<client::Connection> connection = client.connect();
  if (!connection) {
    reporter.error(connection.error().message);
    return cli::exit_status::error;
  }
  connection->interrupt_on(interrupts.fd());
  std::optional<Code> failure;
  const Result<> played = play(*connection, stage, [&](std::size_t who, const Happening& it) {
    if (it.what == Happening::What::started) {
      // A name of the file stays one to find the terminal by, whatever its program calls itself. A
      // daemon that cannot rename has the title as it was created.
      (void)client.call(protocol::request::Rename{it.id, plan.launches[who].create.title});
    }
    reporter.happened(plan, plan.launches[who], it);
    if (it.what == Happening::What::failed && !failure) {
      failure = it.code;
    }
    if (it.what == Happening::What::failed && it.id != TerminalId{}) {
      show_last_rows(client, plan.launches[who], it.id, reporter);
    }
  });
  if (played && stage.up()) {
    reporter.is_up(plan.name, members_of(plan, stage));
    return cli::exit_status::ok;
  }
  if (!played) {
    reporter.error(played.error().message);
    failure = failure.value_or(played.error().code);
  }
  if (!options.keep) {
    close_started(client, stage, plan, reporter);
  }
  reporter.not_up(plan.name);
  return status_of(interrupts.take(), failure.value_or(Code::internal));
}

}  // namespace

int up(cli::Context& context, const cli::UpOptions& options) {
  const Reporter reporter(form_of(context));
  const LoadedPlan loaded = load_plan(options.file);
  reporter.notes(loaded.plan.notes);
  if (!loaded.plan.value) {
    reporter.problems(loaded.plan.problems);
    return cli::exit_status::usage;
  }
  const Plan& plan = *loaded.plan.value;
  if (const std::vector<Problem> missing = missing_directories(plan); !missing.empty()) {
    reporter.problems(missing);
    return cli::exit_status::usage;
  }
  if (options.check) {
    reporter.order(plan);
    return cli::exit_status::ok;
  }
  const Read<std::vector<SecretValue>> secrets = read_secrets(plan);
  if (!secrets.value) {
    reporter.problems(secrets.problems);
    return cli::exit_status::usage;
  }
  Result<Client> client = cli::open_or_start(context);
  Result<> can = client ? check_features(*client, plan) : Result<>{client.error()};
  if (can) {
    can = make_room(*client, plan, options, reporter);
  }
  if (!can) {
    reporter.error(can.error().message);
    return cli::exit_status::error;
  }
  return start(*client, plan, make_stage(plan, *secrets.value), options, reporter);
}

int down(cli::Context& context, const cli::DownOptions& options) {
  const Reporter reporter(form_of(context));
  const Read<std::string> name = load_name(options.named);
  if (!name.value) {
    reporter.problems(name.problems);
    return cli::exit_status::usage;
  }
  Result<Client> client = Client::open(context.address);
  if (!client && client.error().code != Code::not_found) {
    reporter.error(client.error().message);
    return cli::exit_status::error;
  }
  const auto terminals = client ? list_group(*client, *name.value)
                                : Result<std::vector<TerminalInfo>>{std::vector<TerminalInfo>{}};
  if (!terminals) {
    reporter.error(terminals.error().message);
    return cli::exit_status::error;
  }
  if (terminals->empty()) {
    reporter.note("scenario " + *name.value + " is not up");
  }
  const Force force = options.force ? Force::yes : Force::no;
  const std::size_t left = terminals->empty() ? 0 : close_all(*client, *terminals, force, reporter);
  reporter.is_down(*name.value, terminals->size() - left, left);
  return left == 0 ? cli::exit_status::ok : cli::exit_status::error;
}

}  // namespace troupe::scenario
