// SPDX-License-Identifier: MIT
#include "actors/terminal_actor.hpp"

#include <algorithm>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <chrono>
#include <utility>

#include "actors/decisions/alarms.hpp"
#include "actors/session_sink.hpp"
#include "actors/supervision.hpp"
#include "base/random.hpp"

namespace troupe::actors {
namespace {

class HubChannel final : public ChannelPort {
 public:
  struct Names {
    TerminalId terminal;
    ChannelId channel = 0;
  };
  HubChannel(ServiceContext& context, IoBatch& batch, Names names, caf::actor_addr self)
      : context_(context),
        batch_(batch),
        id_(names.terminal),
        channel_(names.channel),
        current_(std::make_shared<ChannelId>(names.channel)),
        self_(std::move(self)) {}

  void consumed(std::size_t chunks) override { batch_.add(io::Credit{channel_, chunks}); }
  void write(std::string bytes, pty::WriteId id, std::uint64_t note) override {
    batch_.add(io::Write{channel_, std::move(bytes), id, note});
  }
  void resize(pty::WindowSize size) override { batch_.add(io::Resize{channel_, size}); }
  void end_stream() override { batch_.add(io::EndStream{channel_}); }
  void signal(int number, pty::SignalTarget target, std::uint64_t token) override {
    batch_.add(io::Signal{channel_, number, target, token});
  }
  void terminate() override { batch_.add(io::Terminate{channel_}); }
  void holders() override { batch_.add(io::Holders{channel_}); }
  void look(int leader_pid) override {
    batch_.add(
        io::Foreground{0, {}, {{{id_.value, leader_pid}, caf::actor_cast<caf::actor>(self_)}}});
  }
  void reopen(Launch launch) override {
    batch_.add(io::Forget{channel_});
    *current_ = channel_ = context_.fresh_key();
    const auto self = caf::actor_cast<caf::actor>(self_);
    batch_.add(io::Open{channel_, std::move(launch), self, self});
  }
  /// Late news of a channel that was replaced must not be taken for the new one's.
  [[nodiscard]] bool is(ChannelId channel) const { return channel == channel_; }

  /// Outlives this port: whoever cleans up after the actor reads it.
  [[nodiscard]] std::shared_ptr<const ChannelId> current() const { return current_; }

 private:
  ServiceContext& context_;
  IoBatch& batch_;
  TerminalId id_;
  ChannelId channel_;
  std::shared_ptr<ChannelId> current_;
  caf::actor_addr self_;  // weak: the actor owns this port
};

/// A recorder that tells its news to the terminal's actor while there is one.
class FileRecording final : public RecordingPort {
 public:
  FileRecording(recording::RecorderGroup& group, recording::RecorderSpec spec,
                const caf::actor_addr& terminal)
      : recorder_(group, std::move(spec), [terminal](recording::RecorderEvent event) {
          if (const auto actor = caf::actor_cast<caf::actor>(terminal)) {
            caf::anon_send(actor, RecorderNews{std::move(event)});
          }
        }) {}
  void begin() override { recorder_.begin(); }
  void output(StreamOffset offset, const SharedBytes& bytes) override {
    recorder_.output(offset, bytes);
  }
  void input(std::string keys) override { recorder_.input(std::move(keys)); }
  void masked_input() override { recorder_.masked_input(); }
  void resize(pty::WindowSize size) override { recorder_.resize(size.cols, size.rows); }
  void error(const std::string& message) override { recorder_.error(message); }
  void stop(recording::StopInfo info) override { recorder_.stop(std::move(info)); }
  [[nodiscard]] std::uint64_t event_count() const override { return recorder_.event_count(); }

 private:
  recording::Recorder recorder_;
};

class DirectoryBoard final : public TerminalBoard {
 public:
  DirectoryBoard(ServiceContext& context, IoBatch& batch, TerminalId id,
                 std::shared_ptr<TerminalCard> card)
      : context_(context), batch_(batch), id_(id), card_(std::move(card)) {}

  void publish(const protocol::TerminalInfo& info) override { card_->publish(info); }
  void moved(StreamOffset head, StreamOffset tail) override { card_->moved(head, tail); }
  void measured(std::size_t retained_bytes, std::size_t waits) override {
    card_->measured(retained_bytes, waits);
  }
  void lagging(std::size_t total_bytes, std::size_t worst_bytes) override {
    card_->lagging(total_bytes, worst_bytes);
  }
  void exited(std::size_t retained_bytes) override {
    caf::anon_send(context_.registry, TerminalExited{id_.value, retained_bytes});
  }
  void restarted() override { caf::anon_send(context_.registry, TerminalRestarted{id_.value}); }
  void changed() override { caf::anon_send(context_.registry, TerminalChanged{id_.value}); }
  void gone(const std::vector<std::int32_t>& survivors) override {
    caf::anon_send(context_.registry, TerminalGone{id_.value, survivors});
  }
  void agent(SubscriberId subscriber, std::string ssh_auth_sock) override {
    if (ssh_auth_sock.empty() && std::erase(with_agent_, subscriber) == 0) {
      return;
    }
    if (!ssh_auth_sock.empty()) {
      with_agent_.push_back(subscriber);
    }
    batch_.add(io::Agent{subscriber, std::move(ssh_auth_sock)});
  }

 private:
  ServiceContext& context_;
  IoBatch& batch_;
  TerminalId id_;
  std::shared_ptr<TerminalCard> card_;
  std::vector<SubscriberId> with_agent_;
};

struct TerminalState {
  static inline const char* name = "terminal";
  std::unique_ptr<IoBatch> batch;
  HubChannel* channel = nullptr;  // owned by the core
  std::unique_ptr<TerminalCore> core;
  Alarms alarms;
  bool resuming = false;
};
using TerminalActor = caf::stateful_actor<TerminalState>;

/// What the core left to do: the rest of its output, its deadlines, its commands to the io thread.
void after(TerminalActor* self, Moment now) {
  TerminalState& state = self->state;
  if (state.core->wants_resume() && !std::exchange(state.resuming, true)) {
    self->send(self, Resume{});
  }
  if (const auto due = state.core->deadline_us(); due && state.alarms.arm(*due)) {
    self->delayed_send(
        self, std::chrono::microseconds{std::max<std::int64_t>(0, *due - now.steady_us)}, Tick{});
  }
  state.batch->flush();
}

/// Runs `action` on the core as one turn.
template <class Action>
void turn(TerminalActor* self, Action&& action) {
  const Moment now = current_moment(self);
  action(*self->state.core, now);
  after(self, now);
}

/// A turn that reads output: the next ones read less of it where this one took too long.
template <class Action>
void reading_turn(TerminalActor* self, Action&& action) {
  const std::int64_t begun = thread_us();
  turn(self, std::forward<Action>(action));
  self->state.core->turn_took(thread_us() - begun);
}

/// What is not worth measuring: a key's echo, the end of a write.
bool is_little(const pty::ChannelEvent& event) {
  const auto* const data = std::get_if<pty::Data>(&event);
  return data == nullptr || data->bytes.size() < TurnSlice::least_bytes / 4;
}

void on_news(TerminalActor* self, ChannelNews& news) {
  if (!self->state.channel->is(news.channel)) {
    return;
  }
  const auto action = [&](TerminalCore& core, Moment now) {
    core.on_channel(std::move(news.event), now);
  };
  is_little(news.event) ? turn(self, action) : reading_turn(self, action);
}

void on_dead(TerminalActor* self, const ChannelDead& dead) {
  if (self->state.channel->is(dead.channel)) {
    turn(self, [&](TerminalCore& core, Moment now) { core.on_terminated(dead.result, now); });
  }
}

void on_holders(TerminalActor* self, HoldersKnown& known) {
  if (self->state.channel->is(known.channel)) {
    turn(self,
         [&](TerminalCore& core, Moment now) { core.on_holders(std::move(known.pids), now); });
  }
}

void on_recorder_news(TerminalActor* self, ServiceContext* context, RecorderNews& news) {
  if (const auto* const failed = std::get_if<recording::Failed>(&news.event)) {
    context->log(LogLevel::warn, [&] {
      // Without a row there never was a file of that name.
      return (failed->rows == 0 ? "a recording could not begin: " : "a recording stopped: ") +
             failed->error.message;
    });
  }
  turn(self, [&](TerminalCore& core, Moment now) { core.on_recorder(std::move(news.event), now); });
}

void on_tick(TerminalActor* self) {
  self->state.alarms.rang();
  turn(self, [](TerminalCore& core, Moment now) { core.tick(now); });
}

void on_resume(TerminalActor* self) {
  self->state.resuming = false;
  reading_turn(self, [](TerminalCore& core, Moment now) { core.resume(now); });
}

void on_request(TerminalActor* self, TerminalRequest& r) {
  const ReplyTo to{make_session_sink(std::move(r.session)), r.key};
  turn(self, [&](TerminalCore& core, Moment now) {
    core.request(to, std::move(r.request), {r.subscriber, r.replaces}, now);
  });
}

caf::behavior terminal_behavior(TerminalActor* self, ServiceContext* context, ChannelId channel,
                                const std::shared_ptr<TerminalConfig>& config,
                                const std::shared_ptr<TerminalCard>& card) {
  supervise(self);
  TerminalState& state = self->state;
  state.batch = std::make_unique<IoBatch>(*context->hub);
  auto port = std::make_unique<HubChannel>(
      *context, *state.batch, HubChannel::Names{config->info.id, channel}, self->address());
  state.channel = port.get();
  auto board = std::make_unique<DirectoryBoard>(*context, *state.batch, config->info.id, card);
  state.core = std::make_unique<TerminalCore>(
      std::move(*config),
      TerminalPorts{std::move(port), std::move(board), [] { return random_hex(16); },
                    [context, address = self->address()](recording::RecorderSpec spec) {
                      return std::make_unique<FileRecording>(context->recorders, std::move(spec),
                                                             address);
                    },
                    context->telemetry});
  self->attach_functor([context, current = state.channel->current()] {
    // However the actor ended, its program does not outlive it.
    std::vector<io::Command> commands;
    commands.emplace_back(io::Forget{*current});
    context->hub->post(std::move(commands));
  });
  return {
      [=](ChannelNews& news) { on_news(self, news); },
      [=](TerminalRequest& request) { on_request(self, request); },
      [=](const Acknowledge& a) {
        turn(self, [&](TerminalCore& core, Moment now) {
          core.acknowledge(a.subscriber, static_cast<std::size_t>(a.bytes), now);
        });
      },
      [=](const Detach& d) {
        turn(self, [&](TerminalCore& core, Moment now) { core.detach(d.subscriber, now); });
      },
      [=](const CancelRequest& c) {
        turn(self, [&](TerminalCore& core, Moment) { core.cancel(c.key); });
      },
      [=](const ForegroundChanged& f) {
        turn(self, [&](TerminalCore& core, Moment now) {
          core.on_foreground(f.state.process, f.state.cwd, now);
        });
      },
      [=](const InputTyped& typed) {
        turn(self, [&](TerminalCore& core, Moment) { core.on_typed(typed.note, typed.fate); });
      },
      [=](RecorderNews& news) { on_recorder_news(self, context, news); },
      [=](HoldersKnown& known) { on_holders(self, known); },
      [=](const Signalled& s) {
        turn(self, [&](TerminalCore& core, Moment) { core.on_signalled(s.token, s.result); });
      },
      [=](const ChannelOpened& opened) {
        turn(self, [&](TerminalCore& core, Moment now) { core.on_reopened(opened.pid, now); });
      },
      [=](const ChannelDead& dead) { on_dead(self, dead); },
      [=](const EndTerminal& end) {
        turn(self, [&](TerminalCore& core, Moment now) { core.terminate(end.reason, now); });
      },
      [=](Tick) { on_tick(self); },
      [=](Resume) { on_resume(self); },
      [=](Bury) { self->quit(); },
  };
}

}  // namespace

caf::actor spawn_terminal(caf::actor_system& system, ServiceContext& context, ChannelId channel,
                          TerminalConfig config, std::shared_ptr<TerminalCard> card) {
  return system.spawn(terminal_behavior, &context, channel,
                      std::make_shared<TerminalConfig>(std::move(config)), std::move(card));
}

}  // namespace troupe::actors
