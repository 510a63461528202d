// SPDX-License-Identifier: MIT
//
// Plays scripts into a Screen and prints what it shows, one JSON object a line:
//   in   {"cols":80,"rows":24,"ops":[["feed","BASE64"],["resize",100,30]],"want_rows":6000}
//   out  {"lines":[…],"cursor":[x,y],"title":…,"checkpoint":"BASE64","cols":…,"rows":…,
//         "replies":"BASE64","alternate":…}
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/base64.hpp"
#include "terminal/screen.hpp"

namespace {

using nlohmann::json;

class Recorder final : public troupe::terminal::ScreenEvents {
 public:
  void mark(std::string_view, troupe::StreamOffset, troupe::StreamOffset, bool) override {}
  void title(std::string_view text, troupe::StreamOffset) override { last_title = text; }
  void working_directory(std::string_view) override {}
  void reply(std::string_view bytes) override { replies += bytes; }
  void bell() override {}
  void line_finished() override {}

  std::string last_title;
  std::string replies;
};

json play(const json& job) {
  using troupe::terminal::Screen;
  using troupe::terminal::Size;
  constexpr std::size_t budget = 1'000'000;
  Recorder events;
  Screen screen{Size{job.value("cols", std::uint16_t{80}), job.value("rows", std::uint16_t{24})}};
  troupe::StreamOffset offset = 0;
  for (const auto& op : job.at("ops")) {
    if (op.at(0) == "resize") {
      screen.resize({op.at(1).get<std::uint16_t>(), op.at(2).get<std::uint16_t>()});
      continue;
    }
    const auto decoded = troupe::base64_decode(op.at(1).get<std::string>());
    const std::string bytes = decoded ? *decoded : std::string{};
    std::string_view rest = bytes;
    troupe::terminal::FeedResult result{0, true};
    while (!rest.empty() || result.more) {
      result = screen.feed(rest, offset, budget, events);
      rest.remove_prefix(result.consumed);
      offset += result.consumed;
    }
  }
  const auto checkpoint = screen.checkpoint(job.value("history_rows", std::size_t{2000}));
  return {
      {"lines", screen.last_rows(job.value("want_rows", std::size_t{6000}) + screen.size().rows)},
      {"cursor", {screen.cursor_x(), screen.cursor_y()}},
      {"title", events.last_title},
      {"checkpoint", troupe::base64_encode(checkpoint.bytes)},
      {"cols", screen.size().cols},
      {"rows", screen.size().rows},
      {"replies", troupe::base64_encode(events.replies)},
      {"alternate", screen.alternate_active()}};
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const json job = json::parse(line, nullptr, false);
    if (job.is_discarded()) {
      std::cout << R"({"error":"not JSON"})" << std::endl;
      continue;
    }
    std::cout << play(job).dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
  }
  return 0;
}
