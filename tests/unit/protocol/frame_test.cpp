// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "protocol/frame_decoder.hpp"
#include "protocol/frame_encoder.hpp"

using namespace troupe::protocol;
using troupe::TerminalId;

namespace {

std::string header(std::uint32_t length) {
  std::string bytes;
  for (unsigned shift : {24U, 16U, 8U, 0U}) {
    bytes.push_back(static_cast<char>(length >> shift & 0xFFU));
  }
  return bytes;
}

/// Feeds `stream` in the given cuts and gathers every payload.
std::vector<std::string> decode(FrameDecoder& decoder, std::string_view stream,
                                const std::vector<std::size_t>& cuts) {
  std::vector<std::string> payloads;
  std::size_t at = 0;
  for (std::size_t i = 0; i <= cuts.size(); ++i) {
    const std::size_t end = i < cuts.size() ? cuts[i] : stream.size();
    std::string_view piece = stream.substr(at, end - at);
    at = end;
    while (!piece.empty()) {
      const std::size_t taken = decoder.feed(piece);
      piece.remove_prefix(taken);
      auto payload = decoder.next();
      if (!payload && taken == 0) {
        return payloads;
      }
      if (payload) {
        payloads.push_back(*payload);
      }
    }
  }
  return payloads;
}

}  // namespace

TEST_CASE("frame decoder: every cut of a stream gives the same payloads (P-1)") {
  const std::string stream = control_frame("{\"a\":1}") + control_frame("x") + control_frame("yz");
  const std::vector<std::string> wanted{"{\"a\":1}", "x", "yz"};
  for (std::size_t first = 0; first <= stream.size(); ++first) {
    for (std::size_t second = first; second <= stream.size(); ++second) {
      FrameDecoder decoder;
      REQUIRE(decode(decoder, stream, {first, second}) == wanted);
      REQUIRE(decoder.at_boundary());
    }
  }
}

TEST_CASE("frame decoder: byte by byte gives the same payloads") {
  const std::string stream = control_frame(std::string(300, 'p')) + control_frame("q");
  std::vector<std::size_t> cuts;
  for (std::size_t i = 1; i < stream.size(); ++i) {
    cuts.push_back(i);
  }
  FrameDecoder decoder;
  const auto payloads = decode(decoder, stream, cuts);
  REQUIRE(payloads.size() == 2);
  CHECK(payloads[0] == std::string(300, 'p'));
  CHECK(payloads[1] == "q");
}

TEST_CASE("frame decoder: a length of exactly 8 MiB is taken (P-2)") {
  FrameDecoder decoder;
  CHECK(decoder.feed(header(8U * 1024 * 1024)) == 4);
  CHECK(decoder.fault() == FrameFault::none);
  CHECK(decoder.missing() == max_frame_bytes);
  const std::string payload(max_frame_bytes, 'a');
  std::string_view rest = payload;
  while (!rest.empty()) {
    rest.remove_prefix(decoder.feed(rest.substr(0, 65'536)));
  }
  const auto out = decoder.next();
  REQUIRE(out);
  CHECK(*out == payload);
}

TEST_CASE("frame decoder: a longer length is a fault at once and nothing more is taken (P-2)") {
  for (const std::uint32_t length : {8U * 1024 * 1024 + 1, 0xFFFFFFFFU, 0x80000000U}) {
    FrameDecoder decoder;
    decoder.feed(header(length) + "abc");
    CHECK(decoder.fault() == FrameFault::too_long);
    CHECK(decoder.feed("more") == 0);
    CHECK_FALSE(decoder.next());
  }
}

TEST_CASE("frame decoder: an empty payload is a fault (P-3)") {
  FrameDecoder decoder;
  decoder.feed(header(0));
  CHECK(decoder.fault() == FrameFault::empty);
  CHECK_FALSE(decoder.next());
}

TEST_CASE("frame decoder: a stream that ends inside a frame is not at a boundary") {
  const std::string stream = control_frame("abc");
  for (std::size_t length = 0; length < stream.size(); ++length) {
    FrameDecoder decoder;
    decoder.feed(stream.substr(0, length));
    CHECK(decoder.at_boundary() == (length == 0));
    CHECK_FALSE(decoder.next());
  }
}

TEST_CASE("frame decoder: takes nothing beyond a frame that waits to be fetched") {
  const std::string stream = control_frame("abc") + control_frame("def");
  FrameDecoder decoder;
  CHECK(decoder.feed(stream) == 7);
  CHECK(decoder.feed(std::string_view(stream).substr(7)) == 0);
  CHECK(decoder.next() == "abc");
  CHECK(decoder.feed(std::string_view(stream).substr(7)) == 7);
  CHECK(decoder.next() == "def");
}

TEST_CASE("frame encoder: a control frame is its big-endian length and the payload") {
  CHECK(control_frame("{}") == std::string("\0\0\0\2{}", 6));
  CHECK(control_header(0x123456).view() == std::string_view("\0\x12\x34\x56", 4));
}

TEST_CASE("frame encoder: an output frame as the published daemon sends it") {
  const std::string wanted("\0\0\0\x13\0\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\7hi", 23);
  CHECK(output_frame(5, "hi") == wanted);
}

TEST_CASE("frame encoder: tag 1 carries the terminal id before the offsets") {
  const std::string wanted(
      "\0\0\0\x1B\1\0\0\x12\x34\x56\x78\x9A\xBC\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\7hi", 31);
  CHECK(mux_output_frame(TerminalId{0x123456789ABC}, 5, "hi") == wanted);
}

TEST_CASE("output frame: both tags read back") {
  const std::string bytes("\0\xff{x}", 5);
  for (const bool multiplexed : {false, true}) {
    const std::string frame =
        multiplexed ? mux_output_frame(TerminalId{77}, 1000, bytes) : output_frame(1000, bytes);
    const std::string_view payload = std::string_view(frame).substr(4);
    REQUIRE(is_output(payload));
    const auto view = parse_output(payload);
    REQUIRE(view);
    CHECK(view->start == 1000);
    CHECK(view->end == 1005);
    CHECK(view->bytes == bytes);
    CHECK(view->terminal.has_value() == multiplexed);
    if (multiplexed) {
      CHECK(view->terminal->value == 77);
    }
  }
}

TEST_CASE("output frame: every truncation and every wrong length is refused") {
  for (const std::string& frame :
       {output_frame(9, "abc"), mux_output_frame(TerminalId{1}, 9, "abc")}) {
    const std::string_view payload = std::string_view(frame).substr(4);
    for (std::size_t length = 0; length < payload.size(); ++length) {
      CHECK_FALSE(parse_output(payload.substr(0, length)));
    }
    CHECK_FALSE(parse_output(std::string(payload) + "d"));
  }
  CHECK_FALSE(parse_output("{}"));
  CHECK_FALSE(is_output("{}"));
  CHECK_FALSE(is_output(""));
}

TEST_CASE("frame decoder: random bytes never give a payload beyond the limit") {
  std::mt19937 random(7);  // NOLINT: reproducible
  for (int round = 0; round < 200; ++round) {
    FrameDecoder decoder;
    std::string bytes(random() % 600, '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(random() % 4 == 0 ? random() : 0);
    }
    std::string_view rest = bytes;
    while (!rest.empty()) {
      const std::size_t taken = decoder.feed(rest);
      rest.remove_prefix(taken);
      const auto payload = decoder.next();
      if (payload) {
        REQUIRE_FALSE(payload->empty());
      } else if (taken == 0) {
        break;
      }
    }
  }
}
