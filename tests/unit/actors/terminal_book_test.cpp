// SPDX-License-Identifier: MIT
#include "actors/decisions/terminal_book.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace troupe;
using namespace troupe::actors;

TEST_CASE("book: too many ended terminals lose the one that ended first") {
  TerminalBook book{{2, 1000, 4}};
  for (std::uint64_t id = 1; id <= 4; ++id) {
    book.add({id});
  }
  book.exited({3}, 1);
  book.exited({1}, 1);
  CHECK(book.surplus().empty());
  book.exited({4}, 1);
  CHECK(book.surplus() == std::vector<TerminalId>{{3}});
  book.remove({3});
  CHECK(book.surplus().empty());
  CHECK(book.ids() == std::vector<TerminalId>{{1}, {2}, {4}});
}

TEST_CASE("book: what ended terminals keep is bounded in bytes") {
  TerminalBook book{{100, 1000, 4}};
  for (std::uint64_t id = 1; id <= 3; ++id) {
    book.add({id});
    book.exited({id}, 400);
  }
  CHECK(book.surplus() == std::vector<TerminalId>{{1}});
  book.restarted({1});
  CHECK(book.surplus().empty());
}

TEST_CASE("book: the ledger keeps the last ones and tells what is gone") {
  TerminalBook book{{1, 1, 2}};
  for (std::uint64_t id = 1; id <= 3; ++id) {
    protocol::LedgerEntry entry;
    entry.id = {id};
    entry.title = "build";
    entry.command = {"make", "-j"};
    entry.reason = "terminated";
    entry.signal = "SIGHUP";
    entry.ended_ms = 1'700'000'000'000;
    book.remember(entry);
  }
  CHECK(book.ledger().size() == 2);
  CHECK(not_found_text({1}, book.ledger()) == "terminal 1 not found");
  CHECK(
      not_found_text({3}, book.ledger()) ==
      "terminal 3 not found: \"build\" (pty, make) is gone: terminated, its program was killed by "
      "SIGHUP, at 2023-11-14T22:13:20Z");
}
