// SPDX-License-Identifier: MIT
#include "recording/row_account.hpp"

#include <doctest/doctest.h>

using troupe::recording::RowAccount;

TEST_CASE("row_account: rows that were made and written are in the file") {
  RowAccount rows;
  rows.made(3, 0);
  CHECK(rows.in_file() == 0);
  CHECK(rows.dropped() == 3);
  rows.written();
  CHECK(rows.in_file() == 3);
  CHECK(rows.dropped() == 0);
}

TEST_CASE("row_account: of a part that fitted its whole rows are in the file") {
  RowAccount rows;
  rows.made(2, 0);
  rows.written();
  rows.made(6, 0);
  rows.written("{}\n{}\n{\"t\":");
  CHECK(rows.in_file() == 4);
  CHECK(rows.dropped() == 2);
}

TEST_CASE("row_account: gaps and the ceiling and what was not looked at are dropped") {
  RowAccount rows;
  rows.lost(5);
  rows.made(2, 7);
  rows.written();
  CHECK(rows.dropped() == 12);
  rows.made(3, 9);
  rows.lost(1);
  rows.written();
  CHECK(rows.in_file() == 3);
  CHECK(rows.dropped() == 15);
  rows.untaken(4);
  CHECK(rows.dropped() == 19);
}
