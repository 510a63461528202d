// SPDX-License-Identifier: MIT
#include "terminal/terminal.hpp"

#include <algorithm>
#include <utility>

#include "terminal/facts.hpp"
#include "terminal/keys.hpp"
#include "terminal/output_log.hpp"

namespace troupe::terminal {
namespace {

/// One feed's effects are bounded by its bytes: a mark has eight, and its record some hundred.
constexpr std::size_t max_feed_bytes = 64U * 1024;

}  // namespace

class TerminalImpl {
 public:
  TerminalImpl(Size size, const TerminalOptions& options)
      : screen(size, options.screen), log(options.log_bytes), facts(screen, options) {}

  FeedResult feed(std::string_view bytes, Now now, std::size_t work_budget, Effects& out) {
    bytes = bytes.substr(0, max_feed_bytes);
    if (facts.wants_lines() != watching) {
      watching = !watching;
      screen.watch_lines(watching);
    }
    facts.begin(now, log.tail(), out);
    const FeedResult result = screen.feed(bytes, log.tail(), work_budget, facts);
    log.append(bytes.substr(0, result.consumed));
    facts.end(log.tail());
    return result;
  }

  Screen screen;
  OutputLog log;
  Facts facts;
  bool watching = false;
};

Terminal::Terminal(Size size, TerminalOptions options)
    : impl_(std::make_unique<TerminalImpl>(size, options)) {}
Terminal::Terminal(Terminal&&) noexcept = default;
Terminal& Terminal::operator=(Terminal&&) noexcept = default;
Terminal::~Terminal() = default;

FeedResult Terminal::feed(std::string_view bytes, Now now, std::size_t work_budget, Effects& out) {
  return impl_->feed(bytes, now, work_budget, out);
}

Size Terminal::resize(Size size, Now /*now*/, Effects& /*out*/) {
  impl_->facts.before_resize();
  const Size effective = impl_->screen.resize(size);
  impl_->facts.after_resize();
  return effective;
}

void Terminal::child_exited(Now now, Effects& out) {
  impl_->facts.child_exited(now, out);
}

void Terminal::ended(Now now, Effects& out) {
  impl_->facts.ended(now, out);
}

void Terminal::restarted(Now /*now*/, std::string nonce, Effects& /*out*/) {
  impl_->screen.restart();
  impl_->facts.restarted(std::move(nonce));
}

void Terminal::expire(Now now, Effects& out) {
  impl_->facts.expire(now, out);
}

std::optional<std::int64_t> Terminal::next_deadline() const {
  return impl_->facts.next_deadline();
}

const Screen& Terminal::screen() const {
  return impl_->screen;
}

Size Terminal::size() const {
  return impl_->screen.size();
}

StreamOffset Terminal::head() const {
  return impl_->log.head();
}

StreamOffset Terminal::tail() const {
  return impl_->log.tail();
}

Result<ReplaySlice> Terminal::replay(StreamOffset offset) const {
  return impl_->log.read(offset);
}

const std::string& Terminal::title() const {
  return impl_->facts.titles().effective();
}

const std::optional<std::string>& Terminal::user_title() const {
  return impl_->facts.titles().user();
}

void Terminal::rename(std::optional<std::string> title, Effects& out) {
  impl_->facts.rename(std::move(title), out);
}

const std::optional<std::string>& Terminal::cwd() const {
  return impl_->facts.directory().path();
}

CwdSource Terminal::cwd_source() const {
  return impl_->facts.directory().source();
}

Result<JournalListing> Terminal::journal(std::optional<std::uint64_t> from_index, std::size_t limit,
                                         bool tail) const {
  return impl_->facts.journal(from_index, limit, tail);
}

Result<CommandOutput> Terminal::output(const CommandSpec& index,
                                       const std::optional<CursorSpec>& cursor,
                                       std::size_t max_bytes) const {
  return impl_->facts.output(index, cursor, max_bytes);
}

Result<TextSlice> Terminal::since(const CursorSpec& cursor, std::size_t max_bytes) const {
  return impl_->facts.since(cursor, max_bytes);
}

Result<HistorySlice> Terminal::history(const std::optional<CursorSpec>& cursor,
                                       std::optional<std::size_t> rows,
                                       HistoryFormat format) const {
  return impl_->facts.history(cursor, rows, format);
}

Result<SearchSlice> Terminal::search(const SearchSpec& spec) const {
  return impl_->facts.search(spec);
}

Result<WaitId> Terminal::arm_text_wait(const TextWaitSpec& spec, Now now, Effects& out) {
  return impl_->facts.arm_text_wait(spec, now, out);
}

Result<WaitId> Terminal::arm_journal_wait(const CommandSpec& index, std::int64_t timeout_ms,
                                          Now now, Effects& out) {
  return impl_->facts.arm_journal_wait(index, timeout_ms, now, out);
}

Result<WaitId> Terminal::arm_run(std::string_view text, std::int64_t timeout_ms,
                                 std::size_t max_bytes, Now now, Effects& out) {
  return impl_->facts.arm_run(timeout_ms, max_bytes, now, out,
                              how_typed(text, impl_->screen.input_modes()));
}

std::string Terminal::run_input(std::string_view text) const {
  return terminal::run_input(text, impl_->screen.input_modes());
}

void Terminal::cancel_wait(WaitId wait) {
  impl_->facts.cancel_wait(wait);
}

std::size_t Terminal::pending_waits() const {
  return impl_->facts.pending_waits();
}

Result<std::string> Terminal::encode_keys(const std::vector<std::string>& keys) const {
  return terminal::encode_keys(keys, impl_->screen.input_modes());
}

std::string Terminal::encode_paste(std::string_view text) const {
  return terminal::encode_paste(text, impl_->screen.input_modes());
}

std::size_t Terminal::memory_bytes() const {
  return impl_->screen.memory_bytes() + impl_->log.memory_bytes() + impl_->facts.memory_bytes();
}

}  // namespace troupe::terminal
