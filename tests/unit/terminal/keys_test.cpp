// SPDX-License-Identifier: MIT
#include "terminal/keys.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace troupe;
using namespace troupe::terminal;

namespace {

std::string key(const char* name, const InputModes& modes = {}) {
  auto bytes = encode_key(name, modes);
  REQUIRE_MESSAGE(bytes.ok(), name);
  return *bytes;
}

InputModes kitty(std::uint8_t flags) {
  InputModes modes;
  modes.kitty_flags = flags;
  modes.application_cursor = true;  // has no say under kitty's protocol
  return modes;
}

InputModes pasting() {
  InputModes modes;
  modes.bracketed_paste = true;
  return modes;
}

}  // namespace

TEST_CASE("keys: plain keys are what xterm-256color's terminfo says") {
  CHECK(key("a") == "a");
  CHECK(key("\xC3\xA9") == "\xC3\xA9");
  CHECK(key("+") == "+");
  CHECK(key("enter") == "\r");
  CHECK(key("tab") == "\t");
  CHECK(key("space") == " ");
  CHECK(key("backspace") == "\x7f");
  CHECK(key("escape") == "\x1b");
  CHECK(key("up") == "\x1b[A");
  CHECK(key("end") == "\x1b[F");
  CHECK(key("pageup") == "\x1b[5~");
  CHECK(key("delete") == "\x1b[3~");
  CHECK(key("f1") == "\x1bOP");
  CHECK(key("f4") == "\x1bOS");
  CHECK(key("f5") == "\x1b[15~");
  CHECK(key("f12") == "\x1b[24~");
  CHECK(key("f13") == "\x1b[1;2P");
  CHECK(key("f24") == "\x1b[24;2~");
}

TEST_CASE("keys: modifiers follow xterm") {
  CHECK(key("ctrl+c") == "\x03");
  CHECK(key("Ctrl+C") == "\x03");
  CHECK(key("ctrl+space") == std::string(1, '\0'));
  CHECK(key("ctrl+[") == "\x1b");
  CHECK(key("ctrl+_") == "\x1f");
  CHECK(key("ctrl+?") == "\x7f");
  CHECK(key("alt+x") == "\x1bx");
  CHECK(key("alt+ctrl+x") == "\x1b\x18");
  CHECK(key("shift+a") == "A");
  CHECK(key("shift+tab") == "\x1b[Z");
  CHECK(key("alt+enter") == "\x1b\r");
  CHECK(key("ctrl+backspace") == "\x08");
  CHECK(key("ctrl+left") == "\x1b[1;5D");
  CHECK(key("shift+alt+up") == "\x1b[1;4A");
  CHECK(key("ctrl+delete") == "\x1b[3;5~");
  CHECK(key("shift+f5") == "\x1b[15;2~");
  CHECK(key("ctrl+f1") == "\x1b[1;5P");
  CHECK(key("super+up") == "\x1b[1;9A");
  CHECK(key("ctrl++") == "+");
}

TEST_CASE("keys: the program's modes change what is sent") {
  InputModes modes;
  modes.application_cursor = true;
  CHECK(key("up", modes) == "\x1bOA");
  CHECK(key("home", modes) == "\x1bOH");
  CHECK(key("ctrl+up", modes) == "\x1b[1;5A");
  modes = {};
  modes.newline_mode = true;
  CHECK(key("enter", modes) == "\r\n");
  modes = {};
  modes.backarrow_sends_backspace = true;
  CHECK(key("backspace", modes) == "\x08");
  CHECK(key("ctrl+backspace", modes) == "\x7f");
  modes = {};
  modes.modify_other_keys = 2;
  CHECK(key("ctrl+i", modes) == "\x1b[27;5;105~");
  CHECK(key("ctrl+enter", modes) == "\x1b[27;5;13~");
  CHECK(key("i", modes) == "i");
}

TEST_CASE("keys: the kitty protocol tells keys apart") {
  CHECK(key("a", kitty(1)) == "a");
  CHECK(key("shift+a", kitty(1)) == "A");
  CHECK(key("ctrl+c", kitty(1)) == "\x1b[99;5u");
  CHECK(key("ctrl+shift+c", kitty(1)) == "\x1b[99;6u");
  CHECK(key("ctrl+C", kitty(1)) == "\x1b[99;6u");
  CHECK(key("alt+x", kitty(1)) == "\x1b[120;3u");
  CHECK(key("escape", kitty(1)) == "\x1b[27u");
  CHECK(key("enter", kitty(1)) == "\r");
  CHECK(key("shift+enter", kitty(1)) == "\x1b[13;2u");
  CHECK(key("shift+tab", kitty(1)) == "\x1b[9;2u");
  CHECK(key("backspace", kitty(1)) == "\x7f");
  CHECK(key("ctrl+space", kitty(1)) == "\x1b[32;5u");
  CHECK(key("up", kitty(1)) == "\x1b[A");
  CHECK(key("f1", kitty(1)) == "\x1b[P");
  CHECK(key("f3", kitty(1)) == "\x1b[13~");
  CHECK(key("f13", kitty(1)) == "\x1b[57376u");
  CHECK(key("f24", kitty(1)) == "\x1b[57387u");
}

TEST_CASE("keys: the kitty protocol reports all keys where asked") {
  CHECK(key("a", kitty(8)) == "\x1b[97u");
  CHECK(key("shift+a", kitty(8)) == "\x1b[97;2u");
  CHECK(key("enter", kitty(8)) == "\x1b[13u");
  CHECK(key("backspace", kitty(9)) == "\x1b[127u");
  CHECK(key("shift+a", kitty(8 | 4)) == "\x1b[97:65;2u");
  CHECK(key("a", kitty(8 | 16)) == "\x1b[97;;97u");
  CHECK(key("shift+a", kitty(8 | 16)) == "\x1b[97;2;65u");
}

TEST_CASE("keys: what is no key is refused by name") {
  for (const char* name :
       {"", "nosuchkey", "f0", "f25", "ctrl+", "ctrl", "ab", "\x01", "\xFF", "ctrl+nosuch", "f1x",
        "f99999999999", "ctrl+ctrl+c", "Ctrl+CTRL+up", "shift+alt+shift+f5", "alt+alt++"}) {
    const auto refused = encode_key(name, {});
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == Code::bad_request);
  }
  CHECK(encode_keys({"a", "nope"}, {}).error().code == Code::bad_request);
  CHECK(*encode_keys({"l", "s", "enter"}, {}) == "ls\r");
}

// T-29
TEST_CASE("paste: an embedded end of a paste never survives") {
  const std::string begin = "\x1b[200~";
  const std::string end = "\x1b[201~";
  const auto framed = [&](const std::string& text) { return begin + text + end; };
  CHECK(encode_paste("abc", pasting()) == framed("abc"));
  CHECK(encode_paste("a\x1b[201~b", pasting()) == framed("ab"));
  CHECK(encode_paste("a\x1b[20\x1b[201~1~b", pasting()) == framed("ab"));
  CHECK(encode_paste("a\xC2\x9B"
                     "201~b",
                     pasting()) == framed("ab"));
  CHECK(encode_paste("a\x9B"
                     "201~b",
                     pasting()) == framed("ab"));
  CHECK(encode_paste("\xE2\x98\x9B"
                     "201~",
                     pasting()) == framed("\xE2\x98\x9B"
                                          "201~"));
  CHECK(encode_paste("a\x1b[201~b", {}) == "ab");
}

TEST_CASE("paste: line ends become carriage returns") {
  CHECK(encode_paste("a\nb\r\nc\rd\n\n", {}) == "a\rb\rc\rd\r\r");
  CHECK(encode_paste("a\nb", pasting()) == "\x1b[200~a\rb\x1b[201~");
}

TEST_CASE("paste: run types one line and pastes several") {
  CHECK(run_input("ls -l", pasting()) == "ls -l\r");
  CHECK(run_input("ls -l\n", pasting()) == "ls -l\r");
  CHECK(run_input("a\nb\n", pasting()) == "\x1b[200~a\rb\x1b[201~\r");
  CHECK(run_input("a\tb", pasting()) == "\x1b[200~a\tb\x1b[201~\r");
  CHECK(run_input("a\nb", {}) == "a\rb\r");
  CHECK(run_input("", pasting()) == "\r");
}
