// SPDX-License-Identifier: MIT
#include "actors/io_hub.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <utility>
#include <variant>

#include "actors/foreground_looks.hpp"
#include "actors/io_channels.hpp"
#include "actors/io_connections.hpp"
#include "actors/light_turns.hpp"

namespace troupe::actors {

class IoHub::Impl {
 public:
  Impl(boost::asio::io_context& io, HubOptions options, Hooks hooks)
      : io_(io),
        ptys_(io, options.pty),
        looks_(io, ptys_),
        hooks_(std::move(hooks)),
        connections_(io, light_, options.linger, {hooks_.log, hooks_.new_session, hooks_.stopped}),
        channels_(io, ptys_, light_),
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

  void accept(UniqueFd socket) { connections_.accept(std::move(socket)); }
  void adopt(caf::actor_system& system) { light_.adopt(system); }
  void resign() { light_.resign(); }

  void clear() {
    boost::system::error_code ignored;
    wake_.close(ignored);
    channels_.clear();
    connections_.clear();
  }

  [[nodiscard]] std::size_t connection_count() const { return connections_.count(); }

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
    connections_.flush_answered();
    light_.run();
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

  // -- which half runs which command --------------------------------------------------------------

  void run(io::Send& c) { connections_.send(c); }
  void run(const io::Consumed& c) { connections_.consumed(c); }
  void run(const io::Silence& c) { connections_.expect_silence(c); }
  void run(const io::Close& c) { connections_.close(c); }

  void run(io::Open& c) { channels_.open(c); }
  void run(const io::Start& c) { channels_.start(c); }
  void run(const io::Credit& c) { channels_.credit(c); }
  void run(io::Write& c) { channels_.write(c); }
  void run(const io::Resize& c) { channels_.resize(c); }
  void run(const io::EndStream& c) { channels_.end_stream(c); }
  void run(const io::Signal& c) { channels_.signal(c); }
  void run(const io::Terminate& c) { channels_.terminate(c); }
  void run(const io::Holders& c) { channels_.holders(c); }
  void run(const io::Forget& c) { channels_.forget(c); }

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

  void run(const io::Lost& c) {
    looks_.forget(c.terminal);
    if (c.death == io::Death::failed) {
      connections_.tell_lost(c.terminal);
    }
  }

  void run(const io::Stopping&) { hooks_.stopping(); }

  void run(const io::Stop&) {
    channels_.stop();
    connections_.stop();
  }

  boost::asio::io_context& io_;
  std::shared_ptr<const bool> life_ = std::make_shared<const bool>(true);
  LightTurns light_;
  bool commands_due_ = false;
  bool running_commands_ = false;
  pty::PtyService ptys_;
  ForegroundLooks looks_;
  Hooks hooks_;
  IoConnections connections_;
  IoChannels channels_;
  boost::asio::posix::stream_descriptor wake_;
  std::mutex inbox_mutex_;
  std::vector<io::Command> inbox_;
  std::vector<io::Agent> agents_;  // in order of attaching
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
