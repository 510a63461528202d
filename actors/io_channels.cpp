// SPDX-License-Identifier: MIT
#include "actors/io_channels.hpp"

#include <sched.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <caf/send.hpp>
#include <cstddef>
#include <optional>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "actors/messages.hpp"

namespace troupe::actors {
namespace {

Weight weight_of(const pty::ChannelEvent& event) {
  if (const auto* const data = std::get_if<pty::Data>(&event)) {
    return weight_of_bytes(data->bytes.size());
  }
  return std::holds_alternative<pty::Written>(event) ? Weight::light : Weight::heavy;
}

}  // namespace

IoChannels::IoChannels(boost::asio::io_context& io, pty::PtyService& ptys, LightTurns& turns)
    : io_(io),
      ptys_(ptys),
      turns_(turns),
      remotes_(io),
      watches_(std::thread::hardware_concurrency() > 1) {}

IoChannels::Slot* IoChannels::find(ChannelId id) {
  const auto at = channels_.find(id);
  return at == channels_.end() ? nullptr : &at->second;
}

// -- opening -------------------------------------------------------------------------------------

void IoChannels::open(io::Open& c) {
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

void IoChannels::on_opened(ChannelId id, Result<std::unique_ptr<pty::Channel>> channel) {
  const auto node = opening_.extract(id);
  if (node.empty() || stopping_) {
    return;  // it was given up meanwhile
  }
  const Opening& opening = node.mapped();
  if (!channel) {
    caf::anon_send(opening.reply_to, ChannelOpened{id, channel.error()});
    return;
  }
  Slot& slot = channels_[id];
  slot.channel = std::move(*channel);
  caf::anon_send(opening.reply_to, ChannelOpened{id, slot.channel->pid()});
  if (opening.start) {
    start(id, slot, opening.start);
  }
}

void IoChannels::start(const io::Start& c) {
  if (Slot* const slot = find(c.channel)) {
    start(c.channel, *slot, c.terminal);
  }
}

void IoChannels::start(ChannelId id, Slot& slot, const caf::actor& terminal) {
  slot.terminal = terminal;
  slot.channel->start([this, id, terminal](pty::ChannelEvent event) {
    if (std::holds_alternative<pty::Data>(event)) {
      echo_.printed(id, steady_us());
    }
    const Weight weight = weight_of(event);
    turns_.tell_now(terminal, weight, ChannelNews{id, std::move(event)});
  });
}

// -- while it runs -------------------------------------------------------------------------------

void IoChannels::credit(const io::Credit& c) {
  if (Slot* const slot = find(c.channel)) {
    slot->channel->consumed(c.chunks);
  }
}

void IoChannels::write(io::Write& c) {
  Slot* const slot = find(c.channel);
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
    turns_.tell_now(slot->terminal, Weight::light, InputTyped{c.note, fate});
  }
}

/// While a handler is ready the loop only looks for events and does not wait for one.
void IoChannels::watch_echo() {
  if (echo_.watching(steady_us())) {
    boost::asio::post(io_, [this, life = std::weak_ptr(life_)] {
      if (!life.expired()) {
        ::sched_yield();  // the program may wait for this very processor
        watch_echo();
      }
    });
  }
}

void IoChannels::resize(const io::Resize& c) {
  if (Slot* const slot = find(c.channel)) {
    (void)slot->channel->resize(c.size);  // a stream that is over has no size
  }
}

void IoChannels::signal(const io::Signal& c) {
  if (Slot* const slot = find(c.channel)) {
    slot->channel->signal(c.number, c.target,
                          [terminal = slot->terminal, token = c.token](Result<> result) {
                            caf::anon_send(terminal, Signalled{token, std::move(result)});
                          });
  }
}

void IoChannels::holders(const io::Holders& c) {
  if (Slot* const slot = find(c.channel)) {
    slot->channel->holders([terminal = slot->terminal, id = c.channel](std::vector<int> pids) {
      caf::anon_send(terminal, HoldersKnown{id, std::move(pids)});
    });
  }
}

// -- the end -------------------------------------------------------------------------------------

void IoChannels::end_stream(const io::EndStream& c) {
  if (Slot* const slot = find(c.channel)) {
    slot->channel->end_stream();
  }
}

void IoChannels::terminate(const io::Terminate& c) {
  if (Slot* const slot = find(c.channel)) {
    slot->channel->terminate(
        [terminal = slot->terminal, id = c.channel](pty::TerminateResult result) {
          caf::anon_send(terminal, ChannelDead{id, std::move(result)});
        });
  } else if (const auto node = opening_.extract(c.channel); !node.empty()) {
    caf::anon_send(node.mapped().reply_to, ChannelDead{c.channel, {}});
  }
}

void IoChannels::forget(const io::Forget& c) {
  channels_.erase(c.channel);
  opening_.erase(c.channel);
}

}  // namespace troupe::actors
