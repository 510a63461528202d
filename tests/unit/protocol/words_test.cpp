// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include "base/signal_name.hpp"
#include "protocol/features.hpp"
#include "protocol/version.hpp"
#include "protocol/words.hpp"

using namespace troupe;
using namespace troupe::protocol;

namespace {

template <class Enum>
void check_all(Enum last) {
  for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i) {
    const auto value = static_cast<Enum>(i);
    const std::string_view word = to_text(value);
    if (!word.empty()) {
      CHECK(from_text<Enum>(word) == value);
    }
  }
  CHECK_FALSE(from_text<Enum>(""));
  CHECK_FALSE(from_text<Enum>("nonsense"));
}

}  // namespace

TEST_CASE("words: every enumerator reads back and unknown words are refused (P-4)") {
  check_all(Role::observer);
  check_all(TerminalKind::telnet);
  check_all(Redaction::all);
  check_all(SignalTarget::leader);
  check_all(EndReason::shutdown);
  check_all(HistoryFormat::ansi);
  check_all(WaitReason::timeout);
  check_all(Code::internal);
  check_all(CommandSource::screen);
  check_all(CwdSource::proc);
  CHECK_FALSE(from_text<Role>("Controller"));
  CHECK_FALSE(from_text<Role>("observer "));
}

TEST_CASE("words: error codes have their names of the wire") {
  CHECK(to_text(Code::bad_request) == "bad_request");
  CHECK(to_text(Code::not_controller) == "not_controller");
  CHECK(to_text(Code::internal) == "internal");
  CHECK(to_text(CwdSource::osc633) == "633");
}

TEST_CASE("signal names: numbers and names read back in every spelling") {
  CHECK(signal_name(2) == "SIGINT");
  CHECK(signal_name(9) == "SIGKILL");
  CHECK(signal_name(29) == "SIGPOLL");
  CHECK(signal_name(37) == "SIG37");
  CHECK(signal_name(std::optional<int>{}) == std::nullopt);
  CHECK(signal_number("SIGIO") == 29);
  CHECK(signal_number("SIGKILL") == 9);
  CHECK(signal_number("kill") == 9);
  CHECK(signal_number("9") == 9);
  for (int number = 1; number <= 64; ++number) {
    CHECK(signal_number(signal_name(number)) == number);
  }
  for (const char* bad : {"", "0", "-1", "65", "99999999999", "SIG", "SIGFOO", "RTMIN+99", "RTMIN+",
                          "RTMIN3", "9x", "SIGKILL "}) {
    CAPTURE(bad);
    CHECK_FALSE(signal_number(bad));
  }
}

TEST_CASE("features: names are distinct and rename is among them") {
  bool has_rename = false;
  for (std::size_t i = 0; i < feature::all.size(); ++i) {
    has_rename = has_rename || feature::all[i] == "rename";
    for (std::size_t j = i + 1; j < feature::all.size(); ++j) {
      CHECK(feature::all[i] != feature::all[j]);
    }
  }
  CHECK(has_rename);
  CHECK(protocol_version == 7);
  CHECK_FALSE(program_version.empty());
}
