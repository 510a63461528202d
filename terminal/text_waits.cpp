// SPDX-License-Identifier: MIT
#include "terminal/text_waits.hpp"

#include <algorithm>
#include <utility>

namespace troupe::terminal {

// -- arming --------------------------------------------------------------------------------------

Result<TextWaits::Wait> TextWaits::make_wait(const TextWaitSpec& spec, const Anchor& from,
                                             const WaitContext& context) const {
  if (spec.idle_ms && *spec.idle_ms < 0) {
    return Error{Code::bad_request, "idle_ms is negative"};
  }
  Wait wait;
  if (auto added = add_scans(wait, spec, from.at); !added) {
    return added.error();
  }
  wait.from = make_place(rows_, from.at);
  wait.evicted = from.evicted;
  wait.exit = spec.exit;
  wait.any_output = wait.scans.empty() && !spec.idle_ms && !spec.exit;
  wait.timing = {context.now.steady_ms, context.deadline_after(spec.timeout_ms), spec.idle_ms};
  wait.max_bytes = spec.max_bytes;
  return wait;
}

Result<> TextWaits::add_scans(Wait& wait, const TextWaitSpec& spec, const Cursor& from) const {
  if (spec.needle) {
    if (auto checked = check_pattern(*spec.needle); !checked) {
      return checked;
    }
    wait.scans.push_back({RowScanner(rows_, std::make_unique<NeedleMatcher>(*spec.needle), from),
                          WaitReason::needle, nullptr});
  }
  if (spec.regex) {
    auto pattern = Pattern::compile(*spec.regex, Syntax::regex, Case::sensitive);
    if (!pattern) {
      return pattern.error();
    }
    auto shared = std::make_shared<const Pattern>(std::move(pattern).value());
    wait.scans.push_back({RowScanner(rows_, std::make_unique<LineMatcher>(shared), from),
                          WaitReason::regex, shared});
  }
  return success();
}

void TextWaits::enter(WaitId id, const Wait& wait) {
  clock_.add(id, wait.timing);
  scanning_ += wait.scans.size();
  for (const Scan& scan : wait.scans) {
    expressions_ += scan.expression ? 1U : 0U;
  }
}

void TextWaits::leave(WaitId id, const Wait& wait) {
  clock_.remove(id, wait.timing);
  scanning_ -= wait.scans.size();
  for (const Scan& scan : wait.scans) {
    expressions_ -= scan.expression ? 1U : 0U;
  }
}

Verdicts TextWaits::verdicts(const Scan& scan) const {
  return scan.expression ? shared_lines_.verdicts(*scan.expression) : Verdicts{};
}

/// Keeps the match that ends first.
void TextWaits::note(Wait& wait, const Scan& scan, const std::optional<Cursor>& end) {
  if (end && (!wait.match || std::pair(end->seq, end->col) <
                                 std::pair(wait.match->end.seq, wait.match->end.col))) {
    wait.match = Match{*end, scan.reason};
  }
}

Result<> TextWaits::arm(WaitId id, const TextWaitSpec& spec, const Anchor& from,
                        const WaitContext& context) {
  auto made = make_wait(spec, from, context);
  if (!made) {
    return made.error();
  }
  const auto wait = waits_.emplace(id, std::move(made).value()).first;
  enter(id, wait->second);
  shared_.forget_row();
  for (Scan& scan : wait->second.scans) {
    note(wait->second, scan, scan.scanner.look(Look::cursor_row_too, rows_.cursor().seq, shared_));
  }
  if (wait->second.match) {
    answer_match(wait, *wait->second.match, context);
  } else if (wait->second.any_output && !std::holds_alternative<CursorNow>(spec.cursor) &&
             !reader_.read_open(from, 1).text.empty()) {
    answer(wait, WaitReason::output, context);
  } else if (exited_ || (child_exited_ && spec.exit)) {
    answer(wait, WaitReason::exit, context);
  } else if (clock_.due(wait->second.timing) <= context.now.steady_ms) {
    answer(wait, wait->second.timing.idle_ms == 0 ? WaitReason::idle : WaitReason::timeout,
           context);
  }
  return success();
}

void TextWaits::cancel(WaitId id) {
  if (const auto wait = waits_.find(id); wait != waits_.end()) {
    leave(id, wait->second);
    waits_.erase(wait);
  }
}

// -- answers -------------------------------------------------------------------------------------

std::size_t TextWaits::answer_limit(const Wait& wait) const {
  return budget_.limit(reader_.limit(wait.max_bytes));
}

Anchor TextWaits::start_of(const Wait& wait) const {
  Anchor from = reader_.resolve(wait.from);
  from.evicted = from.evicted || wait.evicted;
  return from;
}

TextWaits::Pending::iterator TextWaits::finish(Pending::iterator wait, TextWaitDone done,
                                               const WaitContext& context) {
  done.wait = wait->first;
  budget_.take(done.slice.text.size());
  context.out->push_back({context.offset, std::move(done)});
  leave(wait->first, wait->second);
  return waits_.erase(wait);
}

TextWaits::Pending::iterator TextWaits::answer_match(Pending::iterator wait, const Match& match,
                                                     const WaitContext& context) {
  TextWaitDone done;
  done.slice = reader_.read_until(start_of(wait->second), match.end, answer_limit(wait->second));
  // The search is not bounded by the reply: a match behind a cut text is still one.
  done.slice.next = match.end;
  done.matched = true;
  done.reason = match.reason;
  return finish(wait, std::move(done), context);
}

TextWaits::Pending::iterator TextWaits::answer(Pending::iterator wait, WaitReason reason,
                                               const WaitContext& context) {
  TextWaitDone done;
  done.slice = reader_.read_open(start_of(wait->second), answer_limit(wait->second));
  done.reason = reason;
  done.matched = reason == WaitReason::idle || reason == WaitReason::output ||
                 (reason == WaitReason::exit && wait->second.exit);
  return finish(wait, std::move(done), context);
}

// -- scanning ------------------------------------------------------------------------------------

template <typename Visit>
void TextWaits::for_each_scan(Visit&& visit) {
  for (auto& [id, wait] : waits_) {
    for (Scan& scan : wait.scans) {
      visit(wait, scan);
    }
  }
}

void TextWaits::look(Look what, const WaitContext& context) {
  if (scanning_ == 0) {
    return;
  }
  const Sequence end = what == Look::finished_rows ? rows_.finished_end() : rows_.cursor().seq;
  shared_.forget_row();
  const std::size_t joined = join_scans(end);
  if (joined < scanning_) {
    for_each_scan([&](Wait& wait, Scan& scan) {
      if (!scan.scanner.joined()) {
        note(wait, scan, scan.scanner.look(what, end, shared_));
      }
    });
  }
  if (joined > 0) {
    look_together(what, end);
  }
  answer_matches(context);
}

/// Scans that have caught up read together from now on; returns how many do.
std::size_t TextWaits::join_scans(Sequence end) {
  std::size_t joined = 0;
  for_each_scan([&](Wait&, const Scan& scan) { joined += scan.scanner.joined() ? 1U : 0U; });
  if (joined > 0 && !shared_.continues()) {
    for_each_scan([](Wait&, Scan& scan) { scan.scanner.leave(); });
    return 0;
  }
  if (joined == scanning_) {
    return joined;
  }
  for_each_scan([&](Wait&, Scan& scan) {
    const Cursor& next = scan.scanner.next();
    if (scan.scanner.joined() || next.col != 0 || next.seq > end ||
        rows_.row_at_or_after(next.seq) != next.seq) {
      return;
    }
    if (joined == 0) {
      shared_.restart(next);
      shared_lines_.restart();
    }
    scan.scanner.join(shared_);
    joined += scan.scanner.joined() ? 1U : 0U;
  });
  return joined;
}

/// `RowScanner::look` for all scans that have joined, of rows that are fetched once.
void TextWaits::look_together(Look what, Sequence end) {
  const auto left = rows_.row_before(end);
  if (what == Look::finished_rows && left && *left < shared_.next().seq) {
    look_at_row(*left);
    return;
  }
  read_shared(end);
  if (what == Look::finished_rows) {
    return;
  }
  if (end != shared_.next().seq) {
    look_at_row(end);
    return;
  }
  const RowText* const row = shared_.row(end, 0);
  if (row == nullptr) {
    return;
  }
  shared_lines_.peek(row->text, expressions_);
  for_each_scan([&](Wait& wait, Scan& scan) {
    if (scan.scanner.joined() && !wait.match) {
      note(wait, scan, scan.scanner.peek_row(*row, verdicts(scan).first));
    }
  });
}

void TextWaits::look_at_row(Sequence seq) {
  if (rows_.row_at_or_after(seq) != seq) {
    return;
  }
  const WholeRow row = whole_row(rows_, seq);
  shared_lines_.look_at(row.line, expressions_);
  for_each_scan([&](Wait& wait, Scan& scan) {
    if (scan.scanner.joined() && verdicts(scan).first == Verdict::possible) {
      note(wait, scan, scan.scanner.find_in(row));
    }
  });
}

void TextWaits::read_shared(Sequence end) {
  constexpr std::size_t worth_gathering = 4;  // scans
  constexpr std::size_t worth_bytes = 1024;
  while (shared_.read_before(end)) {
    std::optional<GramSet> grams;
    if (scanning_ >= worth_gathering && shared_.text().size() >= worth_bytes) {
      grams.emplace(shared_.text());
    }
    shared_lines_.take(shared_.text(), expressions_);
    for_each_scan([&](Wait& wait, Scan& scan) {
      // A wait with a match is over, but its other scan may end first within this piece.
      if (scan.scanner.joined()) {
        note(wait, scan, scan.scanner.take(shared_, {grams ? &*grams : nullptr, verdicts(scan)}));
      }
    });
    for_each_scan([](const Wait& wait, Scan& scan) {
      if (wait.match) {
        scan.scanner.leave();
      }
    });
  }
}

/// In the order of the stream; those that end at the same place in the order of arming.
void TextWaits::answer_matches(const WaitContext& context) {
  std::vector<Pending::iterator> matched;
  for (auto wait = waits_.begin(); wait != waits_.end(); ++wait) {
    if (wait->second.match) {
      matched.push_back(wait);
    }
  }
  std::stable_sort(matched.begin(), matched.end(), [](const auto& a, const auto& b) {
    return a->second.match->end.seq < b->second.match->end.seq;
  });
  for (const auto& wait : matched) {
    answer_match(wait, Match{*wait->second.match}, context);
  }
}

// -- events --------------------------------------------------------------------------------------

void TextWaits::line_finished(const WaitContext& context) {
  look(Look::finished_rows, context);
}

void TextWaits::output_seen(const WaitContext& context) {
  if (waits_.empty()) {
    return;
  }
  look(Look::cursor_row_too, context);
  clock_.output_seen(context.now.steady_ms);
  for (auto wait = waits_.begin(); wait != waits_.end();) {
    wait = wait->second.any_output ? answer(wait, WaitReason::output, context) : std::next(wait);
  }
}

void TextWaits::before_resize() {
  for (auto& [id, wait] : waits_) {
    for (Scan& scan : wait.scans) {
      scan.scanner.before_resize();
    }
  }
}

void TextWaits::after_resize() {
  for (auto& [id, wait] : waits_) {
    for (Scan& scan : wait.scans) {
      scan.scanner.after_resize();
    }
  }
}

void TextWaits::child_exited(const WaitContext& context) {
  child_exited_ = true;
  look(Look::cursor_row_too, context);
  for (auto wait = waits_.begin(); wait != waits_.end();) {
    wait = wait->second.exit ? answer(wait, WaitReason::exit, context) : std::next(wait);
  }
}

void TextWaits::exited(const WaitContext& context) {
  child_exited_ = exited_ = true;
  look(Look::cursor_row_too, context);
  for (auto wait = waits_.begin(); wait != waits_.end();) {
    wait = answer(wait, WaitReason::exit, context);
  }
}

void TextWaits::expire(const WaitContext& context) {
  for (const WaitId id : clock_.due_by(context.now.steady_ms)) {
    const auto wait = waits_.find(id);
    const WaitTiming& timing = wait->second.timing;
    const bool idle = clock_.due(timing) < timing.deadline;
    answer(wait, idle ? WaitReason::idle : WaitReason::timeout, context);
  }
}

}  // namespace troupe::terminal
