// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Every message between actors, and between actors and the io thread: the one list. What passes
/// between actors has an `inspect` and holds neither descriptors nor pointers into another actor,
/// so that the same actors can live on another node. What comes from the io thread never leaves
/// the process.

#include <caf/actor.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/meta/load_callback.hpp>
#include <caf/meta/save_callback.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actors/decisions/ownership.hpp"
#include "actors/ports.hpp"
#include "base/result.hpp"
#include "base/shared_bytes.hpp"
#include "protocol/codec.hpp"
#include "transport/framed_stream.hpp"

namespace troupe::actors {

// -- how protocol values travel: as their JSON ---------------------------------------------------

std::string request_text(const protocol::Request& request);
protocol::Request request_from(const std::string& text);
std::string response_text(const protocol::Response& response);
protocol::Response response_from(const std::string& text);

// -- session -> terminal -------------------------------------------------------------------------

struct TerminalRequest {
  caf::actor session;
  RequestKey key = 0;
  SubscriberId subscriber = 0;
  SubscriberId replaces = 0;
  protocol::Request request;
};
template <class Inspector>
auto inspect(Inspector& f, TerminalRequest& x) {
  std::string text;
  return f(caf::meta::save_callback([&] {
             text = request_text(x.request);
             return caf::error{};
           }),
           x.session, x.key, x.subscriber, x.replaces, text, caf::meta::load_callback([&] {
             x.request = request_from(text);
             return caf::error{};
           }));
}

/// The socket took so many bytes of a subscription.
struct Acknowledge {
  SubscriberId subscriber = 0;
  std::uint64_t bytes = 0;
};
template <class Inspector>
auto inspect(Inspector& f, Acknowledge& x) {
  return f(x.subscriber, x.bytes);
}

struct Detach {
  SubscriberId subscriber = 0;
};
template <class Inspector>
auto inspect(Inspector& f, Detach& x) {
  return f(x.subscriber);
}

/// The client of a blocked request wants no answer any more; also to the registry.
struct CancelRequest {
  RequestKey key = 0;
};
template <class Inspector>
auto inspect(Inspector& f, CancelRequest& x) {
  return f(x.key);
}

// -- terminal or registry -> session -------------------------------------------------------------

struct Answer {
  RequestKey key = 0;
  protocol::Response response;
};
template <class Inspector>
auto inspect(Inspector& f, Answer& x) {
  std::string text;
  return f(caf::meta::save_callback([&] {
             text = response_text(x.response);
             return caf::error{};
           }),
           x.key, text, caf::meta::load_callback([&] {
             x.response = response_from(text);
             return caf::error{};
           }));
}

struct SubscriptionOutput {
  SubscriberId subscriber = 0;
  StreamOffset start = 0;
  SharedBytes bytes;
};
template <class Inspector>
auto inspect(Inspector& f, SubscriptionOutput& x) {
  std::string text;
  return f(caf::meta::save_callback([&] {
             text = x.bytes.view();
             return caf::error{};
           }),
           x.subscriber, x.start, text, caf::meta::load_callback([&] {
             x.bytes = SharedBytes{text};
             return caf::error{};
           }));
}

struct SubscriptionEvent {
  SubscriberId subscriber = 0;
  std::uint64_t cost = 0;
  SharedResponse event;
};
template <class Inspector>
auto inspect(Inspector& f, SubscriptionEvent& x) {
  std::string text;
  return f(caf::meta::save_callback([&] {
             text = x.event ? response_text(*x.event) : std::string{};
             return caf::error{};
           }),
           x.subscriber, x.cost, text, caf::meta::load_callback([&] {
             x.event = std::make_shared<const protocol::Response>(response_from(text));
             return caf::error{};
           }));
}

struct SubscriptionEnded {
  SubscriberId subscriber = 0;
  protocol::EndReason reason = protocol::EndReason::terminated;
  StreamOffset offset = 0;
};
template <class Inspector>
auto inspect(Inspector& f, SubscriptionEnded& x) {
  return f(x.subscriber, x.reason, x.offset);
}

/// Another connection took the ownership over.
struct Superseded {};
template <class Inspector>
auto inspect(Inspector& f, Superseded&) {
  return f();
}

/// A terminal actor died of a fault of its own: nothing of it will answer.
struct TerminalLost {
  std::uint64_t terminal = 0;
};
template <class Inspector>
auto inspect(Inspector& f, TerminalLost& x) {
  return f(x.terminal);
}

// -- session -> registry -------------------------------------------------------------------------

enum class AsOwner : std::uint8_t { no, yes };

struct RegistryRequest {
  caf::actor session;
  ConnectionId connection = 0;
  AsOwner as_owner = AsOwner::no;
  RequestKey key = 0;
  protocol::Request request;
};
template <class Inspector>
auto inspect(Inspector& f, RegistryRequest& x) {
  std::string text;
  return f(caf::meta::save_callback([&] {
             text = request_text(x.request);
             return caf::error{};
           }),
           x.session, x.connection, x.as_owner, x.key, text, caf::meta::load_callback([&] {
             x.request = request_from(text);
             return caf::error{};
           }));
}

struct OwnerLost {
  ConnectionId connection = 0;
};
template <class Inspector>
auto inspect(Inspector& f, OwnerLost& x) {
  return f(x.connection);
}

// -- terminal <-> registry -----------------------------------------------------------------------

struct TerminalExited {
  std::uint64_t terminal = 0;
  std::uint64_t retained_bytes = 0;
};
template <class Inspector>
auto inspect(Inspector& f, TerminalExited& x) {
  return f(x.terminal, x.retained_bytes);
}

struct TerminalRestarted {
  std::uint64_t terminal = 0;
};
template <class Inspector>
auto inspect(Inspector& f, TerminalRestarted& x) {
  return f(x.terminal);
}

/// It was renamed, or its child ended.
struct TerminalChanged {
  std::uint64_t terminal = 0;
};
template <class Inspector>
auto inspect(Inspector& f, TerminalChanged& x) {
  return f(x.terminal);
}

struct TerminalGone {
  std::uint64_t terminal = 0;
  std::vector<std::int32_t> survivors;
};
template <class Inspector>
auto inspect(Inspector& f, TerminalGone& x) {
  return f(x.terminal, x.survivors);
}

/// The registry ends a terminal, which answers with `TerminalGone`.
struct EndTerminal {
  protocol::EndReason reason = protocol::EndReason::terminated;
};
template <class Inspector>
auto inspect(Inspector& f, EndTerminal& x) {
  return f(x.reason);
}

// -- to oneself ----------------------------------------------------------------------------------

/// A deadline may be due.
struct Tick {};
template <class Inspector>
auto inspect(Inspector& f, Tick&) {
  return f();
}
/// Output is left whose work exceeded the budget of one turn.
struct Resume {};
template <class Inspector>
auto inspect(Inspector& f, Resume&) {
  return f();
}
/// The tombstone of a terminated terminal may go.
struct Bury {};
template <class Inspector>
auto inspect(Inspector& f, Bury&) {
  return f();
}

// -- from the io thread --------------------------------------------------------------------------

/// Names a channel of the io thread; a restarted terminal gets another one.
using ChannelId = std::uint64_t;

struct FrameArrived {
  std::string payload;
};
struct StreamEnded {
  transport::StreamEnd end = transport::StreamEnd::closed;
};
struct LanesWritten {
  std::vector<transport::LaneCredit> credits;
};
/// Both empty where they cannot be told.
struct ForegroundState {
  std::string process;
  std::string cwd;  // of the session's leader
  bool operator==(const ForegroundState&) const = default;
};
struct ForegroundKnown {
  RequestKey key = 0;
  std::vector<std::pair<std::uint64_t, ForegroundState>> terminals;  // by id
};
struct ForegroundChanged {
  ForegroundState state;
};
struct ChannelOpened {
  ChannelId channel = 0;
  Result<std::optional<int>> pid{std::optional<int>{}};
};
struct ChannelNews {
  ChannelId channel = 0;
  pty::ChannelEvent event;
};
struct HoldersKnown {
  ChannelId channel = 0;
  std::vector<int> pids;
};
struct Signalled {
  std::uint64_t token = 0;
  Result<> result{success()};
};
struct ChannelDead {
  ChannelId channel = 0;
  pty::TerminateResult result;
};
/// What became of noted input.
struct InputTyped {
  std::uint64_t note = 0;
  TypedFate fate;
};
/// From a recorder's own thread.
struct RecorderNews {
  recording::RecorderEvent event;
};
/// Asks an actor how long a message takes to reach it.
struct Probe {
  std::int64_t sent_us = 0;  ///< as `steady_us`
};
/// SIGTERM and its like.
struct StopService {};
/// The service is over: sessions write what they have and close.
struct Farewell {};

}  // namespace troupe::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::FrameArrived)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::StreamEnded)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::LanesWritten)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::ForegroundKnown)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::ForegroundChanged)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::ChannelOpened)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::ChannelNews)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::HoldersKnown)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::Signalled)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::ChannelDead)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::InputTyped)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::RecorderNews)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::Probe)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::StopService)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(troupe::actors::Farewell)
