// SPDX-License-Identifier: MIT
#include "client/client.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "protocol/version.hpp"

namespace troupe::client {

struct Client::State {
  registration::Registration registration;
  std::optional<Connection> kept;
  int interrupt_fd = -1;
  std::function<void()> on_slow;
};

Result<registration::Registration> find_daemon(const DaemonAddress& address) {
  const Result<std::string> directory = registration::runtime_directory(address.root, address.name);
  if (!directory) {
    return directory.error();
  }
  Result<registration::Registration> found = registration::load_registration(*directory);
  if (!found) {
    if (found.error().code == Code::not_found) {
      return Error{Code::not_found, "no daemon named " + address.name + " is running (looked in " +
                                        *directory + ")"};
    }
    return found;
  }
  if (found->protocol != static_cast<int>(protocol::protocol_version)) {
    return Error{Code::unsupported,
                 "the daemon named " + address.name + " speaks protocol version " +
                     std::to_string(found->protocol) + ", this program speaks " +
                     std::to_string(protocol::protocol_version) +
                     "; use the client that came with the daemon, or restart the daemon"};
  }
  return found;
}

Result<Client> Client::open(const DaemonAddress& address) {
  const Result<registration::Registration> found = find_daemon(address);
  return found ? open(*found) : Result<Client>{found.error()};
}

Result<Client> Client::open(const registration::Registration& registration) {
  auto state = std::make_unique<State>();
  state->registration = registration;
  Result<Connection> connection = Connection::open(registration);
  if (!connection) {
    return connection.error();
  }
  if (connection->mode() == Mode::multiplexed) {
    state->kept = std::move(*connection);
  }
  return Client{std::move(state)};
}

Client::Client(std::unique_ptr<State> state) : state_(std::move(state)) {}
Client::Client(Client&& other) noexcept = default;
Client& Client::operator=(Client&& other) noexcept = default;
Client::~Client() = default;

const registration::Registration& Client::registration() const {
  return state_->registration;
}

bool Client::has(std::string_view feature) const {
  const auto& features = state_->registration.features;
  return std::find(features.begin(), features.end(), feature) != features.end();
}

Result<Reply> Client::call(const protocol::Request& request, std::chrono::milliseconds wait) {
  if (state_->kept) {
    return state_->kept->call(request, after(wait));
  }
  Result<Connection> connection = connect();
  if (connection) {
    connection->interrupt_on(state_->interrupt_fd);
    connection->on_slow(state_->on_slow);
  }
  return connection ? connection->call(request, after(wait)) : Result<Reply>{connection.error()};
}

void Client::interrupt_on(int fd) {
  state_->interrupt_fd = fd;
  if (state_->kept) {
    state_->kept->interrupt_on(fd);
  }
}

void Client::on_slow(std::function<void()> hook) {
  state_->on_slow = hook;
  if (state_->kept) {
    state_->kept->on_slow(std::move(hook));
  }
}

Result<Connection> Client::connect() const {
  return Connection::open(state_->registration);
}

}  // namespace troupe::client
