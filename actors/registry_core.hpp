// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The daemon's book of terminals, its ownership and its end, without CAF.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/decisions/freed_memory.hpp"
#include "actors/decisions/moment.hpp"
#include "actors/decisions/ownership.hpp"
#include "actors/decisions/terminal_book.hpp"
#include "actors/list_watch.hpp"
#include "actors/ports.hpp"
#include "actors/settings.hpp"
#include "actors/terminal_core.hpp"
#include "protocol/requests.hpp"
#include "telemetry/port.hpp"

namespace troupe::actors {

/// What the registry does to the world.
class RegistryPort {
 public:
  virtual ~RegistryPort() = default;
  /// Names a new channel; answered by `RegistryCore::on_opened` with the same name, later.
  virtual std::uint64_t open(Launch launch) = 0;
  virtual void forget(std::uint64_t channel) = 0;
  /// Starts the terminal's actor on an open channel and lists it.
  virtual void start(std::uint64_t channel, TerminalConfig config) = 0;
  /// Unlists it; its card stays readable until `dismiss`.
  virtual void unlist(TerminalId id) = 0;
  virtual void end(TerminalId id, protocol::EndReason reason) = 0;
  virtual void dismiss(TerminalId id) = 0;
  /// Tells the sessions that nobody will answer for it any more.
  virtual void announce_failure(TerminalId id) = 0;
  virtual std::optional<protocol::TerminalInfo> info(TerminalId id) = 0;
  virtual void publish_ledger(const std::deque<protocol::LedgerEntry>& ledger) = 0;
  virtual void supersede(ConnectionId connection) = 0;
  /// Much memory was freed: the kernel may have it.
  virtual void give_back_memory() = 0;
  /// The end began.
  virtual void stopping() = 0;
  /// Every terminal is gone: close the connections and leave.
  virtual void stop_service() = 0;
};

enum class FromOwner : std::uint8_t { no, yes };

/// Threads: none of its own; one caller at a time.
/// Invariants: who waits for another list is answered when the directory and the card tell it;
///   creation order is kept; a terminal leaves `list` before it is ended; after the stop
///   no terminal is created, one whose launch was on its way is ended like the others, and
///   `stop_service` comes once, when the last one is gone.
/// Bounds: `max_terminals`, RetentionLimits.
class RegistryCore {
 public:
  RegistryCore(Settings settings, Ownership ownership, RegistryPort& port,
               telemetry::Port& telemetry = telemetry::no_telemetry());

  void request(const ReplyTo& to, ConnectionId connection, FromOwner from_owner,
               protocol::Request request, Moment now);
  void on_opened(std::uint64_t channel, const Result<std::optional<int>>& pid, Moment now);
  void on_exited(TerminalId id, std::size_t retained_bytes, Moment now);
  void on_restarted(TerminalId id);
  /// What the terminal published of itself is another title or the end of its child.
  void on_changed(TerminalId id);
  void on_gone(TerminalId id, const std::vector<std::int32_t>& survivors, Moment now);
  /// Its actor died of a fault.
  void on_lost(TerminalId id, Moment now);
  /// A terminal that was gone is destroyed, with all that it kept.
  void on_freed(std::size_t bytes, Moment now) { freed_.freed(bytes, now.steady_ms()); }
  void owner_lost(ConnectionId connection, Moment now);
  /// Nobody wants the answer of a blocked request any more.
  void cancel(RequestKey key) { list_watch_.cancel(key); }
  [[nodiscard]] std::size_t list_waits() const { return list_watch_.size(); }
  void tick(Moment now);
  /// Ends everything.
  void stop(Moment now);

  /// When `tick` has something to do next.
  [[nodiscard]] std::optional<std::int64_t> deadline_ms() const;
  [[nodiscard]] bool is_owner(ConnectionId connection) const {
    return ownership_.is_owner(connection);
  }

 private:
  struct Pending {
    ReplyTo to;
    TerminalConfig config;
    Moment since;
  };
  struct Ending {
    std::vector<ReplyTo> waiting;
    std::string reason;
    telemetry::CloseCause cause = telemetry::CloseCause::terminated;
    Moment since;
  };
  /// Why a terminal is ended, in the words of the ledger, the wire and telemetry.
  struct EndOrder {
    std::string reason;
    protocol::EndReason end = protocol::EndReason::terminated;
    telemetry::CloseCause cause = telemetry::CloseCause::terminated;
  };

  void own(const ReplyTo& to, ConnectionId connection, const protocol::request::Own& own,
           Moment now);
  void create(const ReplyTo& to, protocol::request::Create create, Moment now);
  void terminate(const ReplyTo& to, const protocol::request::Terminate& terminate, Moment now);
  [[nodiscard]] static EndOrder stop_order();
  void begin_end(TerminalId id, EndOrder order, Moment now);
  void remember(TerminalId id, const std::string& reason, Moment now);
  void report_launch(const Pending& launch, const Result<std::optional<int>>& pid, Moment now);
  void report_close(TerminalId id, const Ending& ending, Moment now);
  void finish_if_empty();
  void give_up_remote_launches();
  [[nodiscard]] TerminalId fresh_id() const;

  Settings settings_;
  Ownership ownership_;
  RegistryPort& port_;
  telemetry::Port& telemetry_;
  TerminalBook book_;
  ListWatch list_watch_;
  FreedMemory freed_;
  std::unordered_map<std::uint64_t, Pending> launches_;
  std::unordered_map<TerminalId, Ending> ending_;
  bool stopping_ = false;
  bool stopped_ = false;
};

}  // namespace troupe::actors
