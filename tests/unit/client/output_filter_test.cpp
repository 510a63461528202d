// SPDX-License-Identifier: MIT
#include "client/attach/output_filter.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>

using troupe::client::OutputFilter;

namespace {

std::string filtered(std::string_view bytes) {
  OutputFilter filter;
  std::string out;
  filter.feed(bytes, out);
  return out;
}

std::string filtered_bytewise(std::string_view bytes) {
  OutputFilter filter;
  std::string out;
  for (const char byte : bytes) {
    filter.feed({&byte, 1}, out);
  }
  return out;
}

struct Case {
  std::string_view name;
  std::string_view bytes;
};

}  // namespace

TEST_CASE("output_filter: C-2 no query reaches the outer terminal") {
  using namespace std::string_view_literals;
  constexpr Case queries[] = {
      {"DA1", "\x1b[c"},
      {"DA1 with 0", "\x1b[0c"},
      {"DA2", "\x1b[>c"},
      {"DA3", "\x1b[=c"},
      {"DECID", "\x1bZ"},
      {"DSR", "\x1b[5n"},
      {"CPR", "\x1b[6n"},
      {"DECXCPR", "\x1b[?6n"},
      {"colour scheme", "\x1b[?996n"},
      {"DECRQM", "\x1b[?2026$p"},
      {"DECRQM of ANSI", "\x1b[4$p"},
      {"XTVERSION", "\x1b[>q"},
      {"kitty flags", "\x1b[?u"},
      {"window size", "\x1b[14t"},
      {"cells", "\x1b[18t"},
      {"title report", "\x1b[21t"},
      {"DECREQTPARM", "\x1b[x"},
      {"checksum", "\x1b[1;1;1;1;1;1*y"},
      {"XTSMGRAPHICS", "\x1b[?1;1;0S"},
      {"modifiers", "\x1b[?4m"},
      {"OSC 4", "\x1b]4;1;?\x07"},
      {"OSC 4 second pair", "\x1b]4;1;red;2;?\x1b\\"},
      {"OSC 10", "\x1b]10;?\x07"},
      {"OSC 11", "\x1b]11;?\x1b\\"},
      {"OSC 12", "\x1b]12;?\x07"},
      {"OSC 52", "\x1b]52;c;?\x07"},
      {"OSC 21", "\x1b]21;foreground=?\x07"},
      {"OSC 99", "\x1b]99;i=1:p=?;\x07"},
      {"OSC 1337", "\x1b]1337;ReportCellSize\x07"},
      {"DECRQSS", "\x1bP$qm\x1b\\"},
      {"XTGETTCAP", "\x1bP+q544e\x1b\\"},
      {"tmux passthrough", "\x1bPtmux;\x1b\x1b[6n\x1b\\"},
      {"ENQ", "\x05"},
      {"DECRQCRA in C1", "\xc2\x9b\x36n"},
      {"highlight tracking", "\x1b[1;2;3;4;5T"},
      {"in-band size", "\x1b[?2048h"},
      {"C0 inside", "\x1b[\r6n"},
      {"after an aborted one", "\x1b[1;\x18\x1b[6n"},
  };
  for (const Case& query : queries) {
    CAPTURE(query.name);
    std::string rest = filtered(query.bytes);
    for (const std::string_view harmless : {"\r"sv, "6n"sv, "[6n"sv}) {
      if (rest == harmless) {
        rest.clear();  // a control that acts, or text where the introducer was dropped
      }
    }
    CHECK(rest == "");
    CHECK(filtered_bytewise(query.bytes) == filtered(query.bytes));
  }
}

TEST_CASE("output_filter: effects without a reply pass unchanged") {
  constexpr Case effects[] = {
      {"text", "plain text \xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80"},
      {"controls", "a\r\n\tb\b\a"},
      {"colour", "\x1b[1;38;5;3;48:2::1:2:3mx\x1b[m"},
      {"cursor", "\x1b[5;7H\x1b[2J\x1b[K\x1b[3A"},
      {"modes", "\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1002;1006h"},
      {"region", "\x1b[3;10r"},
      {"cursor style", "\x1b[4 q"},
      {"charset", "\x1b(0lqk\x1b(B"},
      {"save and restore",
       "\x1b"
       "7\x1b"
       "8\x1bM"},
      {"title stack", "\x1b[22;0t\x1b[23;0t"},
      {"sixel", "\x1bP0;1;0q\"1;1;2;2#0~~-\x1b\\"},
      {"soft reset", "\x1b[!p"},
  };
  for (const Case& effect : effects) {
    CAPTURE(effect.name);
    CHECK(filtered(effect.bytes) == effect.bytes);
    CHECK(filtered_bytewise(effect.bytes) == effect.bytes);
  }
  CHECK(filtered("\x1b]2;title\x07") == "\x1b]2;title\x1b\\");
  CHECK(filtered("\x1b]8;;http://x\x1b\\x\x1b]8;;\x1b\\") ==
        "\x1b]8;;http://x\x1b\\x\x1b]8;;\x1b\\");
  CHECK(filtered("\x1b]52;c;aGk=\x07") == "\x1b]52;c;aGk=\x1b\\");
}

TEST_CASE("output_filter: kitty graphics are made quiet however they ask for an answer") {
  CHECK(filtered("\x1b_Gi=1,a=t;AAAA\x1b\\") == "\x1b_Gq=2,i=1,a=t;AAAA\x1b\\");
  CHECK(filtered("\x1b_Gq=0,a=q;AAAA\x1b\\") == "\x1b_Gq=2,a=q;AAAA\x1b\\");
  CHECK(filtered("\x1b_Ga=d\x1b\\") == "\x1b_Gq=2,a=d\x1b\\");
  CHECK(filtered("\x1b_other\x1b\\x") == "x");
}

TEST_CASE("output_filter: invalid UTF-8 and C1 never reach the outer terminal") {
  CHECK(filtered("a\x9b"
                 "6nb") ==
        "a\xef\xbf\xbd"
        "6nb");
  CHECK(filtered("a\xc2\x9b"
                 "6nb") == "a6nb");
  CHECK(filtered("\xe6\xbc"
                 "x") == "\xef\xbf\xbdx");
  CHECK(filtered("\xed\xa0\x80").find('\xed') == std::string::npos);
  CHECK(filtered("\x1b]0;a\xc2\x9c\xc2\x9b"
                 "6n\x07z") == "z");
}

TEST_CASE("output_filter: an overlong string is dropped whole and what follows is not") {
  CHECK(filtered("\x1b]2;" + std::string(OutputFilter::max_osc_bytes + 10, 'x') + "\x07ok") ==
        "ok");
  CHECK(filtered("\x1b[" + std::string(OutputFilter::max_csi_bytes + 10, '1') + "mok") == "ok");
  CHECK(filtered("\x1b_G" + std::string(10'000, 'a') + ";AAAA\x1b\\ok") == "ok");
  CHECK(filtered("\x1b]2;never ended\x1b[31mok") == "\x1b[31mok");
}

TEST_CASE("output_filter: the keyboard stack of the person stays below the program's") {
  CHECK(filtered("\x1b[>1u") == "\x1b[>0u\x1b[>1u");
  CHECK(filtered("\x1b[>1u\x1b[<u") == "\x1b[>0u\x1b[>1u\x1b[<1u");
  // More pops than pushes would take the person's own entry.
  CHECK(filtered("\x1b[>1u\x1b[<5u") == "\x1b[>0u\x1b[>1u\x1b[<1u\x1b[=0u");
  OutputFilter filter;
  std::string out;
  for (int depth = 0; depth < 1000; ++depth) {
    filter.feed("\x1b[>31u", out);
  }
  CHECK(filter.modes().restore().find("\x1b[<17u") != std::string::npos);
}

TEST_CASE("output_filter: a full reset clears the window and leaves the person's scrollback") {
  const std::string out = filtered(
      "\x1b[?1000h\x1b[?25l\x1b"
      "c");
  CHECK(out.find("\x1b"
                 "c") == std::string::npos);
  CHECK(out.find("\x1b[?1000l") != std::string::npos);
  CHECK(out.find("\x1b[?25h") != std::string::npos);
  CHECK(out.ends_with("\x1b[H\x1b[2J"));
}

TEST_CASE("output_filter: with fewer rows than the window regions stay within them") {
  OutputFilter filter;
  filter.limit_rows(10);
  std::string out;
  filter.feed("\x1b[r\x1b[2;50r\x1b[3;5r", out);
  CHECK(out == "\x1b[1;10r\x1b[2;10r\x1b[3;5r");
}

TEST_CASE("output_filter: C-3 random bytes give the same however they are cut and no query") {
  std::mt19937 random(7);
  constexpr std::string_view alphabet =
      "\x1b\x1b\x1b[]P_^Xc?>=<;:0123456789nqutmhl$ \"\\\x07\x05\x18\x9b\xc2\x9c\xe6\xbc\xa2xyzG,";
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int at = 0; at < 200; ++at) {
      bytes += alphabet[random() % alphabet.size()];
    }
    const std::string whole = filtered(bytes);
    CHECK(filtered_bytewise(bytes) == whole);
    // What was forwarded is clean: forwarding it again changes no query into being.
    for (const std::string_view query :
         {"\x1b[c", "\x1b[6n", "\x1b[5n", "\x1b[?u", "\x1bZ", "\x05"}) {
      CHECK(whole.find(query) == std::string::npos);
    }
  }
}
