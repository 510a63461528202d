// SPDX-License-Identifier: MIT
// The vectors of tests/data/journal_vectors.json. `expect` is what the reference implementation
// does; where a vector has `wanted`, that is the right answer, and `wanted_steps` below spells it.

#include <doctest/doctest.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/base64.hpp"
#include "terminal/marks.hpp"
#include "terminal/stream_matcher.hpp"
#include "terminal/text_reader.hpp"
#include "terminal/working_directory.hpp"
#include "tests/unit/terminal/drivers.hpp"

using namespace troupe;
using namespace troupe::terminal;
using json = nlohmann::json;

namespace {

const json& vectors() {
  static const json all = [] {
    std::ifstream file(TROUPE_TEST_DATA_DIR "/journal_vectors.json");
    return json::parse(file);
  }();
  return all;
}

std::string decode(const json& base64) {
  return base64_decode(base64.get<std::string>()).value();
}

std::string whole_stream(const json& vector) {
  std::string all;
  for (const json& chunk : vector["chunks"]) {
    all += decode(chunk);
  }
  return all;
}

template <class Check>
std::size_t for_each_of(const char* kind, const Check& check) {
  std::size_t count = 0;
  for (const json& vector : vectors()) {
    if (vector["kind"] == kind) {
      CAPTURE(vector["name"].get<std::string>());
      check(vector);
      ++count;
    }
  }
  return count;
}

TerminalOptions options_of(const json& vector) {
  TerminalOptions options;
  options.screen.history_rows = vector.value("scrollback", std::size_t{10'000});
  const json env = vector.value("env", json::object());
  options.journal_max = env.value("JOURNAL_MAX", std::size_t{256});
  options.command_max = env.value("JOURNAL_CMD_MAX", std::size_t{4096});
  options.host_name = "this-host";
  return options;
}

CursorAt cursor_of(const json& pair) {
  return {pair[0].get<Sequence>(), pair[1].get<std::uint32_t>(), std::nullopt};
}

json pair_of(const Cursor& cursor) {
  return json::array({cursor.seq, cursor.col});
}

std::set<std::string> flags_of(const CommandRecord& record) {
  std::set<std::string> flags;
  const auto add = [&](bool set, const char* name) {
    if (set) {
      flags.insert(name);
    }
  };
  add(record.running, "RUNNING");
  add(record.exit_code.has_value(), "HAS_EXIT");
  add(!record.command, "NO_COMMAND");
  add(record.incomplete, "INCOMPLETE");
  add(record.evicted, "EVICTED");
  add(record.pty_exited, "PTY_EXITED");
  return flags;
}

void check_record(const CommandRecord& record, const json& expected) {
  CHECK(record.index == expected["index"].get<std::uint64_t>());
  CHECK(flags_of(record) == expected["flags"].get<std::set<std::string>>());
  CHECK(record.exit_code.has_value() == !expected["exit"].is_null());
  if (record.exit_code && !expected["exit"].is_null()) {
    CHECK(*record.exit_code == expected["exit"].get<std::int32_t>());
  }
  CHECK(record.start.seq == expected["start_seq"].get<Sequence>());
  CHECK(record.end.seq == expected["end_seq"].get<Sequence>());
  CHECK(record.command.value_or("") == expected["command"].get<std::string>());
}

template <class Driver>
void check_journal(const Driver& driver, const json& expected) {
  const auto listing = driver.journal();
  CHECK(listing.next_index == expected["next_index"].get<std::uint64_t>());
  CHECK(listing.oldest_index == expected["oldest_index"].get<std::uint64_t>());
  REQUIRE(listing.records.size() == expected["records"].size());
  for (std::size_t i = 0; i < listing.records.size(); ++i) {
    check_record(listing.records[i], expected["records"][i]);
  }
}

/// The steps of a sequence vector with what is `wanted` in the place of what is expected.
json wanted_steps(const json& vector) {
  json steps = vector["steps"];
  const std::string name = vector["name"];
  if (name == "seq_partial_line") {
    steps[2]["expect"]["text"] = "Continue? ";
    steps[4]["expect"]["text"] = "[y/N] ";
  } else if (name == "seq_prompt_no_newline") {
    steps[3]["expect"]["text"] = "overwrite? [y/N] ";
  } else if (name == "seq_paging") {
    // 20 bytes hold two lines and their newlines; a third would make 21.
    steps[1]["expect"] = {{"text", "line 0\nline 1\n"}, {"truncated", true}, {"next", {2, 0}}};
    steps[2]["expect"] = {{"text", "line 3\nline 4\n"}, {"truncated", true}, {"next", {5, 0}}};
  } else if (name == "seq_exact_fill") {
    steps[1]["cursor"] = {0, 10};
    steps[2] = {{"read", {{"from", {0, 10}}}}, {"expect", {{"text", ""}, {"next", {0, 10}}}}};
    steps[4] = {{"read", {{"from", {0, 10}}}}, {"expect", {{"text", "\nb"}}}};
  }
  return steps;
}

template <class Driver>
TextSlice read(const Driver& driver, const json& read) {
  const std::size_t max_bytes = read.value("max", std::size_t{0});
  if (!read.contains("end")) {
    return driver.since(cursor_of(read["from"]), max_bytes);
  }
  const TextReader reader(driver.rows(), 1U << 20);
  const Anchor from = reader.resolve(cursor_of(read["from"])).value();
  return reader.read_rows(from, read["end"].get<Sequence>(), max_bytes);
}

void check_slice(const TextSlice& slice, const json& expected) {
  for (const auto& [key, value] : expected.items()) {
    if (key == "text") {
      CHECK(slice.text == value.get<std::string>());
    } else if (key == "truncated") {
      CHECK(slice.truncated == value.get<bool>());
    } else if (key == "evicted") {
      CHECK(slice.evicted == value.get<bool>());
    } else if (key == "start") {
      CHECK(pair_of(slice.start) == value);
    } else if (key == "next") {
      CHECK(pair_of(slice.next) == value);
    } else {
      FAIL("unknown expectation: ", key);
    }
  }
}

template <class Driver>
void run_sequence_step(Driver& driver, const json& vector, const json& step) {
  if (step.contains("feed")) {
    driver.feed(decode(vector["chunks"][step["feed"].get<std::size_t>()]));
  } else if (step.contains("cursor")) {
    CHECK(pair_of(driver.rows().cursor()) == step["cursor"]);
  } else if (step.contains("oldest")) {
    CHECK(driver.rows().oldest() == step["oldest"].get<Sequence>());
  } else if (step.contains("resize_rows")) {
    driver.resize_rows(step["resize_rows"].get<std::uint16_t>());
  } else if (step.contains("alt")) {
    CHECK(driver.rows().alternate_active() == step["alt"].get<bool>());
  } else if (step.contains("read")) {
    check_slice(read(driver, step["read"]), step["expect"]);
  } else {
    FAIL("unknown step: ", step.dump());
  }
}

template <class Driver>
class WaitSteps {
 public:
  explicit WaitSteps(const json& vector)
      : driver_(vector["cols"], vector["rows"], options_of(vector["steps"][0])) {}

  void run(const json& step) {
    if (step.contains("feed_b64")) {
      driver_.feed(decode(step["feed_b64"]));
    }
    if (step.value("pty", "") == "missing") {
      return;  // a terminal that does not exist has no value to ask
    }
    if (step.contains("arm")) {
      const CommandSpec index = step["arm"].is_string()
                                    ? CommandSpec(CommandLatest{})
                                    : CommandSpec(step["arm"].get<std::uint64_t>());
      REQUIRE(driver_.arm_journal_wait(index, step["timeout_ms"].get<std::int64_t>()).ok());
    }
    if (step.contains("expect")) {
      expect(step);
    }
  }

 private:
  void expect(const json& step) {
    auto done = driver_.template take<JournalWaitDone>();
    if (step["expect"] == "pending") {
      CHECK(done.empty());
      return;
    }
    REQUIRE(done.size() == 1);
    const auto& record = done[0].record;
    if (step["expect"] == "not_found") {
      REQUIRE_FALSE(record.ok());
      CHECK(record.error().code == Code::not_found);
      return;
    }
    REQUIRE(record.ok());
    if (step.contains("exit")) {
      CHECK(record->exit_code == step["exit"].get<std::int32_t>());
    }
    if (step.contains("flags_has")) {
      CHECK(record->running);
      CHECK(done[0].timed_out);
    }
    if (step.contains("end_seq")) {
      CHECK(record->end.seq == step["end_seq"].get<Sequence>());
    }
  }

  Driver driver_;
};

template <class Driver>
void check_output_wait(const json& vector) {
  Driver driver(vector["cols"], vector["rows"], options_of(vector));
  driver.feed(whole_stream(vector));
  TextWaitSpec spec;
  spec.cursor = cursor_of(vector["arm"]["from"]);
  spec.needle = vector["arm"]["needle"].get<std::string>();
  spec.max_bytes = vector["arm"]["max_bytes"].get<std::size_t>();
  if (spec.needle->empty()) {
    const auto refused = driver.arm_text_wait(spec);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Code::bad_request);
    spec.needle.reset();  // the same question
  }
  REQUIRE(driver.arm_text_wait(spec).ok());
  auto done = driver.template take<TextWaitDone>();
  REQUIRE(done.size() == 1);
  const json& expected = vector["expect"];
  CHECK(done[0].matched == expected["matched"].get<bool>());
  if (expected.contains("next")) {
    CHECK(pair_of(done[0].slice.next) == expected["next"]);
  }
  if (expected.contains("text")) {
    CHECK(done[0].slice.text == expected["text"].get<std::string>());
  }
}

/// Feeds a stream and tells which marks its terminal heard.
class MarkListener final : public ScreenEvents {
 public:
  void mark(std::string_view payload, StreamOffset, StreamOffset, bool) override {
    payloads.emplace_back(payload);
  }
  void title(std::string_view, StreamOffset) override {}
  void working_directory(std::string_view) override {}
  void reply(std::string_view) override {}
  void bell() override {}
  void line_finished() override {}
  std::vector<std::string> payloads;
};

char letter_of(MarkKind kind) {
  return static_cast<char>('A' + static_cast<int>(kind));
}

}  // namespace

TEST_CASE("vectors: every kind of vector has its check") {
  std::set<std::string> kinds;
  for (const json& vector : vectors()) {
    kinds.insert(vector["kind"].get<std::string>());
  }
  CHECK(vectors().size() == 235);
  // The last three are of the command line, which checks them in its own tests.
  CHECK(kinds == std::set<std::string>{"mark", "carry_tail", "journal", "sequence", "journal_wait",
                                       "output_wait", "pattern_buffer", "osc7", "cli_cursor",
                                       "send_escape", "record_status"});
}

TEST_CASE_TEMPLATE("vectors: mark", Driver, TROUPE_DRIVERS) {
  CHECK(47 == for_each_of("mark", [](const json& vector) {
          MarkListener heard;
          Driver::feed_screen(vector["cols"], vector["rows"], whole_stream(vector), heard);
          std::optional<Mark> mark;
          if (!heard.payloads.empty()) {
            mark = parse_mark(heard.payloads.back());
          }
          const json& expected = vector["expect"]["mark"];
          REQUIRE(mark.has_value() == !expected.is_null());
          if (!mark) {
            return;
          }
          CHECK(std::string(1, letter_of(mark->kind)) == expected["mark"].get<std::string>());
          CHECK((mark->dialect == Dialect::osc133 ? 133 : 633) == expected["dialect"].get<int>());
          const json& value = expected["value"];
          CHECK(mark->status.has_value() == value.is_number());
          CHECK(mark->command.has_value() == value.is_string());
          if (mark->status && value.is_number()) {
            CHECK(*mark->status == value.get<std::int64_t>());
          }
          if (mark->command && value.is_string()) {
            CHECK(*mark->command == value.get<std::string>());
          }
        }));
}

TEST_CASE_TEMPLATE("vectors: carry_tail", Driver, TROUPE_DRIVERS) {
  // What is carried shows in what the next chunk completes.
  CHECK(8 == for_each_of("carry_tail", [](const json& vector) {
          const std::string stream = whole_stream(vector);
          const json& from = vector["expect"]["carry_from"];
          const std::string whole = "\x1b]133;C\x07";
          const std::string carried = from.is_null() ? "" : stream.substr(from.get<std::size_t>());
          REQUIRE(whole.compare(0, carried.size(), carried) == 0);
          MarkListener before;
          Driver::feed_screen(80, 24, stream, before);
          MarkListener after;
          Driver::feed_screen(80, 24, stream, whole.substr(carried.size()), after);
          CHECK(after.payloads.size() == before.payloads.size() + 1);
          CHECK(after.payloads.back() == "133;C");
          if (from.is_null()) {
            MarkListener rest;
            Driver::feed_screen(80, 24, stream, "133;C\x07", rest);
            CHECK(rest.payloads.size() == before.payloads.size());
          }
        }));
}

TEST_CASE_TEMPLATE("vectors: journal", Driver, TROUPE_DRIVERS) {
  CHECK(98 == for_each_of("journal", [](const json& vector) {
          Driver driver(vector["cols"], vector["rows"], options_of(vector));
          if (vector.contains("steps")) {
            for (const json& step : vector["steps"]) {
              if (step.contains("feed")) {
                driver.feed(decode(vector["chunks"][step["feed"].get<std::size_t>()]));
              } else {
                REQUIRE(step["restart"] == true);
                driver.exit();
                driver.restart();
                check_journal(driver, step["expect"]);
              }
            }
          } else {
            for (const json& chunk : vector["chunks"]) {
              driver.feed(decode(chunk));
            }
          }
          if (vector.value("then", "") == "pty_exit") {
            driver.exit();
          }
          check_journal(driver, vector["expect"]);
          if (vector.contains("wanted")) {
            REQUIRE(vector["name"] == "output_without_newline");
            const auto output = driver.output(0);
            CHECK(output.slice.text == vector["wanted"]["output_text"].get<std::string>());
            CHECK(pair_of(output.record.end) == vector["wanted"]["end"]);
          }
        }));
}

TEST_CASE_TEMPLATE("vectors: sequence", Driver, TROUPE_DRIVERS) {
  CHECK(18 == for_each_of("sequence", [](const json& vector) {
          Driver driver(vector["cols"], vector["rows"], options_of(vector));
          for (const json& step : wanted_steps(vector)) {
            CAPTURE(step.dump());
            run_sequence_step(driver, vector, step);
          }
        }));
}

TEST_CASE_TEMPLATE("vectors: journal_wait", Driver, TROUPE_DRIVERS) {
  CHECK(6 == for_each_of("journal_wait", [](const json& vector) {
          WaitSteps<Driver> steps(vector);
          for (const json& step : vector["steps"]) {
            CAPTURE(step.dump());
            steps.run(step);
          }
        }));
}

TEST_CASE_TEMPLATE("vectors: output_wait", Driver, TROUPE_DRIVERS) {
  CHECK(8 ==
        for_each_of("output_wait", [](const json& vector) { check_output_wait<Driver>(vector); }));
}

TEST_CASE_TEMPLATE("vectors: pattern_buffer", Driver, TROUPE_DRIVERS) {
  const auto type_lines = [](std::string text) {
    std::string bytes;
    for (const char c : text) {
      bytes += c == '\n' ? std::string("\r\n") : std::string(1, c);
    }
    return bytes;
  };
  CHECK(6 == for_each_of("pattern_buffer", [&](const json& vector) {
          Driver driver(vector["cols"], vector["rows"], options_of(vector));
          const json& first = vector["steps"][0];
          driver.feed(type_lines(first.value("screen_before", "")));
          TextWaitSpec spec;
          spec.cursor = CursorNow{};
          spec.regex = first["regex"].get<std::string>();
          spec.timeout_ms = 1000;
          REQUIRE(driver.arm_text_wait(spec).ok());
          for (const json& step : vector["steps"]) {
            if (step.contains("append_repeat")) {
              for (int i = 0; i < step["append_repeat"][1].get<int>(); ++i) {
                driver.feed(step["append_repeat"][0].get<std::string>());
              }
            }
            driver.feed(type_lines(step.value("append", "")));
            if (step.contains("exit_later")) {
              driver.exit();
            }
            auto done = driver.template take<TextWaitDone>();
            if (step.contains("match") && step["match"].is_string()) {
              REQUIRE(done.size() == 1);
              CHECK(done[0].matched);
              const std::string text = done[0].slice.text;
              CHECK(text.substr(text.find_last_of('\n') + 1) == step["match"].get<std::string>());
            } else if (step.contains("exit_later")) {
              REQUIRE(done.size() == 1);
              CHECK_FALSE(done[0].matched);
              CHECK(done[0].reason == WaitReason::exit);
            } else {
              CHECK(done.empty());
            }
          }
        }));
}

TEST_CASE("vectors: a line that never ends is held within its window") {
  const json* bounded = nullptr;
  for (const json& vector : vectors()) {
    if (vector["name"] == "pm_bounded") {
      bounded = &vector;
    }
  }
  REQUIRE(bounded != nullptr);
  const json& steps = (*bounded)["steps"];
  auto pattern =
      Pattern::compile(steps[0]["regex"].get<std::string>(), Syntax::regex, Case::sensitive);
  REQUIRE(pattern.ok());
  const auto window = steps[0]["max"].get<std::size_t>() / 2;
  LineMatcher matcher(std::make_shared<const Pattern>(std::move(pattern).value()), window);
  for (int i = 0; i < steps[1]["append_repeat"][1].get<int>(); ++i) {
    CHECK_FALSE(matcher.append(steps[1]["append_repeat"][0].get<std::string>()));
    CHECK(matcher.pending().size() <= steps[1]["pending_len_at_most"].get<std::size_t>());
  }
}

TEST_CASE_TEMPLATE("vectors: osc7", Driver, TROUPE_DRIVERS) {
  CHECK(15 == for_each_of("osc7", [](const json& vector) {
          Driver driver(vector["cols"], vector["rows"], options_of(vector));
          driver.feed(whole_stream(vector));
          const json& expected = vector["expect"]["cwd"];
          REQUIRE(driver.cwd().has_value() == !expected.is_null());
          if (driver.cwd()) {
            CHECK(*driver.cwd() == expected.get<std::string>());
          }
        }));
}
