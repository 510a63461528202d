// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "recorders.hpp"

using namespace troupe;
using namespace troupe::actors;
using namespace troupe::actors::testing;
namespace request = protocol::request;
namespace reply = protocol::reply;
using Rows = std::vector<std::string>;

namespace {

request::Record stop_recording() {
  request::Record record;
  record.recording.emplace();
  return record;
}

struct Recorded : CoreFixture {
  explicit Recorded(protocol::Redaction redact = protocol::Redaction::passwords,
                    std::shared_ptr<const recording::PromptMatcher> prompts =
                        std::make_shared<const recording::PromptMatcher>())
      : CoreFixture({}, {}, std::move(prompts)) {
    request::Record record;
    record.recording.emplace().target.emplace();
    record.redact = redact;
    started = ask(record);
    core->on_recorder(recording::Opened{"x"}, now);
    rows.clear();
  }
  void type(const std::string& data, bool password = false) {
    request::Write write;
    write.data = data;
    write.password = password;
    ask(write);
  }
  /// The io thread tells what it saw when it wrote.
  void told(std::optional<bool> hidden, bool taken = true) {
    core->on_typed(channel.notes.back(), {taken, hidden});
  }
  RequestKey started = 0;
};

}  // namespace

TEST_CASE("recording: output input and sizes stand in the order in which they happened") {
  Recorded f;
  const auto* const answer = f.session->find<reply::Recording>(f.started);
  REQUIRE(answer != nullptr);
  CHECK(answer->active);
  CHECK(f.board.info.recording == answer->path);
  f.output("$ ");
  f.type("ls\r");
  f.told(false);
  f.output("ls\r\n");
  request::Resize resize;
  resize.cols = 100;
  resize.rows = 30;
  f.ask(resize);
  f.news(pty::EndOfStream{});
  f.news(pty::ChildExit{{3, {}}});
  CHECK(f.rows ==
        Rows{"output 0 $ ", "input ls\r", "output 2 ls\r\n", "resize 100x30", "stop eof 3"});
  CHECK_FALSE(f.board.info.recording);
}

TEST_CASE("recording: what the program hides is masked whatever the screen says") {
  Recorded f;
  f.output("anything> ");
  f.type("hunter2\r");
  f.told(true);
  CHECK(f.rows.back() == "masked");
}

TEST_CASE("recording: a prompt for a secret masks where no tty can be asked") {
  Recorded f;
  f.output("joe's \x1b[1mPassword\x1b[0m: ");
  f.type("hunter2\r");
  f.told({});
  CHECK(f.rows.back() == "masked");
  f.output("\r\n$ ");
  f.type("ls\r");
  f.told({});
  CHECK(f.rows.back() == "input ls\r");
}

TEST_CASE("recording: a prompt that wraps masks as one that does not") {
  Recorded f;
  f.output("Enter passphrase for key '/home/" + std::string(90, 'k') + "': ");
  f.type("hunter2\r");
  f.told({});
  CHECK(f.rows.back() == "masked");
}

TEST_CASE(
    "recording: a prompt on the alternate screen masks though text stands behind the cursor") {
  Recorded f;
  f.output("\x1b[?1049h\x1b[5;5HPassword: ____ |\x1b[5;15H");
  f.type("hunter2\r");
  f.told(false);
  CHECK(f.rows.back() == "masked");
  f.output("\x1b[5;20H");
  f.type("x");
  f.told(false);
  CHECK(f.rows.back() == "input x");
}

TEST_CASE("recording: a secret that is typed key by key is masked to its end") {
  Recorded f;
  f.output("Password: ");
  for (const std::string key : {"h", "u", "n"}) {
    f.type(key);
    f.told(false);
    CHECK(f.rows.back() == "masked");
    f.output("*");
  }
  f.type("\r");
  f.told(false);
  CHECK(f.rows.back() == "masked");
  f.output("\r\n$ ");
  f.type("l");
  f.told(false);
  CHECK(f.rows.back() == "input l");
  // Given up by the program: the next line is another one.
  f.output("\r\nVerification code: ");
  f.type("1");
  f.told(false);
  CHECK(f.rows.back() == "masked");
  f.output("1\r\ntimed out\r\n$ ");
  f.type("l");
  f.told(false);
  CHECK(f.rows.back() == "input l");
}

TEST_CASE("recording: a prompt with a word of the settings masks") {
  Recorded f;
  f.output("Geheimzahl: ");
  f.type("1234\r");
  f.told({});
  CHECK(f.rows.back() == "input 1234\r");
  Recorded with_word{
      protocol::Redaction::passwords,
      std::make_shared<const recording::PromptMatcher>(std::vector<std::string>{"geheimzahl"})};
  with_word.output("Geheimzahl: ");
  with_word.type("1234\r");
  with_word.told({});
  CHECK(with_word.rows.back() == "masked");
}

TEST_CASE("recording: what the client calls a password is masked") {
  Recorded f;
  f.type("hunter2\r", true);
  f.told(false);
  CHECK(f.rows == Rows{"masked"});
  // It ended with Enter, so what follows in the same line is another input.
  f.type("ls");
  f.told(false);
  CHECK(f.rows.back() == "input ls");
}

TEST_CASE("recording: redaction can be off or total") {
  SUBCASE("off") {
    Recorded f{protocol::Redaction::off};
    f.type("hunter2\r", true);
    f.told(true);
    CHECK(f.rows == Rows{"input hunter2\r"});
  }
  SUBCASE("all") {
    Recorded f{protocol::Redaction::all};
    f.type("ls\r");
    f.told(false);
    CHECK(f.rows == Rows{"masked"});
  }
}

TEST_CASE("recording: input that the terminal did not take and its own answers are no rows") {
  Recorded f;
  f.type("lost");
  f.told(false, false);
  f.output("\x1b[c");
  CHECK_FALSE(f.channel.written.empty());
  CHECK(f.channel.notes.back() == 0);
  CHECK(f.rows == Rows{"output 0 \x1b[c"});
}

TEST_CASE("recording: a failing disk ends the recording and not the terminal") {
  Recorded f;
  f.core->on_recorder(recording::Failed{{Code::io, "disk full"}, 4, 2}, f.now);
  CHECK_FALSE(f.board.info.recording);
  CHECK(f.board.info.recording_error == "disk full");
  const auto* const status = f.session->find<reply::Recording>(f.ask(request::Record{}));
  REQUIRE(status != nullptr);
  CHECK_FALSE(status->active);
  CHECK(status->error == "disk full");
  CHECK(status->events == 4);
  f.rows.clear();
  f.output("goes on");
  f.type("x");
  CHECK(f.channel.notes.back() == 0);
  CHECK(f.rows.empty());
  request::Record again;
  again.recording.emplace().target.emplace();
  const RequestKey key = f.ask(again);
  CHECK_FALSE(f.board.info.recording_error);
  f.core->on_recorder(recording::Failed{{Code::io, "disk full"}, 0, 0}, f.now);
  CHECK(f.session->find<reply::Error>(key)->code == Code::io);
}

TEST_CASE("recording: what a terminal was opened with is masked whenever it is recorded") {
  SshLaunch ssh;
  ssh.options.host = "h";
  ssh.options.password = "hunter2";
  CoreFixture f{{}, ssh};
  request::Record record;
  record.recording.emplace().target.emplace();
  f.ask(record);
  REQUIRE(f.specs.size() == 1);
  REQUIRE(f.specs[0].secrets.size() == 1);
  CHECK(f.specs[0].secrets[0].view() == "hunter2");
  f.core->on_recorder(recording::Closed{"x", 3, 100, false}, f.now);
  f.ask(record);
  REQUIRE(f.specs.size() == 2);
  CHECK(f.specs[1].secrets[0].view().data() == f.specs[0].secrets[0].view().data());
}

TEST_CASE("recording: a stop is answered when the file is whole") {
  Recorded f;
  const RequestKey key = f.ask(stop_recording());
  CHECK(f.rows == Rows{"stop closed -"});
  CHECK(f.session->find<reply::Recording>(key) == nullptr);
  f.core->on_recorder(recording::Closed{"x", 12, 900, false}, f.now);
  const auto* const answer = f.session->find<reply::Recording>(key);
  REQUIRE(answer != nullptr);
  CHECK_FALSE(answer->active);
  CHECK(answer->events == 12);
  request::Record again;
  again.recording.emplace().target.emplace();
  f.ask(again);
  REQUIRE(f.specs.size() == 2);
  CHECK(f.specs[0].place.name != f.specs[1].place.name);
}

TEST_CASE("recording: a question changes nothing and is answered at once") {
  Recorded f;
  f.type("ls\r");
  const auto* const running = f.session->find<reply::Recording>(f.ask(request::Record{}));
  REQUIRE(running != nullptr);
  CHECK(running->active);
  CHECK(running->path == f.board.info.recording);
  CHECK(running->events == 2);  // the input is on its way
  const RequestKey stop = f.ask(stop_recording());
  f.core->on_recorder(recording::Closed{"x", 12, 900, false}, f.now);
  REQUIRE(f.session->find<reply::Recording>(stop) != nullptr);
  const auto* const ended = f.session->find<reply::Recording>(f.ask(request::Record{}));
  REQUIRE(ended != nullptr);
  CHECK_FALSE(ended->active);
  CHECK(ended->events == 12);
  CHECK(ended->path == f.board.info.last_recording);
}

TEST_CASE("recording: who waits for a file is answered when the terminal goes first") {
  Recorded f;
  const RequestKey stop = f.ask(stop_recording());
  f.core->terminate(protocol::EndReason::terminated, f.now);
  f.core->on_terminated({}, f.now);
  REQUIRE(f.session->find<reply::Error>(stop) != nullptr);
  CHECK(f.session->find<reply::Error>(stop)->code == Code::exited);
}

TEST_CASE("recording: one at a time and none of a program that ended") {
  Recorded f;
  request::Record again;
  again.recording.emplace().target.emplace();
  CHECK(f.session->find<reply::Error>(f.ask(again))->code == Code::busy);
  f.news(pty::EndOfStream{});
  f.news(pty::ChildExit{{0, {}}});
  f.core->on_recorder(recording::Closed{}, f.now);
  CHECK(f.session->find<reply::Error>(f.ask(again))->code == Code::exited);
  again.recording->target->path = "relative";
  CHECK(f.session->find<reply::Recording>(f.ask(stop_recording())) != nullptr);
}
