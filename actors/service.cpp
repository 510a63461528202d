// SPDX-License-Identifier: MIT
#include "actors/service.hpp"

#include <algorithm>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/atom.hpp>
#include <caf/send.hpp>
#include <chrono>
#include <thread>
#include <utility>

#include "actors/io_hub.hpp"
#include "actors/quick_sharing.hpp"
#include "actors/registry_actor.hpp"
#include "actors/service_context.hpp"
#include "actors/session_actor.hpp"
#include "actors/supervision.hpp"
#include "protocol/features.hpp"

namespace troupe::actors {
namespace {

constexpr std::size_t max_workers = 8;
// Messages that one actor handles before the others get their turn.
constexpr std::size_t messages_a_turn = 8;

/// One core is the io thread's. A worker too many is no gain: each message would wake another
/// thread, and that costs more than the message (a key press passes four of them).
std::size_t worker_count(std::size_t asked) {
  if (asked > 0) {
    return asked;
  }
  std::size_t const cores = std::thread::hardware_concurrency();
  return std::clamp<std::size_t>(cores > 0 ? cores - 1 : 1, 1, max_workers);
}

/// CAF's configuration, set in code: its parser would read a file of the current directory.
class SystemConfig : public caf::actor_system_config {
 public:
  explicit SystemConfig(std::size_t workers) {
    module_factories.emplace_back([](caf::actor_system& system) -> caf::actor_system::module* {
      return new QuickCoordinator(system);  // CAF owns it
    });
    set("scheduler.max-threads", workers);
    set("scheduler.max-throughput", messages_a_turn);
    set("logger.verbosity", caf::atom("quiet"));
  }
};

/// Lets the recordings' last rows reach the disk; a disk that is stuck is not waited for.
class RecordersAtRest {
 public:
  explicit RecordersAtRest(recording::RecorderGroup& group) : group_(group) {}
  RecordersAtRest(const RecordersAtRest&) = delete;
  RecordersAtRest& operator=(const RecordersAtRest&) = delete;
  ~RecordersAtRest() { (void)group_.wait_until_done(std::chrono::seconds{2}); }

 private:
  recording::RecorderGroup& group_;
};

}  // namespace

std::vector<std::string> service_features(const Settings& settings) {
  namespace feature = protocol::feature;
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) { names.emplace_back(name); };
  add(feature::rename);
  add(feature::request_id);
  add(feature::mux_output);
  add(feature::child_exit);
  add(feature::history_rows);
  if (settings.terminal.journal) {
    add(feature::journal);
    add(feature::journal_events);
    add(feature::text);
  }
  add(feature::history);
  add(feature::control);
  add(feature::resync);
  add(feature::ledger);
  add(feature::kinds);
  add(feature::recording);
  add(feature::status);
  add(feature::terminals_wait);
  if (!settings.integration_dir.empty()) {
    add(feature::integrate);
  }
  if (!settings.agent_path.empty()) {
    add(feature::ssh_agent);
  }
  return names;
}

class Service::Impl {
 public:
  Impl(boost::asio::io_context& io, ServiceOptions options)
      : hub_(io, HubOptions{{options.child_open_files}, options.settings.linger},
             {options.log, [this](ConnectionId id) { return spawn_session(system_, context_, id); },
              std::move(options.stopping), std::move(options.stopped),
              std::move(options.agent_changed)}),
        config_(worker_count(options.settings.workers)),
        system_(config_) {
    context_.identity = std::move(options.identity);
    context_.settings = std::move(options.settings);
    context_.log = std::move(options.log);
    context_.give_back_memory = std::move(options.give_back_memory);
    context_.hub = &hub_;
    if (options.telemetry != nullptr) {
      context_.telemetry = options.telemetry;
    }
    hub_.adopt(system_);
    context_.registry = spawn_registry(system_, context_, options.mode);
  }

  ~Impl() {
    hub_.resign();
    context_.registry = {};
  }

  IoHub& hub() { return hub_; }
  void stop() { caf::anon_send(context_.registry, StopService{}); }
  [[nodiscard]] telemetry::Gauges gauges() const;
  void probe() {
    if (!context_.probing.exchange(true)) {
      caf::anon_send(context_.registry, Probe{steady_us()});
    }
  }

 private:
  ServiceContext context_;
  IoHub hub_;
  SystemConfig config_;
  RecordersAtRest at_rest_{context_.recorders};
  caf::actor_system system_;  // last: its workers use everything above
};

telemetry::Gauges Service::Impl::gauges() const {
  telemetry::Gauges gauges;
  gauges.connections = hub_.connection_count();
  const auto view = context_.directory.view();
  gauges.terminals = view->by_id.size();
  gauges.waits = context_.directory.list_waits();
  for (const EntryPointer& entry : view->by_id) {
    const TerminalCard& card = *entry->card;
    const auto info = card.info();
    gauges.running += std::holds_alternative<protocol::Running>(info->lifecycle) ? 1U : 0U;
    gauges.subscriptions += info->subscribers;
    gauges.waits += card.waits();
    gauges.retained_bytes += card.retained_bytes();
    gauges.lag_bytes += card.lag_bytes();
    gauges.lag_max_bytes = std::max<std::uint64_t>(gauges.lag_max_bytes, card.worst_lag_bytes());
  }
  return gauges;
}

Service::Service(boost::asio::io_context& io, ServiceOptions options)
    : impl_(std::make_unique<Impl>(io, std::move(options))) {}
Service::~Service() = default;
void Service::accept(UniqueFd socket) {
  impl_->hub().accept(std::move(socket));
}
void Service::stop() {
  impl_->stop();
}
telemetry::Gauges Service::gauges() const {
  return impl_->gauges();
}
void Service::probe() {
  impl_->probe();
}

}  // namespace troupe::actors
