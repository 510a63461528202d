// SPDX-License-Identifier: MIT
/// @file
/// Whatever happens to a terminal, its recording's rows are JSON in sequence, give the output back
/// byte by byte, keep to the ceiling, and hold no secret.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>

#include "base/base64.hpp"
#include "recording/recording_writer.hpp"
#include "tests/fuzz/support/expect.hpp"

using namespace troupe;
using namespace troupe::recording;

namespace {

constexpr std::string_view secret = "hunter2";
constexpr std::uint64_t least_ceiling = 4096;

/// Takes an input apart: one byte of what happens, one of how long it is, then its bytes.
class Script {
 public:
  Script(const std::uint8_t* data, std::size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}
  [[nodiscard]] bool over() const { return rest_.empty(); }
  std::uint8_t byte() {
    const auto value = rest_.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(std::min<std::size_t>(1, rest_.size()));
    return value;
  }
  std::string_view bytes() {
    const std::string_view taken = rest_.substr(0, byte());
    rest_.remove_prefix(std::min(rest_.size(), taken.size()));
    return taken;
  }

 private:
  std::string_view rest_;
};

struct Played {
  std::string output;
  bool truncated = false;
};

Played play(const std::string& rows) {
  Played played;
  std::istringstream lines(rows);
  std::uint64_t seq = 0;
  for (std::string line; std::getline(lines, line); ++seq) {
    const auto row = nlohmann::json::parse(line, nullptr, false);
    expect(row.is_object() && row.at("seq") == seq, "rows are JSON in sequence");
    played.truncated = played.truncated || row.at("action") == "recording_truncated";
    if (row.at("action") != "terminal_output") {
      continue;
    }
    if (row.contains("data")) {
      played.output += row.at("data").get<std::string>();
    } else {
      const auto bytes = base64_decode(row.at("data_base64").get<std::string>());
      expect(bytes.ok(), "base64 is base64");
      played.output += *bytes;
    }
  }
  return played;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Script script(data, size);
  const std::uint8_t how = script.byte();
  const bool has_secret = (how & 1U) != 0;
  const std::uint64_t ceiling = (how & 2U) != 0 ? least_ceiling : 0;
  RecordingWriter writer(ceiling,
                         has_secret ? std::vector<Secret>{Secret{secret}} : std::vector<Secret>{});
  std::string rows;
  std::string output;
  Instant now{1'700'000'000'000'000, 5};
  writer.start({}, now, rows);
  while (!script.over()) {
    now.steady_us += 10;
    switch (script.byte() % 6) {
      case 0:
      case 1: {
        const std::string_view bytes = script.bytes();
        writer.output(output.size(), bytes, now, rows);
        output += bytes;
        break;
      }
      case 2:
        writer.input(script.bytes(), false, now, rows);
        break;
      case 3:
        writer.input({}, true, now, rows);
        break;
      case 4:
        writer.resize(script.byte(), script.byte(), now, rows);
        break;
      default:
        writer.error(script.bytes(), now, rows);
        break;
    }
  }
  writer.stop({"eof", 0, "", ""}, now, rows);
  const Played played = play(rows);
  expect(writer.bytes_written() == rows.size(), "what is written is counted");
  expect(ceiling == 0 || rows.size() <= ceiling, "the ceiling holds");
  expect(played.truncated == writer.truncated(), "what was left out is told");
  if (has_secret) {
    expect(played.output.find(secret) == std::string::npos, "a secret is in no row");
  } else if (!played.truncated) {
    expect(played.output == output, "the output comes back byte by byte");
  }
  return 0;
}
