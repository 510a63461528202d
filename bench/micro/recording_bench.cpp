// SPDX-License-Identifier: MIT
// What a recording costs for each byte of output: the rows alone, and all the way to a file.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "base/shared_bytes.hpp"
#include "recording/recorder.hpp"
#include "recording/recording_writer.hpp"

namespace {

using troupe::SharedBytes;
using troupe::StreamOffset;
namespace recording = troupe::recording;

constexpr std::size_t chunk_bytes = 64 * 1024;

std::string chunk_of(std::string_view line) {
  std::string chunk;
  while (chunk.size() + line.size() <= chunk_bytes) {
    chunk += line;
  }
  return chunk;
}

const std::string& chunk(std::int64_t kind) {
  static const std::string plain = chunk_of("the quick brown fox jumps over the lazy dog\r\n");
  static const std::string coloured =
      chunk_of("\x1b[1;32mok\x1b[0m \xE2\x9C\x93 a/path/to.cpp\r\n");
  static const std::string binary = chunk_of("\xFF\xFE\x01\x80");
  return kind == 0 ? plain : kind == 1 ? coloured : binary;
}

void rows(benchmark::State& state) {
  const std::string& bytes = chunk(state.range(0));
  recording::RecordingWriter writer;
  std::string out;
  StreamOffset offset = 0;
  for (auto _ : state) {
    out.clear();
    writer.output(offset, bytes, {}, out);
    offset += bytes.size();
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(offset));
}
BENCHMARK(rows)->Arg(0)->Arg(1)->Arg(2);

/// 100 MB to a file; the queue takes it all, so the time is that of the thread and the disk.
void hundred_megabytes(benchmark::State& state) {
  const SharedBytes bytes(chunk(state.range(0)));
  constexpr StreamOffset total = 100'000'000;
  const std::string path = "/tmp/troupe-recording-bench-" + std::to_string(::getpid());
  for (auto _ : state) {
    recording::RecorderGroup group;
    recording::RecorderSpec spec;
    spec.place.path = path;
    spec.queue_bytes = 2 * total;
    {
      recording::Recorder recorder(group, spec, nullptr);
      for (StreamOffset offset = 0; offset < total; offset += bytes.size()) {
        recorder.output(offset, bytes);
      }
    }
    group.wait_until_done(std::chrono::minutes(5));
    ::unlink(path.c_str());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(total) * state.iterations());
}
BENCHMARK(hundred_megabytes)
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

}  // namespace

BENCHMARK_MAIN();
