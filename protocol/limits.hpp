// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Every bound of the wire, by name. What exceeds one is refused with a stated answer; nothing is
/// allocated on a peer's word.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace troupe::protocol {

inline constexpr std::size_t kibibyte = 1024;
inline constexpr std::size_t mebibyte = 1024 * kibibyte;

/// Payload bytes of one frame, inclusive, in both directions.
inline constexpr std::size_t max_frame_bytes = 8 * mebibyte;
/// Decoded bytes of one `write` or `input`, and of a `paste` or `run` text.
inline constexpr std::size_t max_input_bytes = mebibyte;
/// Budget of a `rows` reply, see `rows_cost`.
inline constexpr std::size_t rows_budget_bytes = 1'048'576;

/// Requests in flight on a multiplexed connection; one more is answered `limit`.
inline constexpr std::size_t max_requests_in_flight = 4096;
/// Blocked waits on a connection; one more is answered `limit`.
inline constexpr std::size_t max_waits_per_connection = 4096;

/// An integer `request_id` is 0 … 2^53.
inline constexpr std::uint64_t max_request_id = std::uint64_t{1} << 53;
/// A string `request_id` in bytes (4,096 of them are kept per connection).
inline constexpr std::size_t max_request_id_bytes = kibibyte;

/// A `needle`, a `regex`, a `pattern` (`too_large` beyond).
inline constexpr std::size_t max_needle_bytes = 4 * kibibyte;
/// `attachment_id`, titles, `group_id`, `label`, `profile`, paths: texts that the daemon keeps or
/// repeats to others (`too_large` beyond).
inline constexpr std::size_t max_name_bytes = 4 * kibibyte;
/// Names in one `keys`.
inline constexpr std::size_t max_keys = 4096;
/// `options` of a `create`, as JSON text.
inline constexpr std::size_t max_options_bytes = 64 * kibibyte;
/// `timeout_ms`, `idle_ms`, `drain_ms`: 24 hours.
inline constexpr std::int64_t max_timeout_ms = std::int64_t{24} * 60 * 60 * 1000;
/// `journal` without a `limit`.
inline constexpr std::size_t default_journal_limit = 20;

/// Nesting of a control frame; a deeper one is not parsed.
inline constexpr std::size_t max_json_depth = 128;
/// Values that one request may hold (a frame of 8 MiB could otherwise become 100 MiB in memory).
inline constexpr std::size_t max_request_values = 262'144;
/// Values that a client accepts in one reply.
inline constexpr std::size_t max_reply_values = 2'097'152;

/// What `lines` cost against `rows_budget_bytes`: 2, and for each line 25 plus its length as a
/// JSON string with quotes.
std::size_t rows_cost(const std::vector<std::string>& lines);

}  // namespace troupe::protocol
