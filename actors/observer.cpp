// SPDX-License-Identifier: MIT
#include "actors/observer.hpp"

#include <array>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <utility>

namespace troupe::actors {

std::int64_t Observer::wall_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void Observer::span(std::string_view what, const SpanSubject& subject, std::int64_t start_us,
                    std::string error) const {
  if (spans_ == nullptr) {
    return;
  }
  std::array<char, 17> id{};
  std::snprintf(id.data(), id.size(), "%012" PRIx64, subject.id.value);
  telemetry::Span span;
  span.name = "troupe.terminal." + std::string{what};
  span.start_us = start_us;
  span.end_us = wall_us();
  span.attributes = {{"connector_type", std::string{subject.kind}}, {"instance_id", id.data()}};
  span.error = std::move(error);
  spans_->add(std::move(span));
}

}  // namespace troupe::actors
