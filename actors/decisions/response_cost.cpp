// SPDX-License-Identifier: MIT
#include "actors/decisions/response_cost.hpp"

#include <variant>

namespace troupe::actors {
namespace {

constexpr std::size_t flat_bytes = 2 * frame_overhead_bytes;

std::size_t base64_bytes(std::size_t bytes) {
  return (bytes + 2) / 3 * 4;
}

}  // namespace

std::size_t response_cost(const protocol::Response& response) {
  if (const auto* const attached = std::get_if<protocol::reply::Attached>(&response)) {
    return flat_bytes + base64_bytes(attached->replay.size());
  }
  if (const auto* const resized = std::get_if<protocol::event::Resized>(&response)) {
    return flat_bytes + base64_bytes(resized->checkpoint.size());
  }
  if (const auto* const resync = std::get_if<protocol::event::Resync>(&response)) {
    return flat_bytes + base64_bytes(resync->checkpoint.size());
  }
  if (const auto* const title = std::get_if<protocol::event::TitleChanged>(&response)) {
    return flat_bytes + title->title.size();
  }
  if (const auto* const started = std::get_if<protocol::event::CommandStarted>(&response)) {
    return flat_bytes * 2 + started->record.command.value_or("").size();
  }
  if (const auto* const finished = std::get_if<protocol::event::CommandFinished>(&response)) {
    return flat_bytes * 2 + finished->record.command.value_or("").size();
  }
  return flat_bytes;
}

}  // namespace troupe::actors
