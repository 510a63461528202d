// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "remote/telnet_peer.hpp"

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
  static const nlohmann::json loaded = [] {
    std::ifstream file(TROUPE_TEST_DATA_DIR "/remote_vectors.json");
    return nlohmann::json::parse(file)["telnet"];
  }();
  return loaded;
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
  for (const auto& row : vectors()["answers"]) {
    const std::string in = row["in"];
    std::string wanted = row.value("wanted_from_cpp", row["out"].get<std::string>());
    if (in == "fffd18") {
      wanted = "fffb18";  // RFC 1091: the type is told when it is asked for
    }
    if (in == "fffa1801fff0" || in == "fffe1f" || in == "fffc01") {
      continue;  // need a state before them: the next case
    }
    CAPTURE(in);
    CHECK(Started().answer(in) == wanted);
  }
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
