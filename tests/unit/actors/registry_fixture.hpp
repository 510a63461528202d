// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// A registry core on recorders.

#include <map>
#include <memory>
#include <vector>

#include "actors/registry_core.hpp"
#include "recorders.hpp"

namespace troupe::actors::testing {

/// A registry whose terminals start and end when the test says so.
struct RegistryFixture : RegistryPort {
  explicit RegistryFixture(Settings settings = keeping_none())
      : core{std::move(settings), Ownership{Ownership::Mode::standalone, "me", 0}, *this,
             telemetry} {}

  std::uint64_t open(Launch) override { return ++channels; }
  void forget(std::uint64_t channel) override { forgotten.push_back(channel); }
  void start(std::uint64_t, TerminalConfig config) override {
    infos[config.info.id] = config.info;
    last = config.info.id;
  }
  void unlist(TerminalId) override {}
  void end(TerminalId id, protocol::EndReason) override { ended.push_back(id); }
  void dismiss(TerminalId id) override { infos.erase(id); }
  void announce_failure(TerminalId) override {}
  std::optional<protocol::TerminalInfo> info(TerminalId id) override {
    const auto at = infos.find(id);
    return at == infos.end() ? std::nullopt : std::optional{at->second};
  }
  void publish_ledger(const std::deque<protocol::LedgerEntry>& entries) override {
    ledger = entries;
  }
  void supersede(ConnectionId) override {}
  void give_back_memory() override { ++memory_given_back; }
  void stopping() override {}
  void stop_service() override { ++stops; }

  void create() {
    protocol::request::Create create;
    create.program = "/bin/sh";
    create.cwd = "/";
    core.request({session, 1}, 1, FromOwner::no, create, now);
  }
  TerminalId run_one() {
    create();
    core.on_opened(channels, std::optional<int>{7}, now);
    return last;
  }
  void advance_ms(std::int64_t ms) {
    now.steady_us += ms * 1000;
    now.wall_ms += ms;
  }

  /// A terminal that ended makes room at once.
  static Settings keeping_none() {
    Settings settings;
    settings.retention.max_exited = 0;
    return settings;
  }

  Moment now{1'700'000'000'000, 1'000'000};
  RecordingTelemetry telemetry;
  std::shared_ptr<RecordingSession> session = std::make_shared<RecordingSession>();
  std::map<TerminalId, protocol::TerminalInfo> infos;
  std::vector<TerminalId> ended;
  std::vector<std::uint64_t> forgotten;
  int stops = 0;
  int memory_given_back = 0;
  TerminalId last;
  std::uint64_t channels = 0;
  std::deque<protocol::LedgerEntry> ledger;
  RegistryCore core;
};

}  // namespace troupe::actors::testing
