// SPDX-License-Identifier: MIT

/// @file
/// What goes to a terminal's program, and who may give it a size: input with its bound and its
/// acknowledgement, control, resizing.

#include <algorithm>
#include <string>
#include <utility>

#include "actors/telemetry_words.hpp"
#include "actors/terminal_core.hpp"

namespace troupe::actors {
namespace {

// Small writes are not worth a message when the program took them; so many bytes of them may be
// counted too long.
constexpr std::size_t numbered_write_bytes = 4096;
constexpr std::size_t unnumbered_limit_bytes = 16U * 1024;

}  // namespace

// -- input ---------------------------------------------------------------------------------------

Result<> TerminalCore::write_input(std::string bytes, const ReplyTo& to, bool ack, Origin origin) {
  if (input_is_over() || bytes.empty()) {
    return success();
  }
  std::size_t const size = bytes.size();
  if (queued_input_ + size > input_limit_bytes) {
    return Error{Code::busy, "the program does not read its input: too much is waiting"};
  }
  queued_input_ += size;
  ports_.telemetry->input(connector_, size);
  pty::WriteId id = 0;
  if (ack || size >= numbered_write_bytes || unnumbered_input_ >= unnumbered_limit_bytes) {
    id = ++last_write_;
    PendingWrite write{to, std::exchange(unnumbered_input_, 0), size, {}, ack};
    if (ack && input_span_) {
      write.since = input_span_->since;  // it lasts until the program took the input
      input_span_.reset();
    }
    if (ack) {
      answered_writes_.emplace(to.key, id);
    }
    writes_.emplace(id, std::move(write));
  } else {
    unnumbered_input_ += size;
  }
  std::uint64_t const note = note_input(bytes, origin);
  ports_.channel->write(std::move(bytes), id, note);
  return success();
}

void TerminalCore::on_written(const pty::Written& written, Moment now) {
  auto node = writes_.extract(written.id);
  if (node.empty()) {
    return;
  }
  const PendingWrite& write = node.mapped();
  queued_input_ -= std::min(queued_input_, write.bytes_before + write.bytes);
  if (write.since) {
    report_input(*write.since, now,
                 written.complete ? std::string_view{} : protocol::to_text(Code::exited));
  }
  if (!write.answer) {
    return;
  }
  answered_writes_.erase(write.to.key);
  if (written.complete) {
    protocol::reply::Ok ok;
    ok.written = written.written;
    write.to(ok);
  } else {
    protocol::reply::Error error{
        Error{Code::exited, "the terminal ended before it took the input"}};
    error.written = written.written;
    write.to(error);
  }
}

void TerminalCore::report_input(Moment since, Moment now, std::string_view error) const {
  ports_.telemetry->span(span_between(
      {telemetry::SpanName::send_input, connector_, config_.info.id}, since, now, error));
}

// -- size and control ----------------------------------------------------------------------------

Result<> TerminalCore::check_size(terminal::Size size) const {
  if (size.cols == 0 || size.rows == 0) {
    return Error{Code::bad_request, "terminal dimensions must be positive"};
  }
  if (std::uint32_t{std::max<std::uint16_t>(size.cols, 2)} * size.rows > terminal::max_cells) {
    return Error{Code::too_large,
                 "a terminal has at most " + std::to_string(terminal::max_cells) + " cells"};
  }
  return success();
}

void TerminalCore::resize_to(terminal::Size size, Moment now) {
  flush(now);
  answer_all_screen_reads();  // they asked for the screen before
  terminal::Effects effects;
  asked_size_ = size;
  terminal::Size const effective = terminal_.resize(size, terminal_now(now), effects);
  ports_.channel->resize({effective.cols, effective.rows});
  if (recorded()) {
    recording_->port->resize({effective.cols, effective.rows});
  }
  info_dirty_ = true;
  broadcast_resized(now);
  apply_effects(effects, now);
}

Result<> TerminalCore::take_control(const std::string& attachment_id, terminal::Size size,
                                    Moment now) {
  if (Result<> allowed = check_size(size); !allowed) {
    return allowed;
  }
  Result<ControlChange> change = subscribers_.promote(attachment_id);
  if (!change) {
    return change.error();
  }
  if (change->controller_changed) {
    announce_controller(now);
  }
  if (size != asked_size_ && size != terminal_.size()) {
    resize_to(size, now);
  }
  return success();
}

}  // namespace troupe::actors
