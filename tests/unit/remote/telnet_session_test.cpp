// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "remote/options.hpp"
#include "remote/telnet_peer.hpp"
#include "tests/support/octowright_vectors.hpp"

using troupe::remote::Charset;
using troupe::remote::TelnetSession;

namespace {

std::string from_hex(const std::string& hex) {
  std::string out;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    out.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return out;
}

std::string to_hex(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) {
    static constexpr char digits[] = "0123456789abcdef";
    out.push_back(digits[static_cast<unsigned char>(c) >> 4U]);
    out.push_back(digits[static_cast<unsigned char>(c) & 0xFU]);
  }
  return out;
}

const nlohmann::json& vectors() {
  return troupe::testing::octowright_vectors("telnet");
}

/// A session after its opening offer.
struct Started {
  TelnetSession session{Charset::cp437, {80, 25}};
  Started() {
    session.start();
    opening = to_hex(session.take_output());
  }
  std::string opening;
  std::string answer(const std::string& hex) {
    REQUIRE(session.receive(from_hex(hex)).ok());
    return to_hex(session.take_output());
  }
};

}  // namespace

TEST_CASE("telnet: the opening offer is WILL BINARY and WILL SGA") {
  CHECK(Started().opening == vectors()["opening_offer_hex"]);
}

TEST_CASE("telnet: each negotiation of the vectors gets its answer") {
  REQUIRE(vectors()["answers"].size() == 15);
  for (const auto& row : vectors()["answers"]) {
    const std::string in = row["in"];
    std::string wanted = row.value("wanted_from_cpp", row["out"].get<std::string>());
    Started started;
    if (in == "fffd18") {
      wanted = "fffb18";  // RFC 1091: the type is told when it is asked for
    } else if (in == "fffa1801fff0") {
      started.answer("fffd18");  // asked for only where the option is on
    } else if (in == "fffe1f" || in == "fffc01") {
      // RFC 1143: only what was on is confirmed to be off.
      CHECK(started.answer(in).empty());
      started.answer(in == "fffe1f" ? "fffd1f" : "fffb01");
    }
    CAPTURE(in);
    CHECK(started.answer(in) == wanted);
  }
}

TEST_CASE("telnet: names and sizes and bounds are those of the vectors") {
  Started started;
  started.answer("fffd18");
  const std::string asked = started.answer("fffa1801fff0");
  const std::string type = vectors()["ttype"];
  CHECK(from_hex(asked).substr(4, type.size()) == type);
  CHECK(troupe::remote::parse_telnet_options(R"({"host":"h"})")->connect_timeout_s ==
        vectors()["connect_timeout_s"].get<std::uint32_t>());
  const std::size_t cap = vectors()["rx_cap_bytes"];
  REQUIRE(started.session.receive(from_hex("fffa18")).ok());
  REQUIRE(started.session.receive(std::string(cap - 1, 'x')).ok());
  CHECK_FALSE(started.session.receive("xx").ok());
}

TEST_CASE("telnet: terminal types are told in turn and the last one twice") {
  Started started;
  CHECK(started.answer("fffd18") == "fffb18");
  const std::string ask = "fffa1801fff0";
  CHECK(started.answer(ask) == "fffa1800414e5349fff0");
  const std::string xterm = started.answer(ask);
  CHECK(xterm == started.answer(ask));
  CHECK(started.answer(ask) == "fffa1800414e5349fff0");
}

TEST_CASE("telnet: an option that was never on is not refused again") {
  // RFC 1143: DONT and WONT for an option that is off need no answer; one that was on is confirmed.
  Started started;
  CHECK(started.answer("fffe1f").empty());
  CHECK(started.answer("fffc01").empty());
  CHECK(started.answer("fffb01") == "fffd01");
  CHECK(started.answer("fffc01") == "fffe01");
}

TEST_CASE("telnet: the window size follows a resize with 255 doubled") {
  Started started;
  started.answer("fffd1f");
  started.session.resize({255, 25});
  CHECK(to_hex(started.session.take_output()) == vectors()["naws_255_cols"]["out"]);
  started.session.resize({255, 25});
  CHECK(started.session.take_output().empty());
}

TEST_CASE("telnet: typed bytes are escaped for the wire") {
  for (const auto& row : vectors()["send"]) {
    TelnetSession session(Charset::latin1, {80, 25});
    session.type(troupe::remote::decode_output(Charset::latin1, from_hex(row["in_hex"])));
    CHECK(to_hex(session.take_output()) == row["wire_hex"]);
  }
}

TEST_CASE("telnet: Enter is CR NUL on the network virtual terminal and CR in binary") {
  Started started;
  started.session.type("a\r");
  CHECK(started.session.take_output() == std::string("a\r\0", 3));
  started.answer("fffd00");
  started.session.type("a\r");
  CHECK(started.session.take_output() == "a\r");
}

TEST_CASE("telnet: output is translated and split sequences are put together") {
  Started started;
  const std::string stream =
      from_hex("61ffffb0") + std::string("\r\0\r\n", 4) + from_hex("fffd27c4");
  std::string text;
  for (const char c : stream) {
    text += *started.session.receive(std::string(1, c));
  }
  CHECK(text == "a\xC2\xA0\xE2\x96\x91\r\r\n\xE2\x94\x80");
  CHECK(to_hex(started.session.take_output()) == "fffc27");
}

TEST_CASE("telnet: an endless subnegotiation ends the connection at 256 KiB") {
  Started started;
  REQUIRE(started.session.receive(from_hex("fffa18")).ok());
  const std::string kilobyte(1024, 'x');
  int accepted = 0;
  while (accepted < 1024 && started.session.receive(kilobyte).ok()) {
    ++accepted;
  }
  CHECK(accepted >= 255);
  CHECK(accepted <= 256);
}

TEST_CASE("telnet: nothing of a long subnegotiation is text and what follows it is") {
  // 16 KiB are what libtelnet holds; a doubled IAC stands at every place around the bounds.
  for (std::size_t length : {8'190U, 8'191U, 8'192U, 8'193U, 16'383U, 16'384U, 20'000U, 200'000U}) {
    for (const std::size_t piece : {std::size_t{1'000}, std::size_t{200'100}}) {
      CAPTURE(length);
      Started started;
      std::string stream = "before" + from_hex("fffa18");
      while (stream.size() < length) {
        stream += stream.size() % 7 == 0 ? "\xFF\xFF" : "x";
      }
      stream += from_hex("fff0") + "after";
      std::string text;
      for (std::size_t at = 0; at < stream.size(); at += piece) {
        const auto part = started.session.receive(stream.substr(at, piece));
        REQUIRE(part.ok());
        text += *part;
      }
      CHECK(text == "beforeafter");
      CHECK(started.answer("fffd27") == "fffc27");
    }
  }
}
