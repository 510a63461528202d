// SPDX-License-Identifier: MIT
// Faults that users of other terminals and terminal daemons have reported, replayed from
// tests/data/field_cases.json on a terminal value. docs/field-cases.md lists them all and says
// where those are tested that need a daemon, a child or a client.

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "terminal/terminal.hpp"

using namespace troupe::terminal;
using json = nlohmann::json;

namespace {

constexpr std::size_t work_budget = 200'000;

std::vector<std::string> filled(const std::string& text) {
  std::vector<std::string> rows;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) {
      rows.push_back(text.substr(at, end - at));
    }
    at = end + 1;
  }
  return rows;
}

std::size_t occurrences(std::string_view text, std::string_view wanted) {
  std::size_t count = 0;
  for (std::size_t at = text.find(wanted); at != std::string_view::npos;
       at = text.find(wanted, at + wanted.size())) {
    ++count;
  }
  return count;
}

std::string repeated(const json& step) {
  std::string out;
  const auto& unit = step["feed"].get_ref<const std::string&>();
  for (std::size_t n = step.value("times", std::size_t{1}); n > 0; --n) {
    out += unit;
  }
  return out;
}

std::string from_hex(const std::string& digits) {
  std::string out;
  for (std::size_t at = 0; at < digits.size(); at += 2) {
    out += static_cast<char>(std::stoi(digits.substr(at, 2), nullptr, 16));
  }
  return out;
}

/// `line 1` and so on, as the cases print and expect them.
std::vector<std::string> numbered(const json& range) {
  std::vector<std::string> rows;
  for (int n = range[0]; n <= range[1].get<int>(); ++n) {
    rows.push_back("line " + std::to_string(n));
  }
  return rows;
}

Size size_of(const json& pair) {
  return {pair[0].get<std::uint16_t>(), pair[1].get<std::uint16_t>()};
}

/// One terminal that a case is played on.
class Stage {
 public:
  explicit Stage(const json& scenario)
      : options_{options_of(scenario)}, terminal_{size_of(scenario["size"]), options_} {}

  void feed(std::string_view bytes) {
    printed_ += bytes;
    for (bool more = true; more || !bytes.empty();) {
      const FeedResult result = terminal_.feed(bytes, {}, work_budget, effects_);
      REQUIRE((result.consumed > 0 || result.more || bytes.empty()));
      bytes.remove_prefix(result.consumed);
      more = result.more;
    }
  }
  Size resize(Size size) { return terminal_.resize(size, {}, effects_); }

  [[nodiscard]] const Terminal& terminal() const { return terminal_; }
  [[nodiscard]] const Screen& screen() const { return terminal_.screen(); }
  [[nodiscard]] const std::string& printed() const { return printed_; }
  [[nodiscard]] std::vector<std::string> rows() const {
    return screen().last_rows(screen().size().rows);
  }
  [[nodiscard]] std::string text() const { return screen().plain_text(all_history); }
  [[nodiscard]] std::string checkpoint() const { return screen().checkpoint(all_history).bytes; }

  /// What was answered to the program since the last call.
  std::string take_replies() {
    std::string out;
    for (const Effect& effect : std::exchange(effects_, {})) {
      if (const auto* reply = std::get_if<Reply>(&effect.what)) {
        out += reply->bytes;
      }
    }
    return out;
  }
  /// A new terminal of the same size that has read the checkpoint.
  [[nodiscard]] Stage restored() const {
    Stage copy{screen().size(), options_};
    copy.feed(checkpoint());
    return copy;
  }

 private:
  Stage(Size size, const TerminalOptions& options) : options_{options}, terminal_{size, options} {}

  static TerminalOptions options_of(const json& scenario) {
    TerminalOptions options;
    options.log_bytes = scenario.value("log_bytes", options.log_bytes);
    options.nonce = scenario.value("nonce", "");
    return options;
  }

  TerminalOptions options_;
  Terminal terminal_;
  Effects effects_;
  std::string printed_;
};

void check_inside(const Stage& stage) {
  CHECK(stage.screen().cursor_x() < stage.screen().size().cols);
  CHECK(stage.screen().cursor_y() < stage.screen().size().rows);
}

// -- the steps of a case, by name ----------------------------------------------------------------

void play_lines(Stage& stage, const json& step) {
  for (const std::string& row : numbered(step["lines"])) {
    stage.feed(row + "\r\n");
  }
}

void play_resize(Stage& stage, const json& step) {
  const Size wanted = size_of(step["resize"]);
  const Size expected = step.contains("becomes") ? size_of(step["becomes"]) : wanted;
  CHECK(stage.resize(wanted) == expected);
  CHECK(stage.terminal().size() == expected);
}

/// Random bytes and sizes; the last size holds and the cursor is inside after each.
void play_storm(Stage& stage, const json& step) {
  const json& storm = step["storm"];
  std::mt19937 random{storm["seed"].get<unsigned>()};
  for (std::size_t i = 0; i < storm["resizes"].get<std::size_t>(); ++i) {
    std::string noise(4096, '\0');
    std::generate(noise.begin(), noise.end(), [&] { return static_cast<char>(random()); });
    stage.feed(noise);
    stage.feed(storm["between"][i % storm["between"].size()].get<std::string>());
    const Size size{static_cast<std::uint16_t>(2 + random() % 99),
                    static_cast<std::uint16_t>(1 + random() % 40)};
    REQUIRE(stage.resize(size) == size);
    check_inside(stage);
    REQUIRE(stage.rows().size() == size.rows);
    stage.take_replies();
  }
}

void check_rows(Stage& stage, const json& step) {
  auto rows = stage.rows();
  while (!rows.empty() && rows.back().empty()) {
    rows.pop_back();
  }
  CHECK(json(rows).dump() == step["rows"].dump());
}

void check_all(Stage& stage, const json& step) {
  std::vector<std::string> expected;
  for (const json& item : step["all"]) {
    const auto rows =
        item.is_string() ? std::vector{item.get<std::string>()} : numbered(item["lines"]);
    expected.insert(expected.end(), rows.begin(), rows.end());
  }
  CHECK(json(filled(stage.text())).dump() == json(expected).dump());
}

void check_cursor(Stage& stage, const json& step) {
  CHECK(stage.screen().cursor_x() == step["cursor"][0]);
  CHECK(stage.screen().cursor_y() == step["cursor"][1]);
}

void check_history(Stage& stage, const json& step) {
  CHECK(stage.screen().last_rows(all_history).size() - stage.screen().size().rows ==
        step["history"]);
}

/// A checkpoint makes the same terminal again, asks nothing, and is what that one would write.
void check_restores(Stage& stage, const json&) {
  Stage copy = stage.restored();
  CHECK(copy.take_replies().empty());
  CHECK(copy.rows() == stage.rows());
  CHECK(copy.screen().cursor_x() == stage.screen().cursor_x());
  CHECK(copy.screen().cursor_y() == stage.screen().cursor_y());
  CHECK(copy.checkpoint() == stage.checkpoint());
}

void check_modes(Stage& stage, const json& step) {
  for (const InputModes& modes :
       {stage.screen().input_modes(), stage.restored().screen().input_modes()}) {
    const json& wanted = step["modes"];
    CHECK(modes.application_cursor == wanted.value("application_cursor", false));
    CHECK(modes.application_keypad == wanted.value("application_keypad", false));
    CHECK(modes.bracketed_paste == wanted.value("bracketed_paste", false));
    CHECK(modes.kitty_flags == wanted.value("kitty_flags", 0));
  }
}

void check_checkpoint(Stage& stage, const json& step) {
  const std::string bytes = stage.checkpoint();
  for (const auto& [name, present] :
       {std::pair{"checkpoint_has", true}, {"checkpoint_lacks", false}}) {
    for (const json& part : step.value(name, json::array())) {
      CAPTURE(part.dump());
      CHECK((bytes.find(part.get<std::string>()) != std::string::npos) == present);
    }
  }
}

void check_records(Stage& stage, const json& step) {
  const auto listing = stage.terminal().journal({}, 100, true);
  REQUIRE(listing.ok());
  const auto& records = listing->records;
  REQUIRE(records.size() == step["records"].size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const json& wanted = step["records"][i];
    CAPTURE(wanted.dump());
    const json command = records[i].command ? json(*records[i].command) : json();
    CHECK((wanted["command"] == "ANY" || command == wanted["command"]));
    CHECK((records[i].exit_code ? json(*records[i].exit_code) : json()) == wanted["exit_code"]);
    CHECK(records[i].running == wanted.value("running", records[i].running));
    CHECK(records[i].trusted == wanted.value("trusted", records[i].trusted));
    CHECK((records[i].command_source == troupe::CommandSource::declared ||
           wanted.value("source", "") != "declared"));
  }
}

/// The log is exactly the end of what was printed, from wherever it is read.
void check_log(Stage& stage, const json& step) {
  const Terminal& terminal = stage.terminal();
  REQUIRE(terminal.tail() == stage.printed().size());
  auto offsets = step.value("offsets", std::vector<std::uint64_t>{});
  offsets.push_back(terminal.head());
  offsets.push_back(terminal.tail());
  for (const std::uint64_t offset : offsets) {
    const auto slice = terminal.replay(offset);
    REQUIRE(slice.ok());
    CHECK(slice->bytes == stage.printed().substr(offset));
  }
}

void check_search(Stage& stage, const json& step) {
  SearchSpec spec;
  spec.pattern = step["search"][0];
  spec.regex = true;
  const auto found = stage.terminal().search(spec);
  REQUIRE(found.ok());
  CHECK(found->matches.size() == step["search"][1]);
}

void check_memory_growth(Stage& stage, const json& step) {
  const std::size_t before = stage.terminal().memory_bytes();
  stage.feed(
      repeated({{"feed", step["memory_same_after"][0]}, {"times", step["memory_same_after"][1]}}));
  CHECK(stage.terminal().memory_bytes() <= before + before / 10);
}

using Play = void (*)(Stage&, const json&);
const std::map<std::string, Play>& plays() {
  static const std::map<std::string, Play> all{
      {"feed", [](Stage& stage, const json& step) { stage.feed(repeated(step)); }},
      {"hex", [](Stage& stage, const json& step) { stage.feed(from_hex(step["hex"])); }},
      {"lines", play_lines},
      {"resize", play_resize},
      {"storm", play_storm},
      {"rows", check_rows},
      {"row",
       [](Stage& stage, const json& step) {
         CHECK(json(stage.rows().at(step["row"][0].get<std::size_t>())) == step["row"][1]);
       }},
      {"all", check_all},
      {"cursor", check_cursor},
      {"cursor_row",
       [](Stage& stage, const json& step) {
         CHECK(stage.rows()[stage.screen().cursor_y()] == step["cursor_row"]);
       }},
      {"inside", [](Stage& stage, const json&) { check_inside(stage); }},
      {"history", check_history},
      {"count",
       [](Stage& stage, const json& step) {
         CHECK(occurrences(stage.text(), step["count"][0].get<std::string>()) == step["count"][1]);
       }},
      {"replies",
       [](Stage& stage, const json& step) { CHECK(stage.take_replies() == step["replies"]); }},
      {"restores", check_restores},
      {"modes", check_modes},
      {"checkpoint_has", check_checkpoint},
      {"checkpoint_lacks", check_checkpoint},
      {"records", check_records},
      {"log", check_log},
      {"search", check_search},
      {"memory_below",
       [](Stage& stage, const json& step) {
         CHECK(stage.terminal().memory_bytes() < step["memory_below"]);
       }},
      {"memory_same_after", check_memory_growth},
  };
  return all;
}

const json& scenarios() {
  static const json all = [] {
    std::ifstream file(TROUPE_TEST_DATA_DIR "/field_cases.json");
    return json::parse(file);
  }();
  return all;
}

/// Plays the steps whose name passes `chosen`, each by `play`.
void for_each_step(const json& scenario, const auto& play) {
  for (const json& step : scenario["steps"]) {
    const auto found = std::find_if(plays().begin(), plays().end(),
                                    [&](const auto& item) { return step.contains(item.first); });
    CAPTURE(step.dump().substr(0, 300));
    REQUIRE(found != plays().end());
    play(found->first, found->second, step);
  }
}

}  // namespace

TEST_CASE("field cases: each recorded case of screen and journal holds") {
  REQUIRE(scenarios().size() > 50);
  for (const json& scenario : scenarios()) {
    CAPTURE(scenario["id"].get<std::string>());
    CAPTURE(scenario["fault"].get<std::string>());
    Stage stage{scenario};
    for_each_step(scenario,
                  [&](const std::string&, Play play, const json& step) { play(stage, step); });
  }
}

TEST_CASE("field cases: where a case is sensitive to cuts any cut of its output gives the same") {
  std::size_t played = 0;
  for (const json& scenario : scenarios()) {
    if (!scenario.value("cut", false)) {
      continue;
    }
    CAPTURE(scenario["id"].get<std::string>());
    std::string stream;
    for_each_step(scenario, [&](const std::string& name, Play, const json& step) {
      stream += name == "feed" ? repeated(step) : "";
    });
    Stage whole{scenario};
    whole.feed(stream);
    const auto journal = whole.terminal().journal({}, 100, true);
    const std::string replies = whole.take_replies();
    for (std::size_t cut = 1; cut < stream.size(); ++cut) {
      CAPTURE(cut);
      Stage parts{scenario};
      parts.feed(std::string_view{stream}.substr(0, cut));
      parts.feed(std::string_view{stream}.substr(cut));
      CHECK(parts.checkpoint() == whole.checkpoint());
      CHECK(parts.take_replies() == replies);
      CHECK(parts.terminal().journal({}, 100, true)->records.size() == journal->records.size());
    }
    ++played;
  }
  CHECK(played > 10);
}
