// SPDX-License-Identifier: MIT
#include "actors/registry_core.hpp"

#include <doctest/doctest.h>

#include "registry_fixture.hpp"

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::actors::testing;
namespace reply = protocol::reply;

TEST_CASE("registry: a stop waits for launches on their way and ends what they start") {
  RegistryFixture f;
  f.create();
  f.create();
  f.core.stop(f.now);
  CHECK(f.stops == 0);
  f.core.on_opened(1, std::optional<int>{7}, f.now);
  const TerminalId started = f.last;
  CHECK(f.ended == std::vector<TerminalId>{started});
  CHECK(f.forgotten.empty());  // nobody would wait until it is dead
  REQUIRE(f.session->find<reply::Error>(1) != nullptr);
  CHECK(f.session->find<reply::Error>(1)->code == Code::cancelled);
  f.core.on_opened(2, Error{Code::io, "no such program"}, f.now);
  CHECK(f.stops == 0);
  f.core.on_gone(started, {}, f.now);
  CHECK(f.stops == 1);
  CHECK(f.infos.empty());
}

TEST_CASE("registry: a failed launch is the last thing that a stop waits for") {
  RegistryFixture f;
  f.create();
  f.core.stop(f.now);
  CHECK(f.stops == 0);
  f.core.on_opened(1, Error{Code::io, "no such program"}, f.now);
  CHECK(f.stops == 1);
}
