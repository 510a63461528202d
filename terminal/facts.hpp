// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What a terminal knows beyond its screen: journal, titles, working directory, waits. It listens
/// to the screen and reads its rows, so it can be tested with any rows.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "terminal/journal.hpp"
#include "terminal/requests.hpp"
#include "terminal/screen_events.hpp"
#include "terminal/text_reader.hpp"
#include "terminal/titles.hpp"
#include "terminal/waits.hpp"
#include "terminal/working_directory.hpp"

namespace troupe::terminal {

/// The facts of one terminal.
///
/// Threads: that of the terminal value. Borrows the rows.
/// Order: `begin`, then the screen's events, then `end`; effects come in stream order.
class Facts final : public ScreenEvents {
 public:
  Facts(const RowSource& rows, const TerminalOptions& options);

  /// The screen is about to consume bytes from offset `at` on.
  void begin(const Now& now, StreamOffset at, Effects& out);
  /// It consumed up to `tail`.
  void end(StreamOffset tail);
  /// Some wait must be told of finished lines.
  [[nodiscard]] bool wants_lines() const { return waits_.wants_lines(); }

  void mark(std::string_view payload, StreamOffset begin, StreamOffset end, bool printed) override;
  void title(std::string_view text, StreamOffset end) override;
  void working_directory(std::string_view url) override;
  void reply(std::string_view bytes) override;
  void bell() override {}
  void line_finished() override;

  void before_resize() { waits_.before_resize(); }
  void after_resize() { waits_.after_resize(); }
  void child_exited(const Now& now, Effects& out);
  void ended(const Now& now, Effects& out);
  void restarted(std::string nonce);
  void expire(const Now& now, Effects& out);
  [[nodiscard]] std::optional<std::int64_t> next_deadline() const { return waits_.next_deadline(); }

  [[nodiscard]] const Titles& titles() const { return titles_; }
  void rename(std::optional<std::string> title, Effects& out);
  [[nodiscard]] const WorkingDirectory& directory() const { return directory_; }

  [[nodiscard]] Result<JournalListing> journal(std::optional<std::uint64_t> from_index,
                                               std::size_t limit, bool tail) const;
  [[nodiscard]] Result<CommandOutput> output(const CommandSpec& index,
                                             const std::optional<CursorSpec>& cursor,
                                             std::size_t max_bytes) const;
  [[nodiscard]] Result<TextSlice> since(const CursorSpec& cursor, std::size_t max_bytes) const;
  [[nodiscard]] Result<HistorySlice> history(const std::optional<CursorSpec>& cursor,
                                             std::optional<std::size_t> rows,
                                             HistoryFormat format) const;
  [[nodiscard]] Result<SearchSlice> search(const SearchSpec& spec) const;

  Result<WaitId> arm_text_wait(const TextWaitSpec& spec, const Now& now, Effects& out);
  Result<WaitId> arm_journal_wait(const CommandSpec& index, std::int64_t timeout_ms, const Now& now,
                                  Effects& out);
  Result<WaitId> arm_run(std::int64_t timeout_ms, std::size_t max_bytes, const Now& now,
                         Effects& out, Typed typed = Typed::whole);
  void cancel_wait(WaitId wait) { waits_.cancel(wait); }
  [[nodiscard]] std::size_t pending_waits() const { return waits_.size(); }

  [[nodiscard]] std::size_t memory_bytes() const { return journal_.memory_bytes(); }

 private:
  [[nodiscard]] WaitContext context(const Now& now, Effects& out) const;
  [[nodiscard]] WaitContext context() const { return context(now_, *out_); }
  void apply(const JournalChange& change, StreamOffset end);
  [[nodiscard]] Result<> enabled() const;

  const RowSource& rows_;
  bool journal_on_;
  TextReader reader_;
  Journal journal_;
  Waits waits_;
  Titles titles_;
  WorkingDirectory directory_;
  StreamOffset seen_ = 0;  // the output up to here is behind the next effect
  StreamOffset tail_ = 0;
  Now now_;
  Effects* out_ = nullptr;  // between `begin` and `end`
};

}  // namespace troupe::terminal
