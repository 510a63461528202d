// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What all actors of one daemon share: ids, the directory, the bridge. Nothing of it is mutable
/// state of an actor.

#include <atomic>
#include <caf/actor.hpp>
#include <cstdint>
#include <functional>
#include <memory>

#include "actors/decisions/log.hpp"
#include "actors/directory.hpp"
#include "actors/io_hub.hpp"
#include "actors/session_core.hpp"
#include "actors/settings.hpp"
#include "recording/recorder.hpp"
#include "telemetry/port.hpp"

namespace troupe::actors {

/// Threads: any.
struct ServiceContext {
  ServiceIdentity identity;
  Settings settings;
  Log log;
  std::function<void()> give_back_memory;  ///< see ServiceOptions
  Directory directory;
  std::atomic<std::uint64_t> last_key{0};  ///< of requests, subscriptions and channels
  IoHub* hub = nullptr;
  caf::actor registry;
  recording::RecorderGroup recorders;
  telemetry::Port* telemetry = &telemetry::no_telemetry();
  std::atomic<bool> probing{false};  ///< a Probe is on its way

  std::uint64_t fresh_key() { return last_key.fetch_add(1, std::memory_order_relaxed) + 1; }
};

}  // namespace troupe::actors
