// SPDX-License-Identifier: MIT
#include "scenario/yaml_tree.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>

#include "tests/unit/scenario/scenario_files.hpp"

using namespace troupe::scenario;

namespace {

std::string problem_of(const std::string& text) {
  return troupe::test::problems_of(read_yaml(text, "f").problems);
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  for (std::size_t at = 0; at < count; ++at) {
    all += text;
  }
  return all;
}

}  // namespace

TEST_CASE("yaml: lines are those of the file and quotes are remembered") {
  const auto read = read_yaml("a: 1\nb:\n  - \"1\"\n  -\n  - true\n", "f");
  REQUIRE(read.value);
  const Node& root = *read.value;
  REQUIRE(root.entries.size() == 2);
  CHECK(root.entries[0].value.looks_like_integer());
  CHECK(root.entries[1].line == 2);
  const auto& items = root.entries[1].value.items;
  REQUIRE(items.size() == 3);
  CHECK(items[0].line == 3);
  CHECK_FALSE(items[0].looks_like_integer());
  CHECK(items[1].kind == Node::Kind::null);
  CHECK(items[2].looks_like_boolean());
}

TEST_CASE("yaml: SC-3 aliases are copies and a bomb of them is refused") {
  const auto read = read_yaml("a: &x {k: v}\nb: *x\n", "f");
  REQUIRE(read.value);
  CHECK(read.value->entries[1].value.entries[0].value.text == "v");

  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int at = 1; at < 12; ++at) {
    const std::string before = "*a" + std::to_string(at - 1);
    bomb += "a" + std::to_string(at) + ": &a" + std::to_string(at) + " [" +
            repeated(before + ", ", 9) + before + "]\n";
  }
  CHECK(problem_of(bomb).find("more than 20000 values") != std::string::npos);

  const std::string texts =
      "a: &a '" + std::string(100'000, 'x') + "'\nb: [" + repeated("*a,", 20) + "]\n";
  CHECK(problem_of(texts).find("bytes of text") != std::string::npos);
  CHECK(problem_of("a: &a [*a]\n").find("alias") != std::string::npos);
  CHECK_FALSE(problem_of("a: *nothing\n").empty());
}

TEST_CASE("yaml: SC-3 size and depth and number of values are bounded") {
  CHECK(problem_of(std::string(max_file_bytes + 1, ' ')) ==
        "f: the file is larger than 262144 bytes\n");
  CHECK(problem_of(repeated("[", 30) + repeated("]", 30)) == "f:1: nested too deep\n");
  CHECK(problem_of("a: &a " + repeated("[", 20) + repeated("]", 20) + "\nb: " + repeated("[", 10) +
                   "*a" + repeated("]", 10)) == "f:2: nested too deep\n");
  CHECK(problem_of("[" + repeated("a,", 30'000) + "]").find("more than 20000 values") !=
        std::string::npos);
  CHECK(problem_of("a: \xff\xfe\n") == "f: the file is not UTF-8\n");
}

TEST_CASE("yaml: SC-3 hostile texts of full size end with an answer") {
  for (const std::string part :
       {"[",   "{",     "- ",   "? ",      "&a ",   "*a ",   "a: ",  "{a: ", "'",  "\"",
        "|\n", "!",     "%",    "%TAG ! ", "---\n", "...\n", "[a: ", "\t",   "#",  ",",
        "\n",  "a:\n ", "- - ", "? - ",    "{? ",   "\"\\x", "<<: ", "&a [", "a\n"}) {
    CAPTURE(part);
    const auto read = read_yaml(repeated(part, max_file_bytes / part.size()), "f");
    CHECK((read.value.has_value() || !read.problems.empty()));
  }
}

TEST_CASE("yaml: SC-3 random cuts and changes of a scenario never do harm") {
  const std::string good =
      "name: n\nmacros: {m: &m [{send: \"a\\n\", enter: true}, {wait: {idle: 1, regex: 'x'}}]}\n"
      "defaults: {cwd: ., env: {A: b}, recording: {path: r}}\nparticipants:\n- role: a\n"
      "  steps: *m\n  ready: {command: x, timeout: 3m}\n  options:\n    connector_type: ssh\n"
      "    host: h\n    port: 22\n    key_path: ~/k\n- {role: b, needs: [a], kind: pty, "
      "options: {command: [a, b], cols: 3}}\n";
  const std::string letters = "{}[],:&*!|>'\"%-?# \n\tabx09\x00\xc3\xa9";
  std::mt19937 random(11);
  std::size_t refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = good;
    for (std::size_t change = 0; change <= random() % 4; ++change) {
      const std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = letters[random() % letters.size()];
          break;
        case 1:
          text.erase(at, random() % 20);
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), random() % 20));
      }
      text += text.empty() ? "a" : "";
    }
    const auto read = read_scenario(text, troupe::test::place);
    refused += read.value ? 0U : 1U;
    if (read.value) {
      (void)make_plan(*read.value, nullptr);
    } else {
      CHECK_FALSE(read.problems.empty());
    }
  }
  CHECK(refused > 1000);
}
