// SPDX-License-Identifier: MIT
#include "remote_fixture.hpp"

#include <chrono>

namespace troupe::remote::test {

Remote::~Remote() {
  channel.reset();
  service.reset();
  io.restart();
  io.poll();
}

RemoteService::Opened Remote::opened() {
  return [this](Result<std::unique_ptr<pty::Channel>> result) {
    if (!result) {
      error = result.error();
      return;
    }
    channel = std::move(*result);
    channel->start([this](pty::ChannelEvent event) {
      if (auto* data = std::get_if<pty::Data>(&event)) {
        output += data->bytes;
        channel->consumed(1);
      } else if (std::holds_alternative<pty::EndOfStream>(event)) {
        end_of_stream = true;
      } else if (auto* ended = std::get_if<pty::ChildExit>(&event)) {
        exit = ended->status;
      } else if (auto* failed = std::get_if<pty::Failed>(&event)) {
        failure = failed->error;
      }
    });
  };
}

bool Remote::run_until(const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  auto guard = boost::asio::make_work_guard(io);
  io.restart();
  while (!done()) {
    if (io.run_one_until(deadline) == 0 || std::chrono::steady_clock::now() > deadline) {
      return false;
    }
  }
  return true;
}

bool Remote::wait_for(const std::string& text) {
  return run_until([&] { return output.find(text) != std::string::npos; });
}

}  // namespace troupe::remote::test
