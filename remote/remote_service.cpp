// SPDX-License-Identifier: MIT
#include "remote/remote_service.hpp"

#include <utility>

#include "remote/outlet.hpp"
#include "remote/remote_channel.hpp"
#include "remote/ssh_peer.hpp"
#include "remote/telnet_peer.hpp"
#include "remote/worker_threads.hpp"

namespace troupe::remote {

RemoteService::RemoteService(boost::asio::io_context& io, std::chrono::milliseconds patience)
    : io_(io),
      patience_(patience),
      outlet_(std::make_shared<Outlet>(io)),
      threads_(std::make_unique<WorkerThreads>()) {}

RemoteService::~RemoteService() {
  outlet_->close();
  threads_->finish(patience_);
}

void RemoteService::open_ssh(SshOptions options, pty::WindowSize size, Opened done) {
  open_channel(io_, outlet_, *threads_, make_ssh_peer(std::move(options)), size, std::move(done));
}

void RemoteService::open_telnet(TelnetOptions options, pty::WindowSize size, Opened done) {
  open_channel(io_, outlet_, *threads_, make_telnet_peer(std::move(options)), size,
               std::move(done));
}

}  // namespace troupe::remote
