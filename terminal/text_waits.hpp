// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Who waits for text of one terminal: for a needle or an expression, for idleness, any output or
/// the exit. Hundreds may wait on one terminal, so what they scan is read once for all of them: a
/// scan reads by itself until it has caught up, then joins the others.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "terminal/requests.hpp"
#include "terminal/row_scanner.hpp"
#include "terminal/shared_lines.hpp"
#include "terminal/text_reader.hpp"
#include "terminal/wait_clock.hpp"
#include "terminal/wait_context.hpp"

namespace troupe::terminal {

/// The pending waits for text.
///
/// Threads: that of the terminal value. Borrows rows, reader and budget.
/// Bounds: those of `Waits`; of the text each wait holds no more than its matchers.
/// Order: a wait is answered exactly once, or cancelled; those of one look in the order of the
///   stream.
class TextWaits {
 public:
  TextWaits(const RowSource& rows, const TextReader& reader, AnswerBudget& budget)
      : rows_(rows), reader_(reader), budget_(budget), shared_(rows) {}

  /// `from` is the spec's cursor, resolved.
  Result<> arm(WaitId id, const TextWaitSpec& spec, const Anchor& from, const WaitContext& context);
  void cancel(WaitId id);

  /// Rows were left by line feeds (see `ScreenEvents::line_finished`).
  void line_finished(const WaitContext& context);
  /// The end of a chunk that had output.
  void output_seen(const WaitContext& context);
  void before_resize();
  void after_resize();
  /// The child is dead: answers those who wait for that. More text may come.
  void child_exited(const WaitContext& context);
  /// No more text comes.
  void exited(const WaitContext& context);
  void restarted() { child_exited_ = exited_ = false; }
  void expire(const WaitContext& context);

  [[nodiscard]] std::optional<std::int64_t> next_deadline() const { return clock_.next(); }
  [[nodiscard]] std::size_t size() const { return waits_.size(); }
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
  struct Wait {
    Place from;
    bool evicted = false;
    std::vector<Scan> scans;     // for the needle, for the regex, or none
    std::optional<Match> match;  // of the present look: the one that ends first
    WaitTiming timing;
    bool exit = false;
    bool any_output = false;
    std::size_t max_bytes = 0;
  };
  using Pending = std::map<WaitId, Wait>;

  [[nodiscard]] Result<Wait> make_wait(const TextWaitSpec& spec, const Anchor& from,
                                       const WaitContext& context) const;
  Result<> add_scans(Wait& wait, const TextWaitSpec& spec, const Cursor& from) const;
  void enter(WaitId id, const Wait& wait);
  void leave(WaitId id, const Wait& wait);
  [[nodiscard]] Verdicts verdicts(const Scan& scan) const;
  template <typename Visit>
  void for_each_scan(Visit&& visit);
  static void note(Wait& wait, const Scan& scan, const std::optional<Cursor>& end);
  void look(Look what, const WaitContext& context);
  std::size_t join_scans(Sequence end);
  void read_shared(Sequence end);
  void look_together(Look what, Sequence end);
  void look_at_row(Sequence seq);
  void answer_matches(const WaitContext& context);
  Pending::iterator answer(Pending::iterator wait, WaitReason reason, const WaitContext& context);
  Pending::iterator answer_match(Pending::iterator wait, const Match& match,
                                 const WaitContext& context);
  Pending::iterator finish(Pending::iterator wait, TextWaitDone done, const WaitContext& context);
  [[nodiscard]] Anchor start_of(const Wait& wait) const;
  [[nodiscard]] std::size_t answer_limit(const Wait& wait) const;

  const RowSource& rows_;
  const TextReader& reader_;
  AnswerBudget& budget_;
  Pending waits_;
  SharedRows shared_;
  SharedLines shared_lines_;
  WaitClock clock_;
  std::size_t scanning_ = 0;
  std::size_t expressions_ = 0;  // of those
  bool child_exited_ = false;
  bool exited_ = false;
};

}  // namespace troupe::terminal
