// SPDX-License-Identifier: MIT
#include "shell/snippet.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/support/marks.hpp"

namespace troupe::shell {

namespace {

std::string file_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("snippet: each is its source file byte for byte") {
  const std::string folder = TROUPE_SOURCE_DIR "/shell/snippets/troupe.";
  CHECK(snippet(Shell::bash) == file_text(folder + "bash"));
  CHECK(snippet(Shell::zsh) == file_text(folder + "zsh"));
  CHECK(snippet(Shell::fish) == file_text(folder + "fish"));
  CHECK(snippet(Shell::bash).size() > 1000);
}

TEST_CASE("snippet: shells are known by their exact name") {
  CHECK(shell_named("bash") == Shell::bash);
  CHECK(shell_named("zsh") == Shell::zsh);
  CHECK(shell_named("fish") == Shell::fish);
  for (const char* name : {"", "sh", "dash", "Bash", "rbash", "bash ", "bash5"}) {
    CHECK_FALSE(shell_named(name).has_value());
  }
}

TEST_CASE("snippet: what fish 4 prints by itself has one C and one D for each command") {
  const std::string stream = file_text(TROUPE_TEST_DATA_DIR "/shell/fish4_stream.txt");
  CHECK(test::outline(stream, "unused") == "A C? D[0]? A C? D[1]? A C? D[130]? A");
}

}  // namespace troupe::shell
