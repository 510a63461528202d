// SPDX-License-Identifier: MIT
#include "remote/remote_service.hpp"

#include <utility>

#include "remote/outlet.hpp"
#include "remote/remote_channel.hpp"
#include "remote/ssh_peer.hpp"
#include "remote/telnet_peer.hpp"

namespace troupe::remote {

RemoteService::RemoteService(boost::asio::io_context& io)
    : io_(io), outlet_(std::make_shared<Outlet>(io)) {}

RemoteService::~RemoteService() {
  outlet_->close();
}

void RemoteService::open_ssh(SshOptions options, pty::WindowSize size, Opened done) {
  open_channel(io_, outlet_, make_ssh_peer(std::move(options)), size, std::move(done));
}

void RemoteService::open_telnet(TelnetOptions options, pty::WindowSize size, Opened done) {
  open_channel(io_, outlet_, make_telnet_peer(std::move(options)), size, std::move(done));
}

}  // namespace troupe::remote
