// SPDX-License-Identifier: MIT
#include "actors/registry_actor.hpp"

#include <algorithm>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <chrono>
#include <unordered_map>
#include <utility>

#include "actors/decisions/alarms.hpp"
#include "actors/registry_core.hpp"
#include "actors/session_sink.hpp"
#include "actors/supervision.hpp"
#include "actors/terminal_actor.hpp"

namespace troupe::actors {
namespace {

// A request that was on its way when its terminal was terminated is still answered `not_found`.
constexpr std::chrono::seconds tombstone{5};

struct RegistryState;
using RegistryActor = caf::stateful_actor<RegistryState>;

class SystemPort final : public RegistryPort {
 public:
  SystemPort(RegistryActor* self, ServiceContext& context)
      : self_(self), context_(context), batch_(*context.hub) {}

  std::uint64_t open(Launch launch) override;
  void forget(std::uint64_t channel) override { batch_.add(io::Forget{channel}); }
  void start(std::uint64_t channel, TerminalConfig config) override;
  void unlist(TerminalId id) override { context_.directory.remove(id); }
  void end(TerminalId id, protocol::EndReason reason) override {
    if (const auto at = terminals_.find(id); at != terminals_.end()) {
      caf::anon_send(at->second.terminal, EndTerminal{reason});
    }
  }
  void dismiss(TerminalId id) override;
  void announce_failure(TerminalId id) override { batch_.add(io::Lost{id, io::Death::failed}); }
  std::optional<protocol::TerminalInfo> info(TerminalId id) override {
    const auto at = terminals_.find(id);
    return at == terminals_.end() ? std::nullopt
                                  : std::optional<protocol::TerminalInfo>{at->second.card->read()};
  }
  void publish_ledger(const std::deque<protocol::LedgerEntry>& ledger) override {
    context_.directory.set_ledger(ledger);
  }
  void supersede(ConnectionId connection) override {
    if (const auto at = owners_.find(connection); at != owners_.end()) {
      caf::anon_send(at->second, Superseded{});
      owners_.erase(at);
    }
  }
  void give_back_memory() override {
    if (context_.give_back_memory) {
      context_.give_back_memory();
    }
  }
  void stopping() override { batch_.add(io::Stopping{}); }
  void stop_service() override { stopped_ = true; }

  void remember_owner(ConnectionId connection, const caf::actor& session) {
    owners_[connection] = session;
  }
  void forget_owner(ConnectionId connection) { owners_.erase(connection); }
  std::optional<TerminalId> terminal_of(const caf::actor_addr& address);
  /// What a terminal that was dismissed kept, once it is destroyed.
  std::optional<std::size_t> buried(const caf::actor_addr& address);
  void tell_list_waits(std::size_t count) { context_.directory.set_list_waits(count); }
  void flush();
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  struct Known {
    caf::actor terminal;
    std::shared_ptr<TerminalCard> card;
  };
  RegistryActor* self_;
  ServiceContext& context_;
  IoBatch batch_;
  std::unordered_map<TerminalId, Known> terminals_;
  std::vector<Known> tombstones_;
  std::unordered_map<ConnectionId, caf::actor> owners_;
  std::uint64_t created_ = 0;
  bool stopped_ = false;
};

struct RegistryState {
  static inline const char* name = "registry";
  std::unique_ptr<SystemPort> port;
  std::unique_ptr<RegistryCore> core;
  Alarms alarms;
};

std::uint64_t SystemPort::open(Launch launch) {
  std::uint64_t const channel = context_.fresh_key();
  batch_.add(io::Open{channel, std::move(launch), self_, {}});
  return channel;
}

void SystemPort::start(std::uint64_t channel, TerminalConfig config) {
  const TerminalId id = config.info.id;
  auto card = std::make_shared<TerminalCard>();
  card->publish(config.info);
  caf::actor terminal = spawn_terminal(self_->system(), context_, channel, std::move(config), card);
  self_->monitor(terminal);
  terminals_[id] = {terminal, card};
  context_.directory.add({id, ++created_, card, terminal});
  context_.log(LogLevel::info, [&] { return "terminal " + std::to_string(id.value) + " created"; });
  batch_.add(io::Start{channel, terminal});
}

void SystemPort::dismiss(TerminalId id) {
  const auto node = terminals_.extract(id);
  context_.log(LogLevel::info, [&] { return "terminal " + std::to_string(id.value) + " ended"; });
  batch_.add(io::Lost{id, io::Death::ended});
  if (!node.empty()) {
    tombstones_.push_back(node.mapped());
    self_->delayed_send(node.mapped().terminal, tombstone, Bury{});
  }
}

std::optional<TerminalId> SystemPort::terminal_of(const caf::actor_addr& address) {
  for (const auto& [id, known] : terminals_) {
    if (known.terminal.address() == address) {
      return id;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> SystemPort::buried(const caf::actor_addr& address) {
  const auto at = std::find_if(tombstones_.begin(), tombstones_.end(), [&](const Known& known) {
    return known.terminal.address() == address;
  });
  if (at == tombstones_.end()) {
    return std::nullopt;
  }
  std::size_t const bytes = at->card->retained_bytes();
  tombstones_.erase(at);
  return bytes;
}

void SystemPort::flush() {
  if (stopped_) {
    for (const Known& known : std::exchange(tombstones_, {})) {
      caf::anon_send(known.terminal, Bury{});
    }
    batch_.add(io::Stop{});
  }
  batch_.flush();
}

/// Runs `action` on the core as one turn.
template <class Action>
void turn(RegistryActor* self, Action&& action) {
  RegistryState& state = self->state;
  const Moment now = current_moment(self);
  action(*state.core, now);
  state.port->tell_list_waits(state.core->list_waits());
  if (const auto due = state.core->deadline_ms(); due && state.alarms.arm(*due)) {
    const auto wait = std::chrono::milliseconds{std::max<std::int64_t>(0, *due - now.steady_ms())};
    self->delayed_send(self, wait + std::chrono::milliseconds{1}, Tick{});
  }
  state.port->flush();
  if (state.port->stopped()) {
    self->quit();
  }
}

void on_request(RegistryActor* self, RegistryRequest& r) {
  const ReplyTo to{make_session_sink(r.session), r.key};
  const FromOwner from = r.as_owner == AsOwner::yes ? FromOwner::yes : FromOwner::no;
  turn(self, [&](RegistryCore& core, Moment now) {
    core.request(to, r.connection, from, std::move(r.request), now);
    if (core.is_owner(r.connection)) {
      self->state.port->remember_owner(r.connection, r.session);
    }
  });
}

caf::behavior registry_behavior(RegistryActor* self, ServiceContext* context,
                                Ownership::Mode mode) {
  supervise(self);
  RegistryState& state = self->state;
  state.port = std::make_unique<SystemPort>(self, *context);
  state.core = std::make_unique<RegistryCore>(
      context->settings,
      Ownership{mode, context->identity.instance_id, current_moment(self).steady_ms()}, *state.port,
      *context->telemetry);
  self->set_down_handler([=](const caf::down_msg& down) {
    if (auto const bytes = self->state.port->buried(down.source)) {
      turn(self, [&](RegistryCore& core, Moment now) { core.on_freed(*bytes, now); });
    } else if (auto const id = self->state.port->terminal_of(down.source)) {
      context->log(LogLevel::error, [&] {
        return "terminal " + std::to_string(id->value) + " failed: its actor is gone";
      });
      turn(self, [&](RegistryCore& core, Moment now) { core.on_lost(*id, now); });
    }
  });
  turn(self, [](RegistryCore&, Moment) {});  // arms the claim's deadline
  return {
      [=](RegistryRequest& request) { on_request(self, request); },
      [=](const ChannelOpened& opened) {
        turn(self, [&](RegistryCore& core, Moment now) {
          core.on_opened(opened.channel, opened.pid, now);
        });
      },
      [=](const TerminalExited& e) {
        turn(self, [&](RegistryCore& core, Moment now) {
          core.on_exited({e.terminal}, static_cast<std::size_t>(e.retained_bytes), now);
        });
      },
      [=](const TerminalRestarted& r) {
        turn(self, [&](RegistryCore& core, Moment) { core.on_restarted({r.terminal}); });
      },
      [=](const TerminalChanged& c) {
        turn(self, [&](RegistryCore& core, Moment) { core.on_changed({c.terminal}); });
      },
      [=](const CancelRequest& cancel) {
        turn(self, [&](RegistryCore& core, Moment) { core.cancel(cancel.key); });
      },
      [=](const TerminalGone& gone) {
        turn(self, [&](RegistryCore& core, Moment now) {
          core.on_gone({gone.terminal}, gone.survivors, now);
        });
      },
      [=](const OwnerLost& lost) {
        self->state.port->forget_owner(lost.connection);
        turn(self, [&](RegistryCore& core, Moment now) { core.owner_lost(lost.connection, now); });
      },
      [=](StopService) { turn(self, [](RegistryCore& core, Moment now) { core.stop(now); }); },
      [=](const Probe& probe) {
        context->probing = false;
        context->telemetry->actor_delay(std::chrono::microseconds{steady_us() - probe.sent_us});
      },
      [=](Tick) {
        self->state.alarms.rang();
        turn(self, [](RegistryCore& core, Moment now) { core.tick(now); });
      },
  };
}

}  // namespace

caf::actor spawn_registry(caf::actor_system& system, ServiceContext& context,
                          Ownership::Mode mode) {
  return system.spawn(registry_behavior, &context, mode);
}

}  // namespace troupe::actors
