// SPDX-License-Identifier: MIT
#include "client/cli/context.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "client/cli/record_text.hpp"
#include "client/cli/table.hpp"

using namespace troupe;
using namespace troupe::client::cli;
using std::chrono::milliseconds;

TEST_CASE("context: a time is seconds or has its unit") {
  CHECK(*parse_duration("1") == milliseconds{1000});
  CHECK(*parse_duration("0.5") == milliseconds{500});
  CHECK(*parse_duration("90s") == milliseconds{90'000});
  CHECK(*parse_duration("500ms") == milliseconds{500});
  CHECK(*parse_duration("2m") == milliseconds{120'000});
  CHECK(*parse_duration("24h") == milliseconds{86'400'000});
  for (const std::string_view wrong : {"", "x", "-1", "1d", "25h", "1 s", "nan", "inf", "1e999"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_duration(wrong));
  }
}

TEST_CASE("context: a size is columns and rows") {
  CHECK(parse_size("120x40")->cols == 120);
  CHECK(parse_size("120x40")->rows == 40);
  for (const std::string_view wrong :
       {"", "120", "x40", "120x", "0x40", "120x0", "70000x1", "1x2x3"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_size(wrong));
  }
}

TEST_CASE("context: a command's end becomes an exit status") {
  CommandRecord record;
  CHECK(status_of_record(record) == exit_status::ok);
  record.exit_code = 3;
  CHECK(status_of_record(record) == 3);
  record.exit_code = 1000;
  CHECK(status_of_record(record) == 255);
  record.exit_code = -9;
  CHECK(status_of_record(record) == 137);
  record.exit_code.reset();
  record.incomplete = true;
  CHECK(status_of_record(record) == exit_status::error);
  record.running = true;
  CHECK(status_of_record(record) == exit_status::timeout);
}

TEST_CASE("context: a table aligns its columns by characters") {
  Table table{{"A", "B"}};
  table.add({"\xc3\xa9\xc3\xa9", "x"});
  CHECK(table.text() == "A   B\n\xc3\xa9\xc3\xa9  x\n");
}

TEST_CASE("context: durations are short") {
  CHECK(duration_text(999) == "999ms");
  CHECK(duration_text(1500) == "1.5s");
  CHECK(duration_text(90'000) == "1m30s");
  CHECK(duration_text(7'200'000) == "2h0m");
}
