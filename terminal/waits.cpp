// SPDX-License-Identifier: MIT
#include "terminal/waits.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace troupe::terminal {
namespace {

Result<> check_limits(std::int64_t timeout_ms, std::size_t pending) {
  if (timeout_ms < 0) {
    return Error{Code::bad_request, "the timeout is negative"};
  }
  if (pending >= max_pending_waits) {
    return Error{Code::limit, "too many waits on this terminal"};
  }
  return success();
}

std::int64_t deadline_after(const Now& now, std::int64_t timeout_ms) {
  return now.steady_ms + std::min(timeout_ms, max_timeout_ms);
}

Error not_found(const char* message) {
  return {Code::not_found, message};
}

constexpr const char* continued_message =
    "the shell waits for the rest of a command line (an open quote, bracket or here-document); "
    "the key ctrl+c ends it";

}  // namespace

// -- waits for text ------------------------------------------------------------------------------

Result<Waits::TextWait> Waits::make_text(const TextWaitSpec& spec, const Anchor& from,
                                         const WaitContext& context) const {
  if (auto checked = check_limits(spec.timeout_ms, size()); !checked) {
    return checked.error();
  }
  if (spec.idle_ms && *spec.idle_ms < 0) {
    return Error{Code::bad_request, "idle_ms is negative"};
  }
  TextWait wait;
  if (auto added = add_scans(wait, spec, from.at); !added) {
    return added.error();
  }
  wait.from = make_place(rows_, from.at);
  wait.evicted = from.evicted;
  wait.idle_ms = spec.idle_ms;
  wait.exit = spec.exit;
  wait.any_output = wait.scans.empty() && !spec.idle_ms && !spec.exit;
  wait.armed = context.now.steady_ms;
  wait.deadline = deadline_after(context.now, spec.timeout_ms);
  wait.max_bytes = spec.max_bytes;
  return wait;
}

Result<> Waits::add_scans(TextWait& wait, const TextWaitSpec& spec, const Cursor& from) const {
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

void Waits::count_scans(const TextWait& wait) {
  scanning_ += wait.scans.size();
  for (const Scan& scan : wait.scans) {
    expressions_ += scan.expression ? 1U : 0U;
  }
}

void Waits::discount_scans(const TextWait& wait) {
  scanning_ -= wait.scans.size();
  for (const Scan& scan : wait.scans) {
    expressions_ -= scan.expression ? 1U : 0U;
  }
}

Verdicts Waits::verdicts(const Scan& scan) const {
  return scan.expression ? shared_lines_.verdicts(*scan.expression) : Verdicts{};
}

/// Keeps the match that ends first.
void Waits::note(TextWait& wait, const Scan& scan, const std::optional<Cursor>& end) {
  if (end && (!wait.match || std::pair(end->seq, end->col) <
                                 std::pair(wait.match->end.seq, wait.match->end.col))) {
    wait.match = Match{*end, scan.reason};
  }
}

Result<WaitId> Waits::arm_text(const TextWaitSpec& spec, const WaitContext& context) {
  auto from = reader_.resolve(spec.cursor);
  if (!from) {
    return from.error();
  }
  auto made = make_text(spec, *from, context);
  if (!made) {
    return made.error();
  }
  const WaitId id = next_id_++;
  const auto wait = texts_.emplace(id, std::move(made).value()).first;
  count_scans(wait->second);
  shared_.forget_row();
  for (Scan& scan : wait->second.scans) {
    note(wait->second, scan, scan.scanner.look(Look::cursor_row_too, rows_.cursor().seq, shared_));
  }
  if (wait->second.match) {
    answer_match(wait, *wait->second.match, context);
    return id;
  }
  if (wait->second.any_output && !std::holds_alternative<CursorNow>(spec.cursor) &&
      !reader_.read_open(*from, 1).text.empty()) {
    answer(wait, WaitReason::output, context);
  } else if (exited_ || (child_exited_ && spec.exit)) {
    answer(wait, WaitReason::exit, context);
  } else if (due(wait->second) <= context.now.steady_ms) {
    answer(wait, wait->second.idle_ms == 0 ? WaitReason::idle : WaitReason::timeout, context);
  }
  return id;
}

std::int64_t Waits::due(const TextWait& wait) const {
  const std::int64_t since = std::max(wait.armed, last_output_);
  return wait.idle_ms && *wait.idle_ms < wait.deadline - since ? since + *wait.idle_ms
                                                               : wait.deadline;
}

std::size_t Waits::answer_limit(std::size_t max_bytes) const {
  const std::size_t left =
      max_event_answer_bytes - std::min(answered_bytes_, max_event_answer_bytes);
  return std::min(reader_.limit(max_bytes), std::max(left, min_answer_bytes));
}

Anchor Waits::start_of(const TextWait& wait) const {
  Anchor from = reader_.resolve(wait.from);
  from.evicted = from.evicted || wait.evicted;
  return from;
}

Waits::Texts::iterator Waits::finish(Texts::iterator wait, TextWaitDone done,
                                     const WaitContext& context) {
  done.wait = wait->first;
  answered_bytes_ += done.slice.text.size();
  context.out->push_back({context.offset, std::move(done)});
  discount_scans(wait->second);
  return texts_.erase(wait);
}

Waits::Texts::iterator Waits::answer_match(Texts::iterator wait, const Match& match,
                                           const WaitContext& context) {
  TextWaitDone done;
  done.slice =
      reader_.read_until(start_of(wait->second), match.end, answer_limit(wait->second.max_bytes));
  // The search is not bounded by the reply: a match behind a cut text is still one.
  done.slice.next = match.end;
  done.matched = true;
  done.reason = match.reason;
  return finish(wait, std::move(done), context);
}

Waits::Texts::iterator Waits::answer(Texts::iterator wait, WaitReason reason,
                                     const WaitContext& context) {
  TextWaitDone done;
  done.slice = reader_.read_open(start_of(wait->second), answer_limit(wait->second.max_bytes));
  done.reason = reason;
  done.matched = reason == WaitReason::idle || reason == WaitReason::output ||
                 (reason == WaitReason::exit && wait->second.exit);
  return finish(wait, std::move(done), context);
}

template <typename Visit>
void Waits::for_each_scan(Visit&& visit) {
  for (auto& [id, wait] : texts_) {
    for (Scan& scan : wait.scans) {
      visit(wait, scan);
    }
  }
}

void Waits::look(Look what, const WaitContext& context) {
  if (scanning_ == 0) {
    return;
  }
  const Sequence end = what == Look::finished_rows ? rows_.finished_end() : rows_.cursor().seq;
  shared_.forget_row();
  const std::size_t joined = join_scans(end);
  if (joined < scanning_) {
    for_each_scan([&](TextWait& wait, Scan& scan) {
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
std::size_t Waits::join_scans(Sequence end) {
  std::size_t joined = 0;
  for_each_scan([&](TextWait&, const Scan& scan) { joined += scan.scanner.joined() ? 1U : 0U; });
  if (joined > 0 && !shared_.continues()) {
    for_each_scan([](TextWait&, Scan& scan) { scan.scanner.leave(); });
    return 0;
  }
  if (joined == scanning_) {
    return joined;
  }
  for_each_scan([&](TextWait&, Scan& scan) {
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
void Waits::look_together(Look what, Sequence end) {
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
  for_each_scan([&](TextWait& wait, Scan& scan) {
    if (scan.scanner.joined() && !wait.match) {
      note(wait, scan, scan.scanner.peek_row(*row, verdicts(scan).first));
    }
  });
}

void Waits::look_at_row(Sequence seq) {
  if (rows_.row_at_or_after(seq) != seq) {
    return;
  }
  const WholeRow row = whole_row(rows_, seq);
  shared_lines_.look_at(row.line, expressions_);
  for_each_scan([&](TextWait& wait, Scan& scan) {
    if (scan.scanner.joined() && verdicts(scan).first == Verdict::possible) {
      note(wait, scan, scan.scanner.find_in(row));
    }
  });
}

void Waits::read_shared(Sequence end) {
  constexpr std::size_t worth_gathering = 4;  // scans
  constexpr std::size_t worth_bytes = 1024;
  while (shared_.read_before(end)) {
    std::optional<GramSet> grams;
    if (scanning_ >= worth_gathering && shared_.text().size() >= worth_bytes) {
      grams.emplace(shared_.text());
    }
    shared_lines_.take(shared_.text(), expressions_);
    for_each_scan([&](TextWait& wait, Scan& scan) {
      // A wait with a match is over, but its other scan may end first within this piece.
      if (scan.scanner.joined()) {
        note(wait, scan, scan.scanner.take(shared_, {grams ? &*grams : nullptr, verdicts(scan)}));
      }
    });
    for_each_scan([](const TextWait& wait, Scan& scan) {
      if (wait.match) {
        scan.scanner.leave();
      }
    });
  }
}

/// In the order of the stream; those that end at the same place in the order of arming.
void Waits::answer_matches(const WaitContext& context) {
  std::vector<Texts::iterator> matched;
  for (auto wait = texts_.begin(); wait != texts_.end(); ++wait) {
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

void Waits::line_finished(const WaitContext& context) {
  look(Look::finished_rows, context);
}

void Waits::output_seen(const WaitContext& context) {
  if (texts_.empty()) {
    return;
  }
  look(Look::cursor_row_too, context);
  last_output_ = context.now.steady_ms;
  for (auto wait = texts_.begin(); wait != texts_.end();) {
    wait = wait->second.any_output ? answer(wait, WaitReason::output, context) : std::next(wait);
  }
}

void Waits::before_resize() {
  for (auto& [id, wait] : texts_) {
    for (Scan& scan : wait.scans) {
      scan.scanner.before_resize();
    }
  }
}

void Waits::after_resize() {
  for (auto& [id, wait] : texts_) {
    for (Scan& scan : wait.scans) {
      scan.scanner.after_resize();
    }
  }
}

// -- waits for commands --------------------------------------------------------------------------

Result<WaitId> Waits::arm_command(const CommandSpec& spec, std::int64_t timeout_ms,
                                  const WaitContext& context) {
  if (auto checked = check_limits(timeout_ms, size()); !checked) {
    return checked.error();
  }
  CommandWait wait;
  wait.deadline = deadline_after(context.now, timeout_ms);
  if (std::holds_alternative<CommandLatest>(spec)) {
    wait.index = journal_.running_index();
  } else if (std::holds_alternative<CommandNext>(spec)) {
    wait.index = journal_.next_index();
  } else {
    wait.index = std::get<std::uint64_t>(spec);
  }
  const bool pending =
      !wait.index || *wait.index >= journal_.next_index() || journal_.running_index() == wait.index;
  const WaitId id = next_id_++;
  const auto armed = commands_.emplace(id, wait).first;
  if (!pending || child_exited_) {
    answer(armed, false, context);
  } else if (wait.deadline <= context.now.steady_ms) {
    answer(armed, true, context);
  }
  return id;
}

Result<WaitId> Waits::arm_run(std::int64_t timeout_ms, std::size_t max_bytes,
                              const WaitContext& context, Typed typed) {
  if (auto checked = check_limits(timeout_ms, size()); !checked) {
    return checked.error();
  }
  if (child_exited_) {
    return Error{Code::exited, "the terminal's program has exited"};
  }
  if (journal_.continued()) {
    return Error{Code::busy, continued_message};
  }
  const bool waiting = std::any_of(commands_.begin(), commands_.end(), [](const auto& entry) {
    return entry.second.run && !entry.second.index;
  });
  if (journal_.running_index() || waiting) {
    return Error{Code::busy, "a command is running"};
  }
  CommandWait wait;
  wait.run = true;
  wait.typed = typed;
  wait.deadline = deadline_after(context.now, timeout_ms);
  wait.max_bytes = max_bytes;
  const WaitId id = next_id_++;
  const auto armed = commands_.emplace(id, wait).first;
  if (wait.deadline <= context.now.steady_ms) {
    answer(armed, true, context);
  }
  return id;
}

Waits::Commands::iterator Waits::answer(Commands::iterator wait, bool timed_out,
                                        const WaitContext& context) {
  const auto& [id, what] = *wait;
  auto record = what.index ? journal_.record(*what.index, context.tail) : std::nullopt;
  if (what.run) {
    RunDone done;
    done.wait = id;
    done.timed_out = timed_out;
    if (record) {
      const Anchor from = reader_.output_start(*record);
      const std::size_t limit = answer_limit(what.max_bytes);
      done.slice = record->running ? reader_.read_open(from, limit)
                                   : reader_.read_until(from, record->end, limit);
      answered_bytes_ += done.slice.text.size();
    } else {
      done.slice.start = done.slice.next = rows_.cursor();
    }
    done.record = std::move(record);
    context.out->push_back({context.offset, std::move(done)});
  } else if (record) {
    context.out->push_back(
        {context.offset, JournalWaitDone{id, std::move(*record), timed_out && record->running}});
  } else {
    context.out->push_back(
        {context.offset, JournalWaitDone{id, not_found("no such command"), timed_out}});
  }
  return commands_.erase(wait);
}

void Waits::command_started(std::uint64_t index) {
  for (auto& [id, wait] : commands_) {
    if (!wait.index) {
      wait.index = index;
    }
  }
}

void Waits::command_continued(const WaitContext& context) {
  for (auto wait = commands_.begin(); wait != commands_.end();) {
    const CommandWait& what = wait->second;
    if (!what.run || what.index || what.typed != Typed::whole) {
      ++wait;
      continue;
    }
    RunDone done;
    done.wait = wait->first;
    done.error = Error{Code::bad_request, continued_message};
    context.out->push_back({context.offset, std::move(done)});
    wait = commands_.erase(wait);
  }
}

void Waits::command_finished(std::uint64_t index, const WaitContext& context) {
  for (auto wait = commands_.begin(); wait != commands_.end();) {
    wait = wait->second.index == index ? answer(wait, false, context) : std::next(wait);
  }
}

// -- both ----------------------------------------------------------------------------------------

void Waits::cancel(WaitId wait) {
  if (const auto text = texts_.find(wait); text != texts_.end()) {
    discount_scans(text->second);
    texts_.erase(text);
  }
  commands_.erase(wait);
}

void Waits::child_exited(const WaitContext& context) {
  child_exited_ = true;
  look(Look::cursor_row_too, context);
  for (auto wait = texts_.begin(); wait != texts_.end();) {
    wait = wait->second.exit ? answer(wait, WaitReason::exit, context) : std::next(wait);
  }
  for (auto wait = commands_.begin(); wait != commands_.end();) {
    wait = answer(wait, false, context);
  }
}

void Waits::exited(const WaitContext& context) {
  child_exited_ = exited_ = true;
  look(Look::cursor_row_too, context);
  for (auto wait = texts_.begin(); wait != texts_.end();) {
    wait = answer(wait, WaitReason::exit, context);
  }
  for (auto wait = commands_.begin(); wait != commands_.end();) {
    wait = answer(wait, false, context);
  }
}

void Waits::expire(const WaitContext& context) {
  for (auto wait = texts_.begin(); wait != texts_.end();) {
    const std::int64_t at = due(wait->second);
    if (at > context.now.steady_ms) {
      ++wait;
      continue;
    }
    wait =
        answer(wait, at < wait->second.deadline ? WaitReason::idle : WaitReason::timeout, context);
  }
  for (auto wait = commands_.begin(); wait != commands_.end();) {
    wait = wait->second.deadline <= context.now.steady_ms ? answer(wait, true, context)
                                                          : std::next(wait);
  }
}

std::optional<std::int64_t> Waits::next_deadline() const {
  std::optional<std::int64_t> earliest;
  const auto take = [&](std::int64_t at) { earliest = std::min(earliest.value_or(at), at); };
  for (const auto& [id, wait] : texts_) {
    take(due(wait));
  }
  for (const auto& [id, wait] : commands_) {
    take(wait.deadline);
  }
  return earliest;
}

}  // namespace troupe::terminal
