// SPDX-License-Identifier: MIT
// The grammar of marks, and a terminal that hears them cut at will, read and waited on.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "terminal/marks.hpp"
#include "terminal/terminal.hpp"
#include "tests/fuzz/support/expect.hpp"

using namespace troupe;
using namespace troupe::terminal;

namespace {

void check_grammar(std::string_view payload) {
  if (const auto mark = parse_mark(payload)) {
    expect(!mark->command || is_valid_utf8(*mark->command), "a command line is UTF-8");
    expect(mark->kind == MarkKind::finished || !mark->status, "only D has a status");
  }
  if (const auto cwd = parse_cwd_property(payload)) {
    expect(is_valid_utf8(*cwd), "a directory is UTF-8");
  }
}

void check_reads(const Terminal& terminal) {
  const auto listing = terminal.journal(0, 0, false);
  expect(
      listing->records.size() == listing->next_index - listing->oldest_index || listing->truncated,
      "indices are dense");
  for (const CommandRecord& record : listing->records) {
    expect(record.start_offset <= record.end_offset, "output does not end before it begins");
    const auto output = terminal.output(record.index, std::nullopt, 64);
    expect(output.ok() && is_valid_utf8(output->slice.text), "a record has output");
  }
  CursorSpec next = CursorOldest{};
  for (int page = 0; page < 64; ++page) {
    const auto slice = terminal.since(next, 32);
    expect(slice.ok() && is_valid_utf8(slice->text), "a page is UTF-8");
    if (!slice->truncated) {
      break;
    }
    expect(slice->next != slice->start, "a page progresses");
    next = CursorAt{slice->next.seq, slice->next.col, slice->next.epoch};
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  check_grammar(bytes);
  check_grammar("133;" + bytes);
  check_grammar("633;" + bytes);
  if (size < 4) {
    return 0;
  }
  TerminalOptions options;
  options.screen.history_rows = 20;
  options.journal_max = 4;
  options.nonce = "n";
  options.host_name = "host";
  Terminal terminal(
      {static_cast<std::uint16_t>(2 + data[0] % 30), static_cast<std::uint16_t>(1 + data[1] % 8)},
      options);
  Effects effects;
  const Now now;
  const std::size_t step = 1 + data[2];
  TextWaitSpec spec;
  spec.cursor = CursorNow{};
  spec.needle = bytes.substr(3, 1 + data[2] % 5);
  spec.regex = "[a-f]+\\s?$";
  spec.timeout_ms = 1000;
  for (std::string_view rest = std::string_view(bytes).substr(3); !rest.empty();) {
    (void)terminal.arm_text_wait(spec, now, effects);
    (void)terminal.arm_run("a\nb", 1000, 64, now, effects);
    std::string_view piece = rest.substr(0, step);
    rest.remove_prefix(piece.size());
    FeedResult fed;
    do {
      fed = terminal.feed(piece, now, 100'000, effects);
      piece.remove_prefix(fed.consumed);
    } while (!piece.empty() || fed.more);
    if (step % 3 == 0) {
      terminal.resize({static_cast<std::uint16_t>(2 + rest.size() % 30),
                       static_cast<std::uint16_t>(1 + rest.size() % 8)},
                      now, effects);
    }
  }
  check_reads(terminal);
  terminal.ended(now, effects);
  expect(terminal.pending_waits() == 0, "the exit answers every wait");
  check_reads(terminal);
  return 0;
}
