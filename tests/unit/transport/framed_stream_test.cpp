// SPDX-License-Identifier: MIT
#include "transport/framed_stream.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "protocol/limits.hpp"

using namespace troupe;
using namespace troupe::transport;

namespace {

struct Pair {
  boost::asio::io_context io{1};
  UniqueFd peer;
  std::unique_ptr<FramedStream> stream;
  std::vector<std::string> frames;
  std::vector<StreamEnd> ends;
  std::size_t credit = 0;
  bool finished = false;

  Pair() {
    std::array<int, 2> fds{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds.data()) == 0);
    peer.reset(fds[0]);
    stream = std::make_unique<FramedStream>(io, UniqueFd{fds[1]});
    stream->start({[this](std::string payload) { frames.push_back(std::move(payload)); },
                   [this](StreamEnd end) { ends.push_back(end); },
                   [this](const std::vector<LaneCredit>& credits) {
                     for (LaneCredit const& c : credits) {
                       credit += c.bytes;
                     }
                   },
                   [this] { finished = true; }});
  }
  void send(const std::string& bytes) const {
    REQUIRE(::send(peer.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size()));
  }
  template <class Done>
  void run_until(Done done) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (!done() && std::chrono::steady_clock::now() < deadline) {
      io.run_one_for(std::chrono::milliseconds{100});
    }
    REQUIRE(done());
  }
  std::string read_all() {
    std::string result;
    std::array<char, 65536> buffer{};
    for (;;) {
      const ssize_t got = ::recv(peer.get(), buffer.data(), buffer.size(), 0);
      if (got > 0) {
        result.append(buffer.data(), static_cast<std::size_t>(got));
      } else if (got == 0 || errno != EAGAIN) {
        return result;
      } else {
        io.poll();
        if (io.stopped()) {
          io.restart();
        }
        io.run_one_for(std::chrono::milliseconds{10});
      }
    }
  }
};

}  // namespace

TEST_CASE("framed_stream: frames arrive whole whatever the cut") {  // T-1
  Pair pair;
  for (const char byte : protocol::control_frame("hello") + protocol::control_frame("world")) {
    pair.send({byte});
    pair.io.poll();
  }
  pair.run_until([&] { return pair.frames.size() == 2; });
  CHECK(pair.frames == std::vector<std::string>{"hello", "world"});
}

TEST_CASE("framed_stream: a length over the limit or a cut frame is a fault") {  // T-2
  SUBCASE("too long") {
    Pair pair;
    pair.send("\xff\xff\xff\xffxxx");
    pair.run_until([&] { return !pair.ends.empty(); });
    CHECK(pair.ends.front() == StreamEnd::fault);
  }
  SUBCASE("cut") {
    Pair pair;
    pair.send(std::string{"\0\0", 2});
    ::shutdown(pair.peer.get(), SHUT_WR);
    pair.run_until([&] { return !pair.ends.empty(); });
    CHECK(pair.ends.front() == StreamEnd::fault);
  }
}

TEST_CASE("framed_stream: a half close is told apart from a close and both are told") {  // T-3
  Pair pair;
  pair.send(protocol::control_frame("ask"));
  ::shutdown(pair.peer.get(), SHUT_WR);
  pair.run_until([&] { return !pair.ends.empty(); });
  CHECK(pair.frames.size() == 1);
  CHECK(pair.ends.front() == StreamEnd::half_closed);
  pair.peer.reset();
  pair.run_until([&] { return pair.ends.size() == 2; });
  CHECK(pair.ends.back() == StreamEnd::closed);
}

TEST_CASE("framed_stream: reading stops while the owner is behind") {  // T-4
  Pair pair;
  std::string const payload(200'000, 'x');
  std::string const wire = protocol::control_frame(payload);
  std::size_t sent = 0;
  std::size_t const total = wire.size() * 10;
  const auto pump = [&] {
    for (int i = 0; i < 1000 && sent < total; ++i) {
      std::size_t const at = sent % wire.size();
      ssize_t const n = ::send(pair.peer.get(), wire.data() + at, wire.size() - at, MSG_NOSIGNAL);
      sent += n > 0 ? static_cast<std::size_t>(n) : 0;
      pair.io.restart();  // a paused stream leaves it without work
      pair.io.poll();
    }
  };
  pump();
  CHECK(pair.frames.size() * payload.size() >= FramedStream::read_window_bytes);
  CHECK(pair.frames.size() * payload.size() <= FramedStream::read_window_bytes + payload.size());
  CHECK(sent < total);
  for (int round = 0; round < 20; ++round) {
    pair.stream->consumed(payload.size());
    pump();
    pair.io.restart();
    pair.io.poll();
  }
  CHECK(pair.frames.size() == 10);
}

TEST_CASE("framed_stream: finish writes everything first and reports the credit") {  // T-5
  Pair pair;
  std::string expected;
  for (int i = 0; i < 40; ++i) {
    std::string const payload(100'000, static_cast<char>('a' + i % 26));
    pair.stream->send(5, {protocol::control_header(payload.size()), SharedBytes{payload}, 100});
    expected += protocol::control_frame(payload);
  }
  pair.stream->finish();
  CHECK(pair.read_all() == expected);
  CHECK(pair.credit == 4000);
  CHECK(pair.finished);
}

TEST_CASE("framed_stream: where silence is expected one byte is a fault") {  // T-6
  Pair pair;
  SUBCASE("a new byte") {
    pair.stream->expect_silence();
    pair.send("x");
  }
  SUBCASE("a byte that came before") {
    pair.send(protocol::control_frame("ask") + "x");
    pair.run_until([&] { return pair.frames.size() == 1; });
    pair.stream->expect_silence();
  }
  pair.run_until([&] { return !pair.ends.empty(); });
  CHECK(pair.ends.front() == StreamEnd::fault);
}

TEST_CASE(
    "framed_stream: a flush writes in the call and its handler may destroy the stream") {  // T-7
  Pair pair;
  const auto read_now = [&] {
    std::array<char, 4096> buffer{};
    const ssize_t got = ::recv(pair.peer.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    return std::string(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  };
  const auto send = [&](const std::string& payload) {
    pair.stream->send(0, {protocol::control_header(payload.size()), SharedBytes{payload}, 1});
  };
  SUBCASE("what was sent together goes out together, once") {
    send("one");
    send("two");
    CHECK(read_now().empty());
    pair.stream->flush();
    CHECK(read_now() == protocol::control_frame("one") + protocol::control_frame("two"));
    CHECK(pair.credit == 2);
    pair.stream->flush();
    pair.io.poll();
    CHECK(read_now().empty());
  }
  SUBCASE("more than the socket takes waits for the peer") {
    std::string expected;
    for (int i = 0; i < 40; ++i) {
      const std::string payload(100'000, static_cast<char>('a' + i % 26));
      send(payload);
      expected += protocol::control_frame(payload);
    }
    pair.stream->flush();
    pair.stream->flush();
    pair.stream->finish();
    CHECK(pair.read_all() == expected);
    CHECK(pair.finished);
  }
  SUBCASE("the end of an orderly close") {
    UniqueFd ours;
    std::array<int, 2> fds{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds.data()) == 0);
    ours.reset(fds[0]);
    auto stream = std::make_unique<FramedStream>(pair.io, UniqueFd{fds[1]});
    stream->start({[](const std::string&) {}, [](StreamEnd) {},
                   [](const std::vector<LaneCredit>&) {}, [&] { stream.reset(); }});
    stream->send(0, {protocol::control_header(3), SharedBytes{std::string{"bye"}}, 0});
    stream->finish();
    stream->flush();
    CHECK(stream == nullptr);
    pair.io.poll();
  }
}
