// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// `pty::Channel` over a worker thread: the io thread's half of a remote terminal.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pty/channel.hpp"
#include "remote/remote_service.hpp"
#include "remote/worker.hpp"

namespace troupe::remote {

/// Opens `peer` on a worker and calls `done` once, on the io thread.
void open_channel(boost::asio::io_context& io, const std::shared_ptr<Outlet>& outlet,
                  WorkerThreads& threads, std::unique_ptr<Peer> peer, pty::WindowSize size,
                  RemoteService::Opened done);

}  // namespace troupe::remote
