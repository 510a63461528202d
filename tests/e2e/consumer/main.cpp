// SPDX-License-Identifier: MIT
// Exits 0 where the library says, in its own words, that there is no such daemon.
#include <client/client.hpp>
#include <client/daemon_start.hpp>
#include <cstdio>

int main() {
  using troupe::client::Client;
  const auto client = Client::open(troupe::client::DaemonAddress{"none", "/nonexistent"});
  if (client || client.error().code != troupe::Code::not_found) {
    return 1;
  }
  std::puts(client.error().message.c_str());
  return 0;
}
