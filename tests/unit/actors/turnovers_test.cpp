// SPDX-License-Identifier: MIT
#include "actors/decisions/turnovers.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace troupe;
using namespace troupe::actors;
namespace request = protocol::request;

namespace {

constexpr TerminalId seven{7};

template <class Kind>
bool held(Turnovers& turnovers, RequestKey key, TerminalId id = seven) {
  Kind kind;
  kind.id = id;
  protocol::Request asked{kind};
  return turnovers.hold(key, asked);
}

std::vector<RequestKey> keys(const std::vector<Turnovers::Held>& released) {
  std::vector<RequestKey> result;
  for (const Turnovers::Held& entry : released) {
    result.push_back(entry.key);
  }
  return result;
}

}  // namespace

TEST_CASE("turnovers: what follows a turnover comes back in order with its answer") {
  Turnovers turnovers;
  CHECK_FALSE(held<request::Rename>(turnovers, 1));
  CHECK_FALSE(held<request::Terminate>(turnovers, 2));
  CHECK(held<request::Rename>(turnovers, 3));
  CHECK(held<request::Terminate>(turnovers, 4));
  CHECK(held<request::Rename>(turnovers, 5));
  CHECK(turnovers.answered(seven, 1).empty());  // an answer to something else
  CHECK(keys(turnovers.answered(seven, 2)) == std::vector<RequestKey>{3, 4, 5});
  CHECK_FALSE(held<request::Rename>(turnovers, 6));
}

TEST_CASE("turnovers: one terminal does not hold another's requests") {
  Turnovers turnovers;
  CHECK_FALSE(held<request::Restart>(turnovers, 1));
  CHECK_FALSE(held<request::Rename>(turnovers, 2, TerminalId{8}));
  protocol::Request of_none{request::Ping{}};
  CHECK_FALSE(turnovers.hold(3, of_none));
}

TEST_CASE("turnovers: a terminate passes a restart and what waits waits for both") {
  Turnovers turnovers;
  CHECK_FALSE(held<request::Restart>(turnovers, 1));
  CHECK(held<request::Rename>(turnovers, 2));
  CHECK_FALSE(held<request::Terminate>(turnovers, 3));
  CHECK(turnovers.answered(seven, 1).empty());
  CHECK(keys(turnovers.answered(seven, 3)) == std::vector<RequestKey>{2});
}

TEST_CASE("turnovers: a request that may go keeps its content") {
  Turnovers turnovers;
  protocol::Request rename{request::Rename{seven, "name"}};
  CHECK_FALSE(turnovers.hold(1, rename));
  CHECK(std::get<request::Rename>(rename).title == "name");
}
