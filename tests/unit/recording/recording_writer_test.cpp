// SPDX-License-Identifier: MIT
#include "recording/recording_writer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "base/base64.hpp"
#include "base/utf8.hpp"
#include "recording/json_text.hpp"
#include "tests/unit/recording/vectors.hpp"

namespace troupe::recording {

namespace {

/// 2026-09-01T12:00:00.000123Z
constexpr Instant begin{1788264000000123, 5'000'000};

Instant after(std::int64_t us) {
  return {begin.wall_us + us, begin.steady_us + us};
}

RecordingInfo info() {
  return {"00aabbccddee", "pty", "", "bash", "troupe 0", 80, 24};
}

std::string recorded_bytes(const std::vector<nlohmann::json>& rows) {
  std::string bytes;
  for (const auto& row : rows) {
    if (row.at("action") == "terminal_output") {
      CHECK(row.at("offset") == bytes.size());
      if (row.contains("data")) {
        bytes += row.at("data").get<std::string>();
      } else {
        bytes += base64_decode(row.at("data_base64").get<std::string>()).value();
      }
    }
  }
  return bytes;
}

}  // namespace

TEST_CASE("recording_writer: REC-3 rows carry both times and a sequence") {
  RecordingWriter writer;
  std::string out;
  writer.start(info(), begin, out);
  writer.output(0, "bash-5.2$ ", after(103'877), out);
  writer.input("ls\n", false, after(1'000'000), out);
  writer.input("hunter2\n", true, after(2'000'000), out);
  writer.resize(100, 30, after(2'000'001), out);
  writer.error("boom", after(2'000'002), out);
  writer.stop({"eof", 3, "", ""}, after(4'000'000), out);
  CHECK(
      out ==
      R"({"ts":"2026-09-01T12:00:00.000123Z","seq":0,"t":0.000000,"action":"session_start","kind":"terminal","instance_id":"00aabbccddee","format":1,"program":"troupe 0"}
{"ts":"2026-09-01T12:00:00.000123Z","seq":1,"t":0.000000,"action":"terminal_start","connector_type":"pty","cols":80,"rows":24,"command":"bash"}
{"ts":"2026-09-01T12:00:00.104000Z","seq":2,"t":0.103877,"action":"terminal_output","offset":0,"data":"bash-5.2$ "}
{"ts":"2026-09-01T12:00:01.000123Z","seq":3,"t":1.000000,"action":"terminal_input","keys":"ls\n"}
{"ts":"2026-09-01T12:00:02.000123Z","seq":4,"t":2.000000,"action":"terminal_input","keys":"***","masked":true}
{"ts":"2026-09-01T12:00:02.000124Z","seq":5,"t":2.000001,"action":"terminal_resize","cols":100,"rows":30}
{"ts":"2026-09-01T12:00:02.000125Z","seq":6,"t":2.000002,"action":"terminal_error","message":"boom"}
{"ts":"2026-09-01T12:00:04.000123Z","seq":7,"t":4.000000,"action":"terminal_stop","reason":"eof","exit_code":3,"dropped_rows":0,"dropped_bytes":0}
)");
  CHECK(writer.rows_written() == 8);
  CHECK(writer.bytes_written() == out.size());
}

TEST_CASE("recording_writer: rows have the seed's names and fields") {
  RecordingWriter writer;
  std::string out;
  writer.start(info(), begin, out);
  writer.output(0, "bash-5.2$ ", after(1), out);
  writer.input("ls\n", false, after(2), out);
  writer.input("x", true, after(3), out);
  writer.stop({"eof", 0, "", ""}, after(4), out);
  const auto rows = parsed_rows(out);
  const nlohmann::json vectors = octowright_vectors("recording_examples");
  for (const auto& example : vectors) {
    if (example.contains("reset")) {
      continue;  // of screens that are compared, which is not done
    }
    if (example.at("action") == "recording_truncated") {
      const auto all = example.at("limit_bytes").get<std::uint64_t>();
      RecordingWriter full(all);
      std::string text;
      for (StreamOffset offset = 0; !full.truncated(); offset += 50'000) {
        full.output(offset, std::string(50'000, 'x'), after(3), text);
      }
      const auto last = parsed_rows(text).back();
      CHECK(last.at("action") == "recording_truncated");
      CHECK(last.at("limit_bytes") == all);
      CHECK(last.at("bytes_written").get<std::uint64_t>() < all);
      continue;
    }
    bool is_found = false;
    for (const auto& row : rows) {
      bool is_same = row.at("action") == example.at("action");
      for (const auto& [name, value] : example.items()) {
        // The screen's cursor and hash belong to screens; the length of a secret to nobody.
        const bool is_ours =
            name != "cursor" && name != "screen_hash" && name != "byte_count" && name != "ts";
        is_same = is_same && (!is_ours || (row.contains(name) && row.at(name) == value));
      }
      is_found = is_found || is_same;
    }
    CAPTURE(example.dump());
    CHECK(is_found);
  }
}

TEST_CASE("recording_writer: REC-4 output that repeats itself is recorded each time") {
  // What a recorder of screens loses: both screens look the same.
  const nlohmann::json vectors = octowright_vectors("translate").at("cases");
  REQUIRE(vectors.size() == 13);
  for (const auto& sample : vectors) {
    RecordingWriter writer;
    std::string out;
    std::string all;
    writer.start(info(), begin, out);
    for (const auto& screen : sample.at("screens")) {
      const auto text = screen.get<std::string>();
      writer.output(all.size(), text, begin, out);
      all += text;
    }
    CHECK(recorded_bytes(parsed_rows(out)) == all);
  }
}

TEST_CASE("recording_writer: what a program prints comes in the rows of the vectors") {
  for (const auto& sample : octowright_vectors("translate").at("cases")) {
    CAPTURE(sample.at("id").get<std::string>());
    RecordingWriter writer;
    std::string out;
    StreamOffset offset = 0;
    std::vector<std::string> wanted;
    writer.start(info(), begin, out);
    for (const auto& feed : sample.at("expect_per_feed")) {
      for (const auto& event : feed) {
        REQUIRE(event.at(0) == "terminal_output");
        // Where the vector starts the screen again, the program cleared it: that is output too.
        const bool is_reset = event.at(1).value("reset", false);
        const std::string text =
            (is_reset ? "\x1b[H\x1b[2J" : "") + event.at(1).at("data").get<std::string>();
        writer.output(offset, text, begin, out);
        offset += text.size();
        wanted.push_back(text);
      }
    }
    if (sample.contains("wanted_from_cpp")) {
      const std::string lost =
          sample.at("id") == "DEFECT-periodic-slide-loses-output" ? "y\n" : "baba";
      writer.output(offset, lost, begin, out);
      wanted.push_back(lost);
    }
    std::vector<std::string> recorded;
    for (const auto& row : parsed_rows(out)) {
      CHECK_FALSE(row.contains("reset"));
      if (row.at("action") == "terminal_output") {
        recorded.push_back(row.at("data").get<std::string>());
      }
    }
    CHECK(recorded == wanted);
  }
}

TEST_CASE("recording_writer: a fault is the row of the vectors and no byte comes twice") {
  const nlohmann::json& messages = octowright_vectors("translate").at("other_messages");
  REQUIRE(messages.size() == 3);
  const nlohmann::json& fault = messages.at(0).at("expect").at(0);
  const nlohmann::json& doubled = messages.at(2).at("msg");
  RecordingWriter writer;
  std::string out;
  writer.start(info(), begin, out);
  writer.error(messages.at(0).at("msg").at("message").get<std::string>(), begin, out);
  writer.output(0, doubled.at("data").get<std::string>(), begin, out);
  const auto rows = parsed_rows(out);
  REQUIRE(rows.size() == 4);
  CHECK(rows[2].at("action") == fault.at(0));
  CHECK(rows[2].at("message") == fault.at(1).at("message"));
  CHECK(rows[3].at("action") == "terminal_output");
  CHECK(rows[3].at("data") == doubled.at("data"));
}

TEST_CASE("recording_writer: typed input has the fields of the vectors but for its length") {
  const nlohmann::json& vectors = octowright_vectors("redaction").at("input_fields");
  REQUIRE(vectors.size() == 4);
  for (const auto& sample : vectors) {
    RecordingWriter writer;
    std::string out;
    writer.start(info(), begin, out);
    const bool is_masked = sample.at("masked");
    writer.input(sample.at("text").get<std::string>(), is_masked, begin, out);
    const nlohmann::json row = parsed_rows(out).at(2);
    CHECK(row.at("keys") == sample.at("fields").at("keys"));
    CHECK(row.value("masked", false) == is_masked);
    CHECK_FALSE(row.contains("byte_count"));
  }
  CHECK(octowright_vectors("redaction").at("mask") == "***");
}

TEST_CASE("recording_writer: REC-5 a mask does not tell how long the secret is") {
  std::string rows[2];
  for (const std::size_t i : {0U, 1U}) {
    RecordingWriter writer;
    writer.start(info(), begin, rows[i]);
    writer.input(i == 0 ? "a" : "a much longer secret\xC3\xA9\r", true, begin, rows[i]);
  }
  CHECK(rows[0] == rows[1]);
}

TEST_CASE("recording_writer: a character that is cut in two stays whole") {
  const std::string text =
      "a\xC3\xA9"
      "b\xE2\x9C\x93"
      "c\xF0\x9F\x98\x80 end";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    RecordingWriter writer;
    std::string out;
    writer.start(info(), begin, out);
    writer.output(0, text.substr(0, cut), begin, out);
    writer.output(cut, text.substr(cut), begin, out);
    writer.stop({"eof", 0, "", ""}, begin, out);
    const auto rows = parsed_rows(out);
    CHECK(recorded_bytes(rows) == text);
    CHECK(out.find("data_base64") == std::string::npos);
  }
}

TEST_CASE("recording_writer: REC-6 any bytes in any pieces come back exactly") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string all;
    std::string out;
    RecordingWriter writer;
    writer.start(info(), begin, out);
    for (int piece = 0; piece < 20; ++piece) {
      std::string bytes;
      for (std::size_t length = random() % 12; bytes.size() < length;) {
        constexpr std::string_view alphabet =
            "ab\"\\\n\r\t\x1b\x01\x7f\xC3\xA9\xE2\x9C\x93\xF0\x9F\x98\x80\xFF\x80\xC0\xED\xA0";
        bytes += alphabet[random() % alphabet.size()];
      }
      writer.output(all.size(), bytes, begin, out);
      all += bytes;
    }
    writer.stop({"eof", 0, "", ""}, begin, out);
    CHECK(recorded_bytes(parsed_rows(out)) == all);
  }
}

TEST_CASE("recording_writer: a row of output is bounded") {
  RecordingWriter writer;
  std::string out;
  writer.start(info(), begin, out);
  const std::string bytes(300'000, 'x');
  writer.output(0, bytes, begin, out);
  const auto rows = parsed_rows(out);
  CHECK(rows.size() == 2 + 5);
  CHECK(recorded_bytes(rows) == bytes);
}

TEST_CASE("recording_writer: REC-7 the ceiling keeps room for the last rows and counts the rest") {
  for (const std::uint64_t limit : {1U, 4096U, 5000U, 20'000U}) {
    const std::uint64_t effective = std::max<std::uint64_t>(limit, 4096);
    RecordingWriter writer(limit);
    std::string out;
    writer.start(info(), begin, out);
    std::uint64_t offset = 0;
    for (int i = 0; i < 1000; ++i) {
      writer.output(offset, "0123456789", after(i), out);
      offset += 10;
      writer.input("k", false, after(i), out);
    }
    writer.stop({"error", std::nullopt, "SIGKILL", std::string(5000, '\x01')}, after(9), out);
    CHECK(out.size() <= effective);
    CHECK(out.size() > effective - 2000);
    CHECK(writer.truncated());
    const auto rows = parsed_rows(out);
    const auto& cut = rows.at(rows.size() - 2);
    const auto& stop = rows.back();
    CHECK(cut.at("action") == "recording_truncated");
    CHECK(cut.at("limit_bytes") == effective);
    CHECK(stop.at("action") == "terminal_stop");
    CHECK(stop.at("dropped_rows") == writer.dropped_rows());
    CHECK(stop.at("dropped_rows").get<std::uint64_t>() + rows.size() == 2000 + 2 + 2);
    CHECK(stop.at("dropped_bytes").get<std::uint64_t>() + recorded_bytes(rows).size() == offset);
  }
}

TEST_CASE("recording_writer: REC-7 of the output that reaches the ceiling the begin is kept") {
  constexpr std::uint64_t limit = 8192;
  const auto check = [&](const std::string& piece, std::size_t size, std::vector<Secret> secrets) {
    RecordingWriter writer(limit, std::move(secrets));
    std::string out;
    std::string bytes;
    while (bytes.size() < size) {
      bytes += piece;
    }
    writer.start(info(), begin, out);
    writer.output(0, bytes, after(1), out);
    writer.output(bytes.size(), "more", after(2), out);
    writer.stop({"eof", 0, "", ""}, after(3), out);
    CHECK(out.size() <= limit);
    CHECK(out.size() > limit - 2000);
    const auto rows = parsed_rows(out);
    REQUIRE(rows.size() == 5);
    CHECK(rows[2].at("action") == "terminal_output");
    CHECK(rows[3].at("action") == "recording_truncated");
    CHECK(rows[3].at("bytes_written").get<std::uint64_t>() > limit - 2000);
    CHECK(rows[4].at("dropped_rows") == 1);
    return std::pair(bytes, rows);
  };
  for (const char* piece :
       {"x", "\xC3\xA9", "a\xF0\x9F\x98\x80", "\x1b[1m\r\n", "\xFF\xFE", "\x01"}) {
    for (const std::size_t size : {13'700U, 64'000U}) {
      CAPTURE(piece);
      const auto [bytes, rows] = check(piece, size, {});
      const std::string kept = recorded_bytes(rows);
      CHECK(kept == bytes.substr(0, kept.size()));
      CHECK(rows[2].contains("data") == is_valid_utf8(bytes));
      CHECK(rows[4].at("dropped_bytes") == bytes.size() - kept.size() + 4);
    }
  }
  for (std::size_t pad = 0; pad < 14; ++pad) {
    const std::string secret = "correct-horse";
    const auto [bytes, rows] = check(secret + std::string(pad, ' '), 50'000, {Secret{secret}});
    std::string shown = recorded_bytes(rows);
    CHECK(shown.find("corr") == std::string::npos);
    CHECK(shown.substr(0, 3) == "***");
  }
}

TEST_CASE("recording_writer: REC-8 a known secret stands in no row however it is cut") {
  const std::string secret = "correct-horse";
  const std::string text = "x" + secret + "y" + secret.substr(0, 7) + "z\r\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    for (std::size_t second = cut; second <= text.size(); ++second) {
      RecordingWriter writer(0, {Secret{secret}, Secret{"no"}});
      std::string out;
      RecordingInfo own = info();
      own.label = "l " + secret;
      writer.start(own, begin, out);
      writer.output(0, text.substr(0, cut), begin, out);
      writer.output(cut, text.substr(cut, second - cut), begin, out);
      writer.output(second, text.substr(second), begin, out);
      writer.input(secret + "\r", false, begin, out);
      writer.error("failed with " + secret, begin, out);
      writer.stop({"error", std::nullopt, "", secret + " no"}, begin, out);
      CHECK(out.find(secret) == std::string::npos);
      std::string shown;
      for (const auto& row : parsed_rows(out)) {
        shown += row.at("action") == "terminal_output" ? row.at("data").get<std::string>() : "";
      }
      CHECK(shown == "x***y" + secret.substr(0, 7) + "z\r\n");
    }
  }
}

TEST_CASE("recording_writer: REC-8 of secrets that begin alike the longer one goes whole") {
  RecordingWriter writer(0, {Secret{"open"}, Secret{"open sesame"}});
  std::string out;
  writer.start(info(), begin, out);
  writer.output(0, "open sesame, open\r\n", begin, out);
  writer.stop({"eof", 0, "", ""}, begin, out);
  CHECK(recorded_bytes(parsed_rows(out)) == "***, ***\r\n");
}

TEST_CASE("recording_writer: REC-8 a secret of three bytes is masked as input and not looked for") {
  for (const char* const typed : {"a", "abc", "abc\r", "\r"}) {
    RecordingWriter writer(0, {Secret{"abc"}});
    std::string out;
    writer.start(info(), begin, out);
    writer.output(0, "abc", begin, out);
    writer.input(typed, true, begin, out);
    writer.stop({"eof", 0, "", ""}, begin, out);
    const auto rows = parsed_rows(out);
    CHECK(recorded_bytes(rows) == "abc");
    const auto input = std::find_if(rows.begin(), rows.end(), [](const auto& row) {
      return row.at("action") == "terminal_input";
    });
    REQUIRE(input != rows.end());
    CHECK(input->at("keys") == "***");
  }
}

TEST_CASE("recording_writer: a gap is named and held bytes before it are not lost") {
  RecordingWriter writer;
  std::string out;
  writer.start(info(), begin, out);
  writer.output(0, "a\xE2\x9C", begin, out);
  writer.lost(3, 5000, 2, begin, out);
  writer.output(5000, "b", begin, out);
  const auto rows = parsed_rows(out);
  REQUIRE(rows.size() == 6);
  CHECK(rows[2].at("data") == "a");
  CHECK(base64_decode(rows[3].at("data_base64").get<std::string>()).value() == "\xE2\x9C");
  CHECK(rows[4].at("lost_from") == 3);
  CHECK(rows[4].at("lost_to") == 5000);
  CHECK(rows[5].at("offset") == 5000);
}

TEST_CASE("recording_writer: times before the start and before the epoch are survived") {
  RecordingWriter writer;
  std::string out;
  writer.start(info(), {-1, 10}, out);
  writer.output(0, "x", {-2'000'000, 5}, out);
  const auto rows = parsed_rows(out);
  CHECK(rows[0].at("ts") == "1969-12-31T23:59:59.999999Z");
  CHECK(rows[2].at("ts") == "1969-12-31T23:59:58.000000Z");
  CHECK(rows[2].at("t") == 0.0);
}

TEST_CASE("json_text: any text at any length is the string that a JSON reader reads") {
  std::mt19937 random(7);
  const std::string kinds = "\"\\\n\r\t\x1b\x01\x1f /az~\x7f";
  for (std::size_t length = 0; length < 4'200; length += length < 40 ? 1 : 97) {
    std::string text;
    while (text.size() < length) {
      // Few that are escaped, or nothing else.
      text += random() % (length % 2 == 0 ? 8 : 1) == 0 ? kinds[random() % kinds.size()] : 'x';
    }
    std::string out = "before";
    append_json_string(text, out);
    CAPTURE(length);
    CHECK(nlohmann::json::parse(out.substr(6)).get<std::string>() == text);
  }
  for (int byte = 0; byte < 0x80; ++byte) {
    for (std::size_t at = 0; at < 17; ++at) {
      std::string text(17, 'x');
      text[at] = static_cast<char>(byte);
      CHECK(nlohmann::json::parse(json_string(text)).get<std::string>() == text);
    }
  }
  CHECK(json_string("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 12345") ==
        "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 12345\"");
}

TEST_CASE("json_text: bytes are UTF-8 where nothing in them would be replaced") {
  CHECK(is_utf8(""));
  std::mt19937 random(23);
  const std::string whole =
      "a \xC3\xA9\xE4\xB8\xAD\xF0\x9F\x99\x82\xED\x9F\xBF\xEF\xBF\xBF\xF4\x8F\xBF\xBF";
  const std::string odd = "a\x80\xBF\xC1\xE0\x9F\xED\xA0\xF4\x90\xF5\xFF";
  std::size_t ill = 0;
  for (std::size_t length = 0; length < 400; ++length) {
    std::string text(length, 'a');
    text += whole + whole.substr(0, 2 + 3 * (length % 2)) + std::string(length % 67, 'b');
    CHECK(is_utf8(text) == is_valid_utf8(text));
    for (int round = 0; round < 20; ++round) {
      text[random() % text.size()] = odd[random() % odd.size()];
      const bool wanted = to_valid_utf8(text) == text;
      ill += wanted ? 0 : 1;
      CHECK(is_utf8(text) == wanted);
    }
  }
  CHECK(ill > 1'000);
}

TEST_CASE("json_text: the end of a text tells an unfinished character") {
  CHECK(incomplete_utf8_tail("") == 0);
  CHECK(incomplete_utf8_tail("abc") == 0);
  CHECK(incomplete_utf8_tail("\xC3") == 1);
  CHECK(incomplete_utf8_tail("\xC3\xA9") == 0);
  CHECK(incomplete_utf8_tail("a\xE2\x9C") == 2);
  CHECK(incomplete_utf8_tail("a\xF0\x9F\x98") == 3);
  CHECK(incomplete_utf8_tail("\x80\x80\x80\x80") == 0);
  CHECK(incomplete_utf8_tail("\xFF") == 0);
}

}  // namespace troupe::recording
