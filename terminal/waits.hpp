// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Who waits for what in one terminal. Waits are answered inside the terminal, at the mark or line
/// that decides: whoever polled from outside would miss a command that starts and ends in between.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "terminal/journal.hpp"
#include "terminal/requests.hpp"
#include "terminal/row_scanner.hpp"
#include "terminal/shared_lines.hpp"
#include "terminal/text_reader.hpp"

namespace troupe::terminal {

/// Waits of one terminal at most; further ones are refused (`limit`).
inline constexpr std::size_t max_pending_waits = 16'384;
/// Longest timeout; a longer one is cut to it.
inline constexpr std::int64_t max_timeout_ms = 24LL * 60 * 60 * 1000;

/// Text that the answers of one event hold together; beyond it each is cut to `min_answer_bytes`
/// (and says so), so that thousands of waits on one exit cannot multiply the terminal's history.
inline constexpr std::size_t max_event_answer_bytes = 32U * 1024 * 1024;
inline constexpr std::size_t min_answer_bytes = 4096;

/// What the answers of waits are made of, at the moment they are made.
struct WaitContext {
  Now now;
  StreamOffset offset = 0;  ///< the output up to here precedes the answer
  StreamOffset tail = 0;
  Effects* out = nullptr;
};

/// The pending waits.
///
/// Threads: that of the terminal value. Borrows rows, reader and journal.
/// Bounds: `max_pending_waits`; of the text each wait holds no more than its matcher.
/// Order: a wait is answered exactly once, or cancelled.
class Waits {
 public:
  Waits(const RowSource& rows, const TextReader& reader, const Journal& journal)
      : rows_(rows), reader_(reader), journal_(journal), shared_(rows) {}

  Result<WaitId> arm_text(const TextWaitSpec& spec, const WaitContext& context);
  Result<WaitId> arm_command(const CommandSpec& spec, std::int64_t timeout_ms,
                             const WaitContext& context);
  Result<WaitId> arm_run(std::int64_t timeout_ms, std::size_t max_bytes, const WaitContext& context,
                         Typed typed);
  void cancel(WaitId wait);

  /// A call into the terminal begins: its answers share `max_event_answer_bytes`.
  void begin_event() { answered_bytes_ = 0; }
  void command_started(std::uint64_t index);
  /// The shell waits for the rest of the command that was typed.
  void command_continued(const WaitContext& context);
  void command_finished(std::uint64_t index, const WaitContext& context);
  /// Rows were left by line feeds (see `ScreenEvents::line_finished`).
  void line_finished(const WaitContext& context);
  /// The end of a chunk that had output.
  void output_seen(const WaitContext& context);
  void before_resize();
  void after_resize();
  /// The child is dead and what it printed was looked at: answers those who wait for that, and for
  /// commands, of which no more come. Whoever holds the stream may print more text.
  void child_exited(const WaitContext& context);
  /// No more text comes.
  void exited(const WaitContext& context);
  void restarted() { child_exited_ = exited_ = false; }
  void expire(const WaitContext& context);

  [[nodiscard]] std::optional<std::int64_t> next_deadline() const;
  [[nodiscard]] std::size_t size() const { return texts_.size() + commands_.size(); }
  /// Some wait must be told of each finished line.
  [[nodiscard]] bool wants_lines() const { return scanning_ > 0; }

 private:
  struct Scan {
    RowScanner scanner;
    WaitReason reason;
    std::shared_ptr<const Pattern> expression;  // absent for a needle
  };
  struct Match {
    Cursor end;
    WaitReason reason;
  };
  struct TextWait {
    Place from;
    bool evicted = false;
    std::vector<Scan> scans;     // for the needle, for the regex, or none
    std::optional<Match> match;  // of the present look: the one that ends first
    std::optional<std::int64_t> idle_ms;
    bool exit = false;
    bool any_output = false;
    std::int64_t armed = 0;
    std::int64_t deadline = 0;
    std::size_t max_bytes = 0;
  };
  struct CommandWait {
    std::optional<std::uint64_t> index;  // absent until the next command starts
    bool run = false;
    Typed typed = Typed::whole;
    std::int64_t deadline = 0;
    std::size_t max_bytes = 0;
  };
  using Texts = std::map<WaitId, TextWait>;
  using Commands = std::map<WaitId, CommandWait>;

  [[nodiscard]] Result<TextWait> make_text(const TextWaitSpec& spec, const Anchor& from,
                                           const WaitContext& context) const;
  Result<> add_scans(TextWait& wait, const TextWaitSpec& spec, const Cursor& from) const;
  void count_scans(const TextWait& wait);
  void discount_scans(const TextWait& wait);
  [[nodiscard]] Verdicts verdicts(const Scan& scan) const;
  template <typename Visit>
  void for_each_scan(Visit&& visit);
  static void note(TextWait& wait, const Scan& scan, const std::optional<Cursor>& end);
  void look(Look what, const WaitContext& context);
  std::size_t join_scans(Sequence end);
  void read_shared(Sequence end);
  void look_together(Look what, Sequence end);
  void look_at_row(Sequence seq);
  void answer_matches(const WaitContext& context);
  Texts::iterator answer(Texts::iterator wait, WaitReason reason, const WaitContext& context);
  Texts::iterator answer_match(Texts::iterator wait, const Match& match,
                               const WaitContext& context);
  Texts::iterator finish(Texts::iterator wait, TextWaitDone done, const WaitContext& context);
  Commands::iterator answer(Commands::iterator wait, bool timed_out, const WaitContext& context);
  [[nodiscard]] Anchor start_of(const TextWait& wait) const;
  [[nodiscard]] std::size_t answer_limit(std::size_t max_bytes) const;
  [[nodiscard]] std::int64_t due(const TextWait& wait) const;

  const RowSource& rows_;
  const TextReader& reader_;
  const Journal& journal_;
  Texts texts_;
  Commands commands_;
  SharedRows shared_;
  SharedLines shared_lines_;
  std::int64_t last_output_ = INT64_MIN;
  WaitId next_id_ = 1;
  std::size_t scanning_ = 0;
  std::size_t expressions_ = 0;  // of those
  std::size_t answered_bytes_ = 0;
  bool child_exited_ = false;
  bool exited_ = false;
};

}  // namespace troupe::terminal
