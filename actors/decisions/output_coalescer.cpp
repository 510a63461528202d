// SPDX-License-Identifier: MIT
#include "actors/decisions/output_coalescer.hpp"

#include <utility>

namespace troupe::actors {

void OutputCoalescer::add(StreamOffset start, const SharedBytes& bytes, std::int64_t now_us,
                          std::vector<OutputBatch>& out) {
  if (bytes.empty()) {
    return;
  }
  const bool quiet =
      held_.empty() && (!last_batch_us_ || now_us - *last_batch_us_ >= batch_delay_us);
  if (quiet || bytes.size() >= batch_bytes) {
    flush(now_us, out);
    for (std::size_t at = 0; at < bytes.size(); at += max_batch_bytes) {
      out.push_back({start + at, bytes.slice(at, max_batch_bytes)});
    }
    last_batch_us_ = now_us;
    return;
  }
  if (held_.empty()) {
    held_start_ = start;
  }
  held_.append(bytes.view());
  if (held_.size() >= batch_bytes || now_us - *last_batch_us_ >= batch_delay_us) {
    flush(now_us, out);
  }
}

void OutputCoalescer::flush(std::int64_t now_us, std::vector<OutputBatch>& out) {
  if (held_.empty()) {
    return;
  }
  out.push_back({held_start_, SharedBytes{std::exchange(held_, {})}});
  last_batch_us_ = now_us;
}

std::optional<std::int64_t> OutputCoalescer::deadline_us() const {
  if (held_.empty()) {
    return std::nullopt;
  }
  return last_batch_us_.value_or(0) + batch_delay_us;
}

}  // namespace troupe::actors
