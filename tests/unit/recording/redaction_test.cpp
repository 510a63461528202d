// SPDX-License-Identifier: MIT
#include "recording/redaction.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/unit/recording/vectors.hpp"

namespace troupe::recording {

TEST_CASE("redaction: REC-1 prompts of the seed's vectors and the wider ones wanted are known") {
  const PromptMatcher prompts;
  const auto rows = octowright_vectors("redaction").at("prompts");
  REQUIRE(rows.size() == 19);
  for (const auto& row : rows) {
    const auto screen = row.at("screen").get<std::string>();
    CAPTURE(screen);
    CHECK(prompts.matches(screen) ==
          (row.at("upstream_is_prompt").get<bool>() || row.value("cpp_should_be_prompt", false)));
  }
}

TEST_CASE("redaction: more prompts and what only looks like one") {
  const PromptMatcher prompts({" Geheimzahl ", ""});
  for (const char* yes :
       {"Enter PIN for 'card': ", "geheimzahl: ", "OTP: ", "(sudo) Password for root:",
        "\x1b[31;1mPass\x1b[0mword\x1b[K:\x1b]0;title\x07 ", "login\r\n\r\nPassword: \r\n \r\n",
        "\xE5\xAF\x86\xE7\xA0\x81\xEF\xBC\x9A", "Vault token?", "Password:\x1b[",
        "pw passphrase:\x1b"}) {
    CAPTURE(yes);
    CHECK(prompts.matches(yes));
  }
  for (const char* no : {"", " \r\n", "Opinion: ", "spin:", "tokens:", "secretary:", "name: ", ":",
                         "password", "password for bob", "Password: x", "$ passwd"}) {
    CAPTURE(no);
    CHECK_FALSE(prompts.matches(no));
  }
  CHECK(prompts.matches(std::string(100000, 'x') + " password:"));
  CHECK_FALSE(prompts.matches("password" + std::string(100000, 'x') + ":"));
}

TEST_CASE("redaction: REC-1 words of one's own are separated by commas and bounded") {
  CHECK(prompt_words("").empty());
  CHECK(prompt_words(" , ,").empty());
  CHECK(prompt_words("Geheimzahl, one time pad ") ==
        std::vector<std::string>{"Geheimzahl", "one time pad"});
  CHECK(prompt_words(std::string(129, 'x') + ",y") == std::vector<std::string>{"y"});
  std::string many;
  for (int i = 0; i < 100; ++i) {
    many += "w" + std::to_string(i) + ",";
  }
  CHECK(prompt_words(many).size() == 64);
  CHECK(PromptMatcher(prompt_words("geheimzahl,one time pad")).matches("One Time Pad: "));
}

TEST_CASE("redaction: REC-2 the mode decides as the seed's table says") {
  const PromptMatcher prompts;
  const auto rows = octowright_vectors("redaction").at("modes");
  REQUIRE(rows.size() == 24);
  for (const auto& row : rows) {
    InputContext context;
    context.flagged = row.at("password_arg").get<bool>();
    context.cursor_line = row.at("at_prompt").get<bool>() ? "Password: " : "$ ";
    CHECK(is_secret(redact_mode(row.at("env").get<std::string>()), context, prompts) ==
          row.at("masked").get<bool>());
  }
}

TEST_CASE("redaction: a tty that hides what is typed makes it a secret") {
  const PromptMatcher prompts;
  InputContext context;
  CHECK_FALSE(is_secret(RedactMode::passwords, context, prompts));
  context.tty_hides_input = true;
  CHECK(is_secret(RedactMode::passwords, context, prompts));
  CHECK_FALSE(is_secret(RedactMode::off, context, prompts));
  context.tty_hides_input = false;
  CHECK(is_secret(RedactMode::all, context, prompts));
}

TEST_CASE("redaction: an unknown mode hides more and not less") {
  CHECK(redact_mode("") == RedactMode::passwords);
  CHECK(redact_mode("of") == RedactMode::passwords);
  CHECK(redact_mode(" OFF\n") == RedactMode::off);
  CHECK(redact_mode("All ") == RedactMode::all);
}

}  // namespace troupe::recording
