// SPDX-License-Identifier: MIT
#include "actors/session_actor.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <unordered_map>
#include <utility>

#include "actors/light_turns.hpp"
#include "actors/supervision.hpp"

namespace troupe::actors {
namespace {

class HubConnection final : public ConnectionPort {
 public:
  HubConnection(IoBatch& batch, ConnectionId id) : batch_(batch), id_(id) {}
  void send(transport::Lane lane, transport::OutFrame frame) override {
    batch_.add(io::Send{id_, lane, std::move(frame)});
  }
  void consumed(std::size_t bytes) override {
    if (bytes > 0) {
      batch_.add(io::Consumed{id_, bytes});
    }
  }
  void expect_silence() override { batch_.add(io::Silence{id_}); }
  void finish() override { batch_.add(io::Close{id_, io::CloseHow::after_writing}); }
  void close() override { batch_.add(io::Close{id_, io::CloseHow::now}); }

 private:
  IoBatch& batch_;
  ConnectionId id_;
};

/// What is typed is light; all other requests read or change much.
Weight weight_of(const protocol::Request& request) {
  if (const auto* const write = std::get_if<protocol::request::Write>(&request)) {
    return weight_of_bytes(write->data.size());
  }
  if (const auto* const input = std::get_if<protocol::request::Input>(&request)) {
    return weight_of_bytes(input->data.size());
  }
  return Weight::heavy;
}

/// The directory finds terminals; the rest are messages.
class DirectoryService final : public ServicePort {
 public:
  DirectoryService(ServiceContext& context, IoBatch& batch, ConnectionId id)
      : context_(context), batch_(batch), id_(id) {}

  RequestKey fresh_key() override { return context_.fresh_key(); }

  bool to_terminal(TerminalId id, RequestKey key, SubscriberId subscriber, SubscriberId replaces,
                   protocol::Request request) override {
    const EntryPointer entry = context_.directory.view()->find(id);
    if (!entry) {
      return false;
    }
    actors::tell(entry->terminal, weight_of(request),
                 TerminalRequest{session(), key, subscriber, replaces, std::move(request)});
    return true;
  }
  void to_registry(RequestKey key, OwnerManners manners, protocol::Request request) override {
    const AsOwner as_owner = manners == OwnerManners::yes ? AsOwner::yes : AsOwner::no;
    caf::anon_send(context_.registry,
                   RegistryRequest{session(), id_, as_owner, key, std::move(request)});
  }
  void list(RequestKey key) override {
    auto view = context_.directory.view();
    io::Foreground ask{key, session(), {}};
    for (const EntryPointer& entry : view->by_id) {
      const auto info = entry->card->info();
      if (std::holds_alternative<protocol::Running>(info->lifecycle) && info->pid) {
        ask.queries.push_back({{entry->id.value, *info->pid}, entry->terminal});
      }
    }
    lists_.emplace(key, std::move(view));
    batch_.add(std::move(ask));
  }
  protocol::reply::Status status() override {
    protocol::reply::Status status;
    status.connections = context_.hub->connection_count();
    const auto view = context_.directory.view();
    status.terminals = view->by_id.size();
    status.waits = context_.directory.list_waits();
    for (const EntryPointer& entry : view->by_id) {
      const auto info = entry->card->info();
      status.running += std::holds_alternative<protocol::Running>(info->lifecycle) ? 1U : 0U;
      status.subscriptions += info->subscribers;
      status.waits += entry->card->waits();
      status.retained_bytes += entry->card->retained_bytes();
    }
    return status;
  }
  /// The answer of `list`: the terminals of the moment it was asked, as they are now.
  protocol::reply::Terminals listing(const ForegroundKnown& known) {
    const auto view = lists_.extract(known.key);
    protocol::reply::Terminals terminals;
    if (view.empty()) {
      return terminals;
    }
    std::unordered_map<std::uint64_t, const ForegroundState*> states;
    for (const auto& [id, state] : known.terminals) {
      states.emplace(id, &state);
    }
    for (const EntryPointer& entry : view.mapped()->in_creation_order()) {
      terminals.terminals.push_back(entry->card->read());
      if (const auto at = states.find(entry->id.value); at != states.end()) {
        apply_foreground(terminals.terminals.back(), at->second->process, at->second->cwd);
      }
    }
    return terminals;
  }

  void acknowledge(TerminalId id, SubscriberId subscriber, std::size_t bytes) override {
    tell(id, Acknowledge{subscriber, bytes}, weight_of_bytes(bytes));
  }
  void detach(TerminalId id, SubscriberId subscriber) override { tell(id, Detach{subscriber}); }
  void cancel(std::optional<TerminalId> id, RequestKey key) override {
    if (id) {
      tell(*id, CancelRequest{key});
    } else {
      caf::anon_send(context_.registry, CancelRequest{key});
    }
  }
  void owner_lost() override { caf::anon_send(context_.registry, OwnerLost{id_}); }
  std::string not_found_text(TerminalId id) override {
    return actors::not_found_text(id, context_.directory.view()->ledger);
  }

  caf::actor_addr self;

 private:
  [[nodiscard]] caf::actor session() const { return caf::actor_cast<caf::actor>(self); }
  template <class Message>
  void tell(TerminalId id, Message message, Weight weight = Weight::heavy) {
    if (const EntryPointer entry = context_.directory.view()->find(id)) {
      actors::tell(entry->terminal, weight, std::move(message));
    }
  }

  ServiceContext& context_;
  IoBatch& batch_;
  ConnectionId id_;
  std::unordered_map<RequestKey, std::shared_ptr<const DirectoryView>> lists_;
};

struct SessionState {
  static inline const char* name = "session";
  std::unique_ptr<IoBatch> batch;
  std::unique_ptr<HubConnection> connection;
  std::unique_ptr<DirectoryService> service;
  std::unique_ptr<SessionCore> core;
};
using SessionActor = caf::stateful_actor<SessionState>;

/// Runs `action` on the core as one turn; a session that is over ends.
template <class Action>
void turn(SessionActor* self, Action&& action) {
  action(*self->state.core);
  self->state.batch->flush();
  if (self->state.core->over()) {
    self->quit();
  }
}

caf::behavior session_behavior(SessionActor* self, ServiceContext* context,
                               ConnectionId connection) {
  supervise(self);
  SessionState& state = self->state;
  state.batch = std::make_unique<IoBatch>(*context->hub);
  state.connection = std::make_unique<HubConnection>(*state.batch, connection);
  state.service = std::make_unique<DirectoryService>(*context, *state.batch, connection);
  state.service->self = self->address();
  state.core = std::make_unique<SessionCore>(context->identity, *state.connection, *state.service);
  return {
      [=](FrameArrived& frame) {
        turn(self, [&](SessionCore& core) { core.on_frame(std::move(frame.payload)); });
      },
      [=](SubscriptionOutput& output) {
        turn(self, [&](SessionCore& core) {
          core.on_output(output.subscriber, {output.start, std::move(output.bytes)});
        });
      },
      [=](Answer& answer) {
        turn(self,
             [&](SessionCore& core) { core.on_reply(answer.key, std::move(answer.response)); });
      },
      [=](const SubscriptionEvent& event) {
        turn(self, [&](SessionCore& core) {
          core.on_event(event.subscriber, static_cast<std::size_t>(event.cost), *event.event);
        });
      },
      [=](const SubscriptionEnded& ended) {
        turn(self, [&](SessionCore& core) {
          core.on_ended(ended.subscriber, ended.reason, ended.offset);
        });
      },
      [=](const LanesWritten& written) {
        turn(self, [&](SessionCore& core) { core.on_written(written.credits); });
      },
      [=](const StreamEnded& ended) {
        turn(self, [&](SessionCore& core) { core.on_end(ended.end); });
      },
      [=](const ForegroundKnown& known) {
        turn(self, [&](SessionCore& core) {
          core.on_reply(known.key, self->state.service->listing(known));
        });
      },
      [=](Superseded) { turn(self, [](SessionCore& core) { core.on_superseded(); }); },
      [=](const TerminalLost& lost) {
        turn(self, [&](SessionCore& core) { core.on_terminal_lost({lost.terminal}); });
      },
      [=](Farewell) { turn(self, [](SessionCore& core) { core.on_farewell(); }); },
  };
}

}  // namespace

caf::actor spawn_session(caf::actor_system& system, ServiceContext& context,
                         ConnectionId connection) {
  return system.spawn<caf::lazy_init>(session_behavior, &context, connection);
}

}  // namespace troupe::actors
