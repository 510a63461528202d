// SPDX-License-Identifier: MIT
#include "actors/decisions/request_table.hpp"

#include <doctest/doctest.h>

#include "protocol/limits.hpp"

using namespace troupe;
using namespace troupe::actors;

namespace {
PendingRequest pending(std::uint64_t id, RequestKind kind = RequestKind::plain) {
  PendingRequest request;
  request.id = protocol::RequestId{id};
  request.kind = kind;
  request.unconsumed_bytes = 7;
  return request;
}
}  // namespace

TEST_CASE("requests: an id in flight is refused and free again after its answer") {
  RequestTable table;
  REQUIRE(table.add(1, pending(5)));
  CHECK(table.add(2, pending(5)).error().code == Code::bad_request);
  REQUIRE(table.take(1));
  CHECK_FALSE(table.take(1));
  CHECK(table.add(3, pending(5)));
}

TEST_CASE("requests: one more than the bound is refused") {
  RequestTable table;
  for (std::uint64_t i = 0; i < protocol::max_requests_in_flight; ++i) {
    REQUIRE(table.add(i, pending(i, RequestKind::wait)));
  }
  CHECK(table.waits() == protocol::max_waits_per_connection);
  CHECK(table.add(99'999, pending(99'999)).error().code == Code::limit);
  CHECK(table.add(100'000, pending(100'000, RequestKind::cancel)));  // it makes room
  REQUIRE(table.take(100'000));
  REQUIRE(table.take(0));
  CHECK(table.add(99'999, pending(99'999)));
}

TEST_CASE("requests: only what blocks can be cancelled") {
  RequestTable table;
  REQUIRE(table.add(1, pending(1)));
  REQUIRE(table.add(2, pending(2, RequestKind::wait)));
  REQUIRE(table.add(3, pending(3, RequestKind::subscription)));
  REQUIRE(table.add(4, pending(4, RequestKind::cancel)));
  CHECK_FALSE(table.cancellable(protocol::RequestId{std::uint64_t{1}}));
  CHECK_FALSE(table.cancellable(protocol::RequestId{std::uint64_t{4}}));
  CHECK(table.cancellable(protocol::RequestId{std::uint64_t{2}}) == RequestKey{2});
  CHECK(table.cancellable(protocol::RequestId{std::uint64_t{3}}) == RequestKey{3});
  CHECK_FALSE(table.cancellable(protocol::RequestId{std::string{"2"}}));
}

TEST_CASE("requests: read credit is given back once") {
  RequestTable table;
  REQUIRE(table.add(1, pending(1)));
  CHECK(table.take_credit(1) == 7);
  CHECK(table.take_credit(1) == 0);
  CHECK(table.take(1)->unconsumed_bytes == 0);
}
