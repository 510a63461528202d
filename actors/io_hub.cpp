// SPDX-License-Identifier: MIT
#include "actors/io_hub.hpp"

#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <caf/send.hpp>
#include <chrono>
#include <iterator>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include "actors/decisions/echo_watch.hpp"
#include "actors/foreground_looks.hpp"
#include "actors/light_turns.hpp"
#include "remote/remote_service.hpp"
#include "transport/framed_stream.hpp"

namespace troupe::actors {
namespace {

using Clock = std::chrono::steady_clock;

// A stopping daemon waits so long for its last answers to be read.
constexpr std::chrono::milliseconds farewell{300};
// A request of so many bytes is quickly read.
constexpr std::size_t light_frame_bytes = 4096;

Weight weight_of(const pty::ChannelEvent& event) {
  if (const auto* const data = std::get_if<pty::Data>(&event)) {
    return weight_of_bytes(data->bytes.size());
  }
  return std::holds_alternative<pty::Written>(event) ? Weight::light : Weight::heavy;
}

}  // namespace

class IoHub::Impl {
 public:
  Impl(boost::asio::io_context& io, HubOptions options, Hooks hooks)
      : io_(io),
        options_(options),
        ptys_(io, options.pty),
        remotes_(io),
        looks_(io, ptys_),
        hooks_(std::move(hooks)),
        farewell_(io),
        linger_(io),
        wake_(io, ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    wait_for_commands();
  }

  /// An inbox and an eventfd of its own instead of asio's queue: asio wakes the io thread while it
  /// holds the lock that the io thread then waits for. An actor that has its turn on the io thread
  /// wakes nobody.
  void post(std::vector<io::Command> commands) {
    const bool own = light_.running();
    if (own && write_at_once(commands)) {
      return;
    }
    bool first = false;
    {
      const std::lock_guard lock(inbox_mutex_);
      first = inbox_.empty();
      inbox_.insert(inbox_.end(), std::make_move_iterator(commands.begin()),
                    std::make_move_iterator(commands.end()));
    }
    if (own) {
      run_commands_soon();
    } else if (first) {
      const std::uint64_t one = 1;
      // It can only fail where the counter is full, and then the io thread is awake.
      (void)!::write(wake_.native_handle(), &one, sizeof one);
    }
  }

  void accept(UniqueFd socket) {
    if (stopping_ || connections_.size() >= max_connections) {
      hooks_.log(LogLevel::warn, [] { return std::string{"a connection was refused"}; });
      return;
    }
    const ConnectionId id = ++last_connection_;
    Connection& connection = connections_[id];
    connection_count_.store(connections_.size());
    connection.stream = std::make_unique<transport::FramedStream>(io_, std::move(socket));
    connection.stream->start({
        [this, id](std::string payload) { on_frame(id, std::move(payload)); },
        [this, id](transport::StreamEnd end) { on_stream_end(id, end); },
        [this, id](const std::vector<transport::LaneCredit>& credits) { on_written(id, credits); },
        [this, id] { erase_connection(id); },
    });
  }

  void adopt(caf::actor_system& system) { light_.adopt(system); }
  void resign() { light_.resign(); }

  void clear() {
    boost::system::error_code ignored;
    wake_.close(ignored);
    channels_.clear();
    connections_.clear();
  }

  [[nodiscard]] std::size_t connection_count() const { return connection_count_.load(); }

 private:
  void wait_for_commands() {
    wake_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](const auto& error) {
      if (error) {
        return;
      }
      std::uint64_t count = 0;
      (void)!::read(wake_.native_handle(), &count, sizeof count);
      run_commands();
      wait_for_commands();
    });
  }

  void run_commands() {
    std::vector<io::Command> commands;
    {
      const std::lock_guard lock(inbox_mutex_);
      commands.swap(inbox_);
    }
    running_commands_ = true;
    for (io::Command& command : commands) {
      std::visit([this](auto& c) { run(c); }, command);
    }
    running_commands_ = false;
    flush_answered();
    light_.run();
  }

  /// Once all is queued: what goes to one client goes in one piece.
  void flush_answered() {
    for (const ConnectionId id : std::exchange(answered_, {})) {
      if (Connection* const connection = find(id)) {
        connection->stream->flush();
      }
    }
  }

  /// An actor asked on this thread. Not at once: a command may close the stream or the channel
  /// whose handler is being called.
  void run_commands_soon() {
    if (!std::exchange(commands_due_, true)) {
      boost::asio::post(io_, [this, life = std::weak_ptr(life_)] {
        if (!life.expired()) {
          commands_due_ = false;
          run_commands();
        }
      });
    }
  }

  /// A key does not wait for the rest of its turn: a write closes nothing. It must not overtake
  /// what was asked before.
  bool write_at_once(std::vector<io::Command>& commands) {
    auto* const write = commands.size() == 1 ? std::get_if<io::Write>(&commands.front()) : nullptr;
    if (write == nullptr || running_commands_) {
      return false;
    }
    {
      const std::lock_guard lock(inbox_mutex_);
      if (!inbox_.empty()) {
        return false;
      }
    }
    run(*write);
    return true;
  }

  /// What is light is handled before this returns, if the receiver is idle.
  template <class Message>
  void tell_now(const caf::actor& receiver, Weight weight, Message message) {
    if (weight == Weight::light) {
      light_.tell(receiver, std::move(message));
      light_.run();
    } else {
      caf::anon_send(receiver, std::move(message));
    }
  }

  struct Connection {
    std::unique_ptr<transport::FramedStream> stream;
    caf::actor session;           // spawned with the first frame
    std::size_t held_credit = 0;  // of requests, while their replies are not read
    std::size_t unread = 0;       // once it only has to be written out
    Clock::time_point lingers_until = Clock::time_point::max();
  };
  struct ChannelSlot {
    std::unique_ptr<pty::Channel> channel;
    caf::actor terminal;
  };
  struct Opening {
    caf::actor reply_to;
    caf::actor start;
  };

  // -- connections --------------------------------------------------------------------------------

  void on_frame(ConnectionId id, std::string payload) {
    Connection& connection = connections_.at(id);
    if (!connection.session) {
      connection.session = hooks_.new_session(id);
    }
    const Weight weight = payload.size() <= light_frame_bytes ? Weight::light : Weight::heavy;
    tell_now(connection.session, weight, FrameArrived{std::move(payload)});
  }

  void on_stream_end(ConnectionId id, transport::StreamEnd end) {
    const auto at = connections_.find(id);
    const bool had_session = static_cast<bool>(at->second.session);
    if (had_session) {
      caf::anon_send(at->second.session, StreamEnded{end});
    }
    if (end != transport::StreamEnd::half_closed || !had_session) {
      erase_connection(id);
    }
  }

  void on_written(ConnectionId id, const std::vector<transport::LaneCredit>& credits) {
    const auto at = connections_.find(id);
    if (at->second.session) {
      tell_now(at->second.session, Weight::light, LanesWritten{credits});
    }
    give_read_credit(at->second);
  }

  void give_read_credit(Connection& connection) {
    if (connection.held_credit > 0 &&
        connection.stream->queued_bytes(transport::reply_lane) < reply_pause_bytes) {
      connection.stream->consumed(std::exchange(connection.held_credit, 0));
    }
  }

  void erase_connection(ConnectionId id) {
    hooks_.log(LogLevel::debug, [id] { return "connection " + std::to_string(id) + " closed"; });
    connections_.erase(id);
    connection_count_.store(connections_.size());
    if (stopping_ && connections_.empty()) {
      finish_stop();
    }
  }

  Connection* find(ConnectionId id) {
    const auto at = connections_.find(id);
    return at == connections_.end() ? nullptr : &at->second;
  }

  void run(io::Send& c) {
    Connection* const connection = find(c.connection);
    if (connection == nullptr) {
      return;
    }
    connection->stream->send(c.lane, std::move(c.frame));
    if (answered_.empty() || answered_.back() != c.connection) {
      answered_.push_back(c.connection);
    }
    if (connection->stream->queued_bytes(transport::reply_lane) > reply_limit_bytes) {
      hooks_.log(LogLevel::warn, [id = c.connection] {
        return "connection " + std::to_string(id) + " does not read its replies: closed";
      });
      on_stream_end(c.connection, transport::StreamEnd::closed);
    }
  }

  void run(io::Consumed& c) {
    if (Connection* const connection = find(c.connection)) {
      connection->held_credit += c.bytes;
      give_read_credit(*connection);
    }
  }

  void run(io::Silence& c) {
    if (Connection* const connection = find(c.connection)) {
      connection->stream->expect_silence();
    }
  }

  void run(io::Close& c) {
    Connection* const connection = find(c.connection);
    if (connection == nullptr) {
      return;
    }
    connection->session = {};  // it is done with this connection
    if (c.how == io::CloseHow::now) {
      erase_connection(c.connection);
    } else {
      connection->unread = connection->stream->queued_bytes();
      connection->lingers_until = Clock::now() + options_.linger;
      connection->stream->finish();
      arm_linger();
    }
  }

  /// A client that never reads its answer must not hold it for ever. While it reads, it may.
  void arm_linger() {
    if (lingering_) {
      return;
    }
    auto next = Clock::time_point::max();
    for (const auto& entry : connections_) {
      next = std::min(next, entry.second.lingers_until);
    }
    if (next == Clock::time_point::max()) {
      return;
    }
    lingering_ = true;
    linger_.expires_at(next);
    linger_.async_wait([this](const auto& error) {
      lingering_ = false;
      if (!error) {
        end_lingering();
        arm_linger();
      }
    });
  }

  void end_lingering() {
    Clock::time_point const now = Clock::now();
    std::vector<ConnectionId> over;
    for (auto& [id, connection] : connections_) {
      if (connection.lingers_until > now) {
        continue;
      }
      std::size_t const unread = connection.stream->queued_bytes();
      if (unread < connection.unread) {
        connection.unread = unread;
        connection.lingers_until = now + options_.linger;
      } else {
        over.push_back(id);
      }
    }
    for (const ConnectionId id : over) {
      hooks_.log(LogLevel::info, [id] {
        return "connection " + std::to_string(id) + " did not read its last answer: closed";
      });
      erase_connection(id);
    }
  }

  // -- channels -----------------------------------------------------------------------------------

  void run(io::Open& c) {
    auto opened = [this, id = c.channel](auto channel) { on_opened(id, std::move(channel)); };
    opening_.emplace(c.channel, Opening{c.reply_to, c.start});
    if (auto* const local = std::get_if<pty::LaunchSpec>(&c.launch)) {
      ptys_.open(std::move(*local), std::move(opened));
    } else if (auto* const ssh = std::get_if<SshLaunch>(&c.launch)) {
      remotes_.open_ssh(std::move(ssh->options), ssh->size, std::move(opened));
    } else if (auto* const telnet = std::get_if<TelnetLaunch>(&c.launch)) {
      remotes_.open_telnet(std::move(telnet->options), telnet->size, std::move(opened));
    }
  }

  void on_opened(ChannelId id, Result<std::unique_ptr<pty::Channel>> channel) {
    const auto node = opening_.extract(id);
    if (node.empty() || stopping_) {
      return;  // it was given up meanwhile
    }
    const Opening& opening = node.mapped();
    if (!channel) {
      caf::anon_send(opening.reply_to, ChannelOpened{id, channel.error()});
      return;
    }
    ChannelSlot& slot = channels_[id];
    slot.channel = std::move(*channel);
    caf::anon_send(opening.reply_to, ChannelOpened{id, slot.channel->pid()});
    if (opening.start) {
      start_channel(id, slot, opening.start);
    }
  }

  void run(io::Start& c) {
    if (ChannelSlot* const slot = find_channel(c.channel)) {
      start_channel(c.channel, *slot, c.terminal);
    }
  }

  void start_channel(ChannelId id, ChannelSlot& slot, const caf::actor& terminal) {
    slot.terminal = terminal;
    slot.channel->start([this, id, terminal](pty::ChannelEvent event) {
      if (std::holds_alternative<pty::Data>(event)) {
        echo_.printed(id, steady_us());
      }
      const Weight weight = weight_of(event);
      tell_now(terminal, weight, ChannelNews{id, std::move(event)});
    });
  }

  ChannelSlot* find_channel(ChannelId id) {
    const auto at = channels_.find(id);
    return at == channels_.end() ? nullptr : &at->second;
  }

  void run(io::Credit& c) {
    if (ChannelSlot* const slot = find_channel(c.channel)) {
      slot->channel->consumed(c.chunks);
    }
  }

  void run(io::Write& c) {
    ChannelSlot* const slot = find_channel(c.channel);
    if (slot == nullptr) {
      return;
    }
    // Looked at before the program can read it and change its mind.
    const auto line = c.note != 0 ? slot->channel->line_state() : std::optional<pty::LineState>{};
    const std::size_t size = c.bytes.size();
    const bool taken = slot->channel->write(std::move(c.bytes), c.id).ok();
    if (taken && watches_ && echo_.typed(c.channel, size, steady_us())) {
      watch_echo();
    }
    if (!taken && c.id != 0) {
      caf::anon_send(slot->terminal, ChannelNews{c.channel, pty::Written{c.id, 0, false}});
    }
    if (c.note != 0) {
      TypedFate fate{taken, {}};
      if (line) {
        fate.hidden = line->canonical && !line->echo;
      }
      tell_now(slot->terminal, Weight::light, InputTyped{c.note, fate});
    }
  }

  /// While a handler is ready the loop only looks for events and does not wait for one.
  void watch_echo() {
    if (echo_.watching(steady_us())) {
      boost::asio::post(io_, [this, life = std::weak_ptr(life_)] {
        if (!life.expired()) {
          ::sched_yield();  // the program may wait for this very processor
          watch_echo();
        }
      });
    }
  }

  void run(io::Resize& c) {
    if (ChannelSlot* const slot = find_channel(c.channel)) {
      (void)slot->channel->resize(c.size);  // a stream that is over has no size
    }
  }

  void run(io::EndStream& c) {
    if (ChannelSlot* const slot = find_channel(c.channel)) {
      slot->channel->end_stream();
    }
  }

  void run(io::Signal& c) {
    if (ChannelSlot* const slot = find_channel(c.channel)) {
      slot->channel->signal(c.number, c.target,
                            [terminal = slot->terminal, token = c.token](Result<> result) {
                              caf::anon_send(terminal, Signalled{token, std::move(result)});
                            });
    }
  }

  void run(io::Terminate& c) {
    if (ChannelSlot* const slot = find_channel(c.channel)) {
      slot->channel->terminate(
          [terminal = slot->terminal, id = c.channel](pty::TerminateResult result) {
            caf::anon_send(terminal, ChannelDead{id, std::move(result)});
          });
    } else if (const auto node = opening_.extract(c.channel); !node.empty()) {
      caf::anon_send(node.mapped().reply_to, ChannelDead{c.channel, {}});
    }
  }

  void run(io::Holders& c) {
    if (ChannelSlot* const slot = find_channel(c.channel)) {
      slot->channel->holders([terminal = slot->terminal, id = c.channel](std::vector<int> pids) {
        caf::anon_send(terminal, HoldersKnown{id, std::move(pids)});
      });
    }
  }

  void run(io::Forget& c) {
    channels_.erase(c.channel);
    opening_.erase(c.channel);
  }

  void run(io::Foreground& c) { looks_.look(std::move(c)); }

  // -- the rest -----------------------------------------------------------------------------------

  void run(io::Agent& c) {
    const bool had =
        std::erase_if(agents_, [&](const auto& a) { return a.subscriber == c.subscriber; }) > 0;
    if (!c.path.empty()) {
      agents_.push_back(std::move(c));
    } else if (!had) {
      return;
    }
    hooks_.agent_changed(agents_.empty() ? std::string{} : agents_.back().path);
  }

  void run(io::Lost& c) {
    looks_.forget(c.terminal);
    if (c.death == io::Death::ended) {
      return;
    }
    for (auto& [id, connection] : connections_) {
      if (connection.session) {
        caf::anon_send(connection.session, TerminalLost{c.terminal.value});
      }
    }
  }

  void run(io::Stopping&) { hooks_.stopping(); }

  void run(io::Stop&) {
    stopping_ = true;
    std::vector<ConnectionId> idle;
    for (const auto& [id, connection] : connections_) {
      if (connection.session) {
        // Through its mailbox: what it was sent before, it still writes.
        caf::anon_send(connection.session, Farewell{});
      } else {
        idle.push_back(id);
      }
    }
    for (const ConnectionId id : idle) {
      connections_.erase(id);
    }
    if (connections_.empty()) {
      finish_stop();
      return;
    }
    farewell_.expires_after(farewell);
    farewell_.async_wait([this](const auto& error) {
      if (!error) {
        finish_stop();
      }
    });
  }

  void finish_stop() {
    if (std::exchange(stopped_, true)) {
      return;
    }
    farewell_.cancel();
    for (const auto& entry : connections_) {
      if (entry.second.session) {
        caf::anon_send(entry.second.session, StreamEnded{transport::StreamEnd::closed});
      }
    }
    hooks_.stopped();
  }

  boost::asio::io_context& io_;
  std::shared_ptr<const bool> life_ = std::make_shared<const bool>(true);
  LightTurns light_;
  bool commands_due_ = false;
  bool running_commands_ = false;
  EchoWatch echo_;
  const bool watches_ = std::thread::hardware_concurrency() > 1;
  HubOptions options_;
  pty::PtyService ptys_;
  remote::RemoteService remotes_;
  ForegroundLooks looks_;
  Hooks hooks_;
  boost::asio::steady_timer farewell_;
  boost::asio::steady_timer linger_;
  bool lingering_ = false;
  boost::asio::posix::stream_descriptor wake_;
  std::mutex inbox_mutex_;
  std::vector<io::Command> inbox_;
  std::vector<ConnectionId> answered_;  // by the commands that are being run
  std::unordered_map<ConnectionId, Connection> connections_;
  std::unordered_map<ChannelId, ChannelSlot> channels_;
  std::unordered_map<ChannelId, Opening> opening_;
  std::atomic<std::size_t> connection_count_{0};
  ConnectionId last_connection_ = 0;
  std::vector<io::Agent> agents_;  // in order of attaching
  bool stopping_ = false;
  bool stopped_ = false;
};

IoHub::IoHub(boost::asio::io_context& io, HubOptions options, Hooks hooks)
    : impl_(std::make_unique<Impl>(io, options, std::move(hooks))) {}
IoHub::~IoHub() {
  impl_->clear();
}
void IoHub::adopt(caf::actor_system& system) {
  impl_->adopt(system);
}
void IoHub::resign() {
  impl_->resign();
}
void IoHub::post(std::vector<io::Command> commands) {
  impl_->post(std::move(commands));
}
std::size_t IoHub::connection_count() const {
  return impl_->connection_count();
}
void IoHub::accept(UniqueFd socket) {
  impl_->accept(std::move(socket));
}

}  // namespace troupe::actors
