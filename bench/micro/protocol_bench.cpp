// SPDX-License-Identifier: MIT
/// @file
/// What the wire costs: decoding the requests that a client sends most, encoding the replies that
/// it waits for, and the largest frames of both directions.

#include <benchmark/benchmark.h>

#include <string>

#include "protocol/codec.hpp"
#include "protocol/frame_decoder.hpp"
#include "protocol/frame_encoder.hpp"

using namespace troupe;
using namespace troupe::protocol;

namespace {

const std::string token(32, 'a');
constexpr TerminalId id{281'474'976'710'655};

TerminalInfo info() {
  TerminalInfo info;
  info.id = id;
  info.pid = 14'539;
  info.title = "demo";
  info.group_id = "ses_1";
  info.command = {"/bin/bash", "-l"};
  info.cwd = "/home/user/project";
  info.cols = 80;
  info.rows = 24;
  return info;
}

void decode(benchmark::State& state, const Request& request) {
  const std::string payload = encode_request(token, RequestId{std::uint64_t{7}}, request);
  for (auto _ : state) {
    benchmark::DoNotOptimize(decode_request(payload));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(payload.size()));
}

void encode(benchmark::State& state, const Response& response) {
  std::size_t size = 0;
  for (auto _ : state) {
    const std::string payload = encode_response(response);
    size = payload.size();
    benchmark::DoNotOptimize(payload.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(size));
}

void decode_reply(benchmark::State& state, const Response& response) {
  const std::string payload = encode_response(response);
  for (auto _ : state) {
    benchmark::DoNotOptimize(decode_response(payload));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(payload.size()));
}

void frames(benchmark::State& state) {
  std::string stream;
  for (int i = 0; i < 1000; ++i) {
    stream += control_frame(std::string(100, 'x'));
  }
  for (auto _ : state) {
    FrameDecoder decoder;
    std::string_view rest = stream;
    while (!rest.empty()) {
      rest.remove_prefix(decoder.feed(rest));
      benchmark::DoNotOptimize(decoder.next());
    }
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}

const Response snapshot =
    reply::Snapshot{info(), std::string(160'000, 't'), std::string(200'000, 'c'), 1, 2};
const Response resized = event::Resized{80, 24, 1, std::string(std::size_t{4} << 20U, 'c')};
const Response list = reply::Terminals{std::vector<TerminalInfo>(1000, info())};

}  // namespace

BENCHMARK_CAPTURE(decode, ping, request::Ping{});
BENCHMARK_CAPTURE(decode, write_one_key, request::Write{id, "attachment", "a"});
BENCHMARK_CAPTURE(decode, write_1_mib,
                  request::Write{id, "attachment", std::string(std::size_t{1} << 20U, 'x')});
BENCHMARK_CAPTURE(decode, wait, request::Wait{id, CursorAt{5, 6, 7}, "needle"});
BENCHMARK_CAPTURE(encode, ok, reply::Ok{});
BENCHMARK_CAPTURE(encode, created, reply::Created{info()});
BENCHMARK_CAPTURE(encode, list_of_1000, list);
BENCHMARK_CAPTURE(encode, snapshot_2000_rows, snapshot);
BENCHMARK_CAPTURE(encode, resized_4_mib, resized);
BENCHMARK_CAPTURE(decode_reply, created, reply::Created{info()});
BENCHMARK_CAPTURE(decode_reply, snapshot_2000_rows, snapshot);
BENCHMARK_CAPTURE(decode_reply, resized_4_mib, resized);
BENCHMARK(frames);

BENCHMARK_MAIN();
