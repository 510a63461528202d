// SPDX-License-Identifier: MIT
#include "client/attach/detach_key.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace troupe::client;
using Verdict = InputScanner::Verdict;

namespace {

struct Scanned {
  std::string passed;
  bool detached = false;
};

Scanned scan(std::string_view bytes, DetachKey key = {}) {
  InputScanner scanner(key);
  Scanned result;
  result.detached = scanner.feed(bytes, result.passed) == Verdict::detach;
  if (!result.detached) {
    scanner.release(result.passed);
  }
  return result;
}

}  // namespace

TEST_CASE("detach_key: people may write it in several ways") {
  for (const std::string_view text : {"ctrl-]", "Ctrl+]", "C-]", "^]", "control-]"}) {
    CAPTURE(text);
    REQUIRE(parse_detach_key(text));
    CHECK(*parse_detach_key(text) == DetachKey{']'});
  }
  CHECK(*parse_detach_key("ctrl-A") == DetachKey{'a'});
  CHECK(parse_detach_key("none")->key == 0);
  CHECK(to_text(DetachKey{'a'}) == "Ctrl-A");
  for (const std::string_view wrong :
       {"", "x", "ctrl-", "ctrl-[", "ctrl-m", "ctrl-i", "ctrl-j", "ctrl-1", "alt-x"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_detach_key(wrong));
  }
}

TEST_CASE("detach_key: every form in which a terminal sends the key is known") {
  for (const std::string_view sent :
       {"\x1d", "\x1b[93;5u", "\x1b[93;133u", "\x1b[93;69u", "\x1b[93;197u", "\x1b[93;5:1u",
        "\x1b[93:125:93;5u", "\x1b[57:40:93;5u", "\x1b[93;5:2;29u", "\x1b[27;5;93~"}) {
    CAPTURE(sent.substr(1));
    CHECK(scan(sent).detached);
    CHECK(scan(std::string("typed") + std::string(sent)).passed == "typed");
  }
}

TEST_CASE("detach_key: other keys pass unchanged") {
  for (const std::string_view sent :
       {"\x1b[93u", "\x1b[93;6u", "\x1b[93;7u", "\x1b[92;5u", "\x1b[A", "\x1bOP", "\x1b[1;5C",
        "\x1b[<0;1;1M", "\x1b[I", "\x1b", "\x1b\x1b", "\x03", "\x1b[27;5;92~", "]",
        "\xc3\xa9\xe6\xbc\xa2"}) {
    CAPTURE(sent);
    CHECK_FALSE(scan(sent).detached);
    CHECK(scan(sent).passed == sent);
  }
}

TEST_CASE("detach_key: the release of the key is no input") {
  CHECK(scan("\x1b[93;5:3u").passed.empty());
  CHECK_FALSE(scan("\x1b[93;5:3u").detached);
}

TEST_CASE("detach_key: C-4 a paste may hold the key") {
  const std::string pasted =
      "\x1b[200~a\x1d"
      "b\x1b[93;5uc\x1b[201~";
  const Scanned result = scan(pasted + "\x1d");
  CHECK(result.detached);
  CHECK(result.passed == pasted);
}

TEST_CASE("detach_key: C-5 input cut at every byte is the same input") {
  const std::string input = "ab\x1b[A\x1b[93;6u\x1b[200~x\x1d\x1b[201~\x1b[1;2Hz";
  for (std::size_t cut = 0; cut <= input.size(); ++cut) {
    InputScanner scanner{DetachKey{}};
    std::string passed;
    CHECK(scanner.feed(std::string_view(input).substr(0, cut), passed) == Verdict::go_on);
    CHECK(scanner.feed(std::string_view(input).substr(cut), passed) == Verdict::go_on);
    scanner.release(passed);
    CHECK(passed == input);
  }
}

TEST_CASE("detach_key: a key that is cut after its introducer is held until it is whole") {
  InputScanner scanner{DetachKey{}};
  std::string passed;
  CHECK(scanner.feed("x\x1b[93", passed) == Verdict::go_on);
  CHECK(scanner.holding());
  CHECK(passed == "x");
  CHECK(scanner.feed(";5u", passed) == Verdict::detach);
}

TEST_CASE("detach_key: an endless sequence is not held") {
  const std::string endless = "\x1b[" + std::string(1000, '1');
  InputScanner scanner{DetachKey{}};
  std::string passed;
  CHECK(scanner.feed(endless, passed) == Verdict::go_on);
  CHECK(passed.size() >= 900);
}

TEST_CASE("detach_key: with none every byte passes") {
  CHECK(scan("\x1d\x1b[93;5u", DetachKey{0}).passed == "\x1d\x1b[93;5u");
}
