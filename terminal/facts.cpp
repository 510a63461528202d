// SPDX-License-Identifier: MIT
#include "terminal/facts.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "terminal/search.hpp"

namespace troupe::terminal {

Facts::Facts(const RowSource& rows, const TerminalOptions& options)
    : rows_(rows),
      journal_on_(options.journal),
      reader_(rows, options.output_max),
      journal_(rows, {options.journal_max, options.command_max, options.output_max}, options.nonce),
      waits_(rows, reader_, journal_),
      titles_(options.title),
      directory_(options.host_name) {}

// -- events --------------------------------------------------------------------------------------

void Facts::begin(const Now& now, StreamOffset at, Effects& out) {
  now_ = now;
  seen_ = tail_ = at;
  out_ = &out;
  waits_.begin_event();
}

void Facts::end(StreamOffset tail) {
  const bool any = tail != tail_;
  seen_ = tail_ = tail;
  if (any) {
    waits_.output_seen(context());
  }
  out_ = nullptr;
}

WaitContext Facts::context(const Now& now, Effects& out) const {
  return {now, seen_, std::max(tail_, seen_), &out};
}

void Facts::mark(std::string_view payload, StreamOffset begin, StreamOffset end, bool printed) {
  assert(out_ != nullptr);
  seen_ = end;
  if (const auto path = parse_cwd_property(payload)) {
    directory_.osc633(*path);
  }
  if (!journal_on_) {
    return;
  }
  if (printed) {
    journal_.text_printed();
  }
  if (const auto parsed = parse_mark(payload)) {
    apply(journal_.mark(*parsed, {begin, end}, directory_, now_.wall_ms), end);
  }
}

void Facts::apply(const JournalChange& change, StreamOffset end) {
  if (change.finished) {
    if (auto record = journal_.record(*change.finished, end)) {
      out_->push_back({end, CommandFinished{std::move(*record)}});
    }
    waits_.command_finished(*change.finished, context());
  }
  if (change.started) {
    if (auto record = journal_.record(*change.started, end)) {
      out_->push_back({end, CommandStarted{std::move(*record)}});
    }
    waits_.command_started(*change.started);
  }
  if (change.continued) {
    waits_.command_continued(context());
  }
}

void Facts::title(std::string_view text, StreamOffset end) {
  seen_ = end;
  if (titles_.set_program(text)) {
    out_->push_back({end, TitleChanged{titles_.effective()}});
  }
}

void Facts::working_directory(std::string_view url) {
  directory_.osc7(url);
}

void Facts::reply(std::string_view bytes) {
  // A flood of queries is one effect, not one for each.
  if (!out_->empty()) {
    if (auto* last = std::get_if<Reply>(&out_->back().what)) {
      last->bytes += bytes;
      return;
    }
  }
  out_->push_back({seen_, Reply{std::string(bytes)}});
}

void Facts::line_finished() {
  waits_.line_finished(context());
}

void Facts::child_exited(const Now& now, Effects& out) {
  begin(now, std::max(tail_, seen_), out);
  if (journal_on_) {
    apply(journal_.exited(tail_, now.wall_ms), tail_);
  }
  waits_.child_exited(context());
  out_ = nullptr;
}

void Facts::ended(const Now& now, Effects& out) {
  begin(now, std::max(tail_, seen_), out);
  if (journal_on_) {
    apply(journal_.exited(tail_, now.wall_ms), tail_);
  }
  waits_.exited(context());
  out_ = nullptr;
}

void Facts::restarted(std::string nonce) {
  journal_.restart(std::move(nonce));
  directory_.reset();
  waits_.restarted();
}

void Facts::expire(const Now& now, Effects& out) {
  waits_.begin_event();
  waits_.expire(context(now, out));
}

void Facts::rename(std::optional<std::string> title, Effects& out) {
  if (titles_.set_user(std::move(title))) {
    out.push_back({tail_, TitleChanged{titles_.effective()}});
  }
}

// -- requests ------------------------------------------------------------------------------------

Result<> Facts::enabled() const {
  if (!journal_on_) {
    return Error{Code::disabled, "the journal is switched off"};
  }
  return success();
}

Result<JournalListing> Facts::journal(std::optional<std::uint64_t> from_index, std::size_t limit,
                                      bool tail) const {
  if (auto on = enabled(); !on) {
    return on.error();
  }
  if (tail && from_index) {
    return Error{Code::bad_request, "tail takes no from_index"};
  }
  return journal_.list(from_index, limit, tail, tail_);
}

Result<CommandOutput> Facts::output(const CommandSpec& index,
                                    const std::optional<CursorSpec>& cursor,
                                    std::size_t max_bytes) const {
  if (auto on = enabled(); !on) {
    return on.error();
  }
  if (std::holds_alternative<CommandNext>(index)) {
    return Error{Code::bad_request, "output takes a number or \"latest\""};
  }
  const auto* number = std::get_if<std::uint64_t>(&index);
  const auto wanted = number != nullptr ? std::optional(*number) : journal_.latest_index();
  auto record = wanted ? journal_.record(*wanted, tail_) : std::nullopt;
  if (!record) {
    return Error{Code::not_found, "no such command"};
  }
  Anchor from = reader_.output_start(*record);
  if (cursor) {
    auto given = reader_.resolve(*cursor);
    if (!given) {
      return given.error();
    }
    // A page is of this command: what stands before its output is not.
    if (std::pair(given->at.seq, given->at.col) > std::pair(from.at.seq, from.at.col)) {
      from = *given;
    }
  }
  CommandOutput result;
  result.slice = record->running ? reader_.read_open(from, max_bytes)
                                 : reader_.read_until(from, record->end, max_bytes);
  result.record = std::move(*record);
  return result;
}

Result<TextSlice> Facts::since(const CursorSpec& cursor, std::size_t max_bytes) const {
  if (auto on = enabled(); !on) {
    return on.error();
  }
  const auto from = reader_.resolve(cursor);
  if (!from) {
    return from.error();
  }
  if (std::holds_alternative<CursorNow>(cursor) || from->future) {
    return reader_.read_until(*from, from->at, max_bytes);
  }
  return reader_.read_open(*from, max_bytes);
}

Result<HistorySlice> Facts::history(const std::optional<CursorSpec>& cursor,
                                    std::optional<std::size_t> rows, HistoryFormat format) const {
  std::optional<Anchor> from;
  if (cursor) {
    auto resolved = reader_.resolve(*cursor);
    if (!resolved) {
      return resolved.error();
    }
    from = *resolved;
  }
  return reader_.history(from, rows, format);
}

Result<SearchSlice> Facts::search(const SearchSpec& spec) const {
  return terminal::search(rows_, reader_, spec);
}

Result<WaitId> Facts::arm_text_wait(const TextWaitSpec& spec, const Now& now, Effects& out) {
  if (auto on = enabled(); !on) {
    return on.error();
  }
  waits_.begin_event();
  return waits_.arm_text(spec, context(now, out));
}

Result<WaitId> Facts::arm_journal_wait(const CommandSpec& index, std::int64_t timeout_ms,
                                       const Now& now, Effects& out) {
  if (auto on = enabled(); !on) {
    return on.error();
  }
  waits_.begin_event();
  return waits_.arm_command(index, timeout_ms, context(now, out));
}

Result<WaitId> Facts::arm_run(std::int64_t timeout_ms, std::size_t max_bytes, const Now& now,
                              Effects& out, Typed typed) {
  if (auto on = enabled(); !on) {
    return on.error();
  }
  waits_.begin_event();
  return waits_.arm_run(timeout_ms, max_bytes, context(now, out), typed);
}

}  // namespace troupe::terminal
