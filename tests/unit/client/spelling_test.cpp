// SPDX-License-Identifier: MIT
#include "client/cli/spelling.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace troupe;
using namespace troupe::client::cli;

TEST_CASE("spelling: a cursor is written as a place or a word") {
  CHECK(parse_cursor("now") == CursorSpec{CursorNow{}});
  CHECK(parse_cursor("end") == CursorSpec{CursorNow{}});
  CHECK(parse_cursor("oldest") == CursorSpec{CursorOldest{}});
  CHECK(parse_cursor("start") == CursorSpec{CursorOldest{}});
  CHECK(parse_cursor("42") == CursorSpec{CursorAt{42, 0, {}}});
  CHECK(parse_cursor("1234:56") == CursorSpec{CursorAt{1234, 56, {}}});
  CHECK(parse_cursor("7:2@3") == CursorSpec{CursorAt{7, 2, 3}});
  for (const std::string_view wrong :
       {"", "-1", "abc", "1:2:3", "1:x", "1:70000", ":1", "1:", "1@", "1@x", "1 "}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_cursor(wrong));
  }
}

TEST_CASE("spelling: a cursor that was printed is read back") {
  for (const Cursor& cursor : {Cursor{0, 0, 0}, Cursor{99, 3, 0}, Cursor{12, 80, 4}}) {
    const auto read = parse_cursor(cursor_text(cursor));
    REQUIRE(read);
    const auto& at = std::get<CursorAt>(*read);
    CHECK(at.seq == cursor.seq);
    CHECK(at.col == cursor.col);
    CHECK(at.epoch.value_or(0) == cursor.epoch);
  }
}

TEST_CASE("spelling: escapes become bytes and anything else stays as it is") {
  struct Case {
    std::string_view text;
    std::string bytes;
  };
  const Case cases[] = {
      {"hello", "hello"},
      {"a\\nb", "a\rb"},
      {"a\\tb", "a\tb"},
      {"a\\\\b", "a\\b"},
      {"\\x1b[A", "\x1b[A"},
      {"\\r", "\r"},
      {"\\0", std::string(1, '\0')},
      {"a\\x0ab", "a\nb"},
      {"\\q", "\\q"},
      {"\\xZZ", "\\xZZ"},
      {"tail\\", "tail\\"},
      {"\\x1", "\\x1"},
      {"\\X41", "\\X41"},
  };
  for (const Case& escape : cases) {
    CAPTURE(escape.text);
    CHECK(decode_escapes(escape.text) == escape.bytes);
  }
}

TEST_CASE("spelling: the status of a command follows running then incomplete then its code") {
  CommandRecord record;
  CHECK(record_status(record) == "done");
  record.exit_code = 0;
  CHECK(record_status(record) == "exited");
  record.incomplete = true;
  CHECK(record_status(record) == "incomplete");
  record.running = true;
  CHECK(record_status(record) == "running");
}

TEST_CASE("spelling: a word for the shell is quoted only where it must be") {
  CHECK(shell_word("plain-1.2/x") == "plain-1.2/x");
  CHECK(shell_word("two words") == "'two words'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("$HOME") == "'$HOME'");
  CHECK(shell_word("") == "''");
}

TEST_CASE("spelling: blanks and comments alone run nothing") {
  for (const std::string_view nothing :
       {"", " ", "\t \n", "# x", "  # x", "# x\n\n", "# a\r\n# b"}) {
    CAPTURE(nothing);
    CHECK_FALSE(runs_something(nothing));
  }
  for (const std::string_view something : {"x", "# a\nx", "\n x", "x # a", ":", "'#' x", "\\# x"}) {
    CAPTURE(something);
    CHECK(runs_something(something));
  }
}

TEST_CASE("spelling: an open quote is one only where every shell says so") {
  for (const char* const text :
       {"echo \"abc", "echo 'abc", "echo 'a\"", "echo \"it's", "a \\\" '"}) {
    CAPTURE(text);
    CHECK(has_open_quote(text));
  }
  for (const char* const text : {"", "echo abc", "echo \"abc\"", "echo 'it\"s'", "echo \"it's\"",
                                 "echo it\\'s", "echo \"a\\\"b\"", "echo \"$(echo \"", "ls # it's",
                                 "cat <<E\nit's\nE", "echo 'it\\'s'", "echo `echo \"`"}) {
    CAPTURE(text);
    CHECK_FALSE(has_open_quote(text));
  }
}
