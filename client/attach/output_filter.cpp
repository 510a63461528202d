// SPDX-License-Identifier: MIT
#include "client/attach/output_filter.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "client/attach/forward_policy.hpp"

namespace troupe::client {
namespace {

constexpr unsigned char escape_byte = 0x1b;

bool aborts(unsigned char value) {
  return value == 0x18 || value == 0x1a;
}

}  // namespace

void OutputFilter::restart() {
  state_ = State::ground;
  string_escape_ = false;
  overlong_ = false;
  utf8_.reset();
  buffer_.clear();
}

void OutputFilter::feed(std::string_view bytes, std::string& out) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (state_ == State::ground && !utf8_.pending()) {
      // Plain text is most of what programs print: it goes through in one piece.
      std::size_t end = at;
      while (end < bytes.size() && bytes[end] >= 0x20 && bytes[end] < 0x7f) {
        ++end;
      }
      out.append(bytes, at, end - at);
      at = end;
      if (at == bytes.size()) {
        return;
      }
    }
    byte(static_cast<unsigned char>(bytes[at++]), out);
  }
}

void OutputFilter::byte(unsigned char value, std::string& out) {
  switch (state_) {
    case State::ground:
      return ground(value, out);
    case State::escape:
      return escape(value, out);
    case State::escape_intermediate:
      return escape_intermediate(value, out);
    case State::csi:
      return csi(value, out);
    default:
      return string_byte(value, out);
  }
}

void OutputFilter::ground(unsigned char value, std::string& out) {
  if ((utf8_.pending() || value >= 0x80) && utf8_.take(value, out)) {
    return;
  }
  if (value >= 0x20 && value != 0x7f) {
    out += static_cast<char>(value);
  } else {
    control(value, out);
  }
}

void OutputFilter::control(unsigned char value, std::string& out) {
  if (value == escape_byte) {
    buffer_.clear();
    overlong_ = false;
    state_ = State::escape;
  } else if (value >= 0x07 && value <= 0x0f) {
    if (value == 0x0e) {
      modes_.shift_out();
    }
    out += static_cast<char>(value);
  }
}

void OutputFilter::escape(unsigned char value, std::string& out) {
  if (value < 0x20) {
    if (aborts(value)) {
      state_ = State::ground;
    } else {
      const State kept = state_;
      control(value, out);
      state_ = value == escape_byte ? state_ : kept;
    }
    return;
  }
  buffer_.clear();
  overlong_ = false;
  string_escape_ = false;
  switch (value) {
    case '[':
      state_ = State::csi;
      return;
    case ']':
      state_ = State::osc;
      return;
    case 'P':
      state_ = State::dcs_header;
      return;
    case '_':
      state_ = State::apc_header;
      return;
    case 'X':
    case '^':
      state_ = State::dropped_string;
      return;
    case 'c':
      full_reset(out);
      state_ = State::ground;
      return;
    default:
      break;
  }
  if (value <= 0x2f) {
    buffer_ += static_cast<char>(value);
    state_ = State::escape_intermediate;
    return;
  }
  state_ = State::ground;
  if (escape_allowed(static_cast<char>(value))) {
    modes_.escape(0, static_cast<char>(value));
    out += '\x1b';
    out += static_cast<char>(value);
  }
}

void OutputFilter::escape_intermediate(unsigned char value, std::string& out) {
  if (value < 0x20) {
    return escape(value, out);
  }
  if (value <= 0x2f) {
    buffer_ += static_cast<char>(value);
    overlong_ = true;  // no sequence with two of them is known to be worth forwarding
    buffer_.resize(1);
    return;
  }
  state_ = State::ground;
  if (!overlong_ && value < 0x7f &&
      escape_intermediate_allowed(buffer_[0], static_cast<char>(value))) {
    modes_.escape(buffer_[0], static_cast<char>(value));
    out += '\x1b';
    out += buffer_;
    out += static_cast<char>(value);
  }
}

void OutputFilter::csi(unsigned char value, std::string& out) {
  if (value < 0x20 || value >= 0x7f) {
    if (aborts(value)) {
      state_ = State::ground;
    } else if (value == escape_byte) {
      control(value, out);
    } else if (value < 0x20) {
      control(value, out);  // C0 inside a sequence acts at once
    } else {
      overlong_ = true;
    }
    return;
  }
  if (value >= 0x40) {
    buffer_ += static_cast<char>(value);
    state_ = State::ground;
    if (!overlong_) {
      finish_csi(out);
    }
    return;
  }
  if (buffer_.size() >= max_csi_bytes) {
    overlong_ = true;
  } else {
    buffer_ += static_cast<char>(value);
  }
}

void OutputFilter::finish_csi(std::string& out) {
  const std::string_view body{buffer_.data(), buffer_.size() - 1};
  ControlSequence sequence;
  sequence.final = buffer_.back();
  std::size_t start = 0;
  if (!body.empty() && body[0] >= '<' && body[0] <= '?') {
    sequence.prefix = body[0];
    start = 1;
  }
  const std::size_t end = std::min(body.find_first_not_of("0123456789:;", start), body.size());
  sequence.params = body.substr(start, end - start);
  sequence.intermediates = body.substr(end);
  if (sequence.intermediates.find_first_not_of(" !\"#$%&'()*+,-./") != std::string_view::npos) {
    return;
  }
  if (sequence.final == 'u' && sequence.prefix != 0) {
    return forward_keyboard(sequence, out);
  }
  if (sequence.final == 'h' || sequence.final == 'l') {
    return forward_modes(sequence, out);
  }
  if (sequence.final == 'r' && limit_rows_ > 0 && sequence.prefix == 0 &&
      sequence.intermediates.empty()) {
    return forward_region(sequence, out);
  }
  if (csi_allowed(sequence)) {
    modes_.csi(sequence);
    out += "\x1b[";
    out += buffer_;
  }
}

void OutputFilter::forward_region(const ControlSequence& sequence, std::string& out) {
  std::vector<std::uint32_t> numbers = numbers_of(sequence.params);
  numbers.resize(2);
  const std::uint32_t bottom =
      numbers[1] == 0 ? limit_rows_ : std::min<std::uint32_t>(numbers[1], limit_rows_);
  modes_.csi(sequence);
  out += "\x1b[" + std::to_string(std::max(1U, numbers[0])) + ";" + std::to_string(bottom) + "r";
}

void OutputFilter::forward_modes(const ControlSequence& sequence, std::string& out) {
  if (!sequence.intermediates.empty() || (sequence.prefix != 0 && sequence.prefix != '?')) {
    return;
  }
  std::string kept;
  for (const std::uint32_t mode : numbers_of(sequence.params)) {
    const bool allowed =
        sequence.prefix == '?' ? OuterModes::private_mode_allowed(mode) : mode == 4 || mode == 20;
    if (allowed) {
      kept += (kept.empty() ? "" : ";") + std::to_string(mode);
    }
  }
  if (kept.empty()) {
    return;
  }
  ControlSequence forwarded = sequence;
  forwarded.params = kept;
  modes_.csi(forwarded);
  out += "\x1b[";
  out += sequence.prefix == '?' ? "?" : "";
  out += kept;
  out += sequence.final;
}

void OutputFilter::forward_keyboard(const ControlSequence& sequence, std::string& out) {
  if (!sequence.intermediates.empty() || sequence.prefix == '?') {
    return;
  }
  if (!modes_.keyboard_guarded()) {
    modes_.guard_keyboard();
    out += "\x1b[>0u";  // the outer terminal's own flags go below the program's
  }
  if (sequence.prefix == '<') {
    const std::uint32_t wanted = std::max(1U, leading_number(sequence.params, 1));
    const std::uint32_t popped = std::min(wanted, modes_.keyboard_depth());
    if (popped > 0) {
      out += "\x1b[<" + std::to_string(popped) + "u";
    }
    out += popped < wanted ? "\x1b[=0u" : "";  // an emptied stack means no flags
    modes_.csi(sequence);
    return;
  }
  if (sequence.prefix == '>' && modes_.keyboard_depth() >= OuterModes::max_keyboard_depth) {
    out += "\x1b[=" + std::to_string(leading_number(sequence.params, 0)) + "u";
    return;
  }
  modes_.csi(sequence);
  out += "\x1b[";
  out += buffer_;
}

void OutputFilter::full_reset(std::string& out) {
  // A real RIS would also take what belongs to the person: their scrollback and their title stack.
  out += modes_.undo();
  modes_.undone();
  out += limit_rows_ > 0 ? "\x1b[1;" + std::to_string(limit_rows_) + "r" : "";
  out += "\x1b[H\x1b[2J";
}

void OutputFilter::string_byte(unsigned char value, std::string& out) {
  if (string_escape_) {
    string_escape_ = false;
    if (value == '\\') {
      return end_string(out);
    }
    abort_string(out);
    state_ = State::escape;
    return escape(value, out);
  }
  if (value == escape_byte) {
    string_escape_ = true;
    return;
  }
  if (aborts(value)) {
    abort_string(out);
    state_ = State::ground;
    return;
  }
  switch (state_) {
    case State::osc:
      if (value == 0x07) {
        return end_string(out);
      }
      // Other controls, and C1 as UTF-8, could end the string early in some terminals.
      overlong_ = overlong_ || value < 0x20 || value == 0x7f || buffer_.size() >= max_osc_bytes ||
                  (value >= 0x80 && value < 0xa0 && !buffer_.empty() && buffer_.back() == '\xc2');
      if (!overlong_) {
        buffer_ += static_cast<char>(value);
      }
      return;
    case State::dcs_header:
      return dcs_header(value, out);
    case State::apc_header:
      return apc_header(value, out);
    case State::dcs_body:
    case State::apc_body:
      if (value >= 0x20 && value < 0x7f) {
        out += static_cast<char>(value);
      }
      return;
    default:
      return;
  }
}

void OutputFilter::dcs_header(unsigned char value, std::string& out) {
  if ((value >= '0' && value <= '9') || value == ';') {
    overlong_ = overlong_ || buffer_.size() >= max_header_bytes;
    if (!overlong_) {
      buffer_ += static_cast<char>(value);
    }
  } else if (value == 'q' &&
             !overlong_) {  // a sixel picture; every other DCS asks or programs keys
    out += "\x1bP" + buffer_ + "q";
    state_ = State::dcs_body;
  } else {
    state_ = State::dropped_string;
  }
}

void OutputFilter::apc_header(unsigned char value, std::string& out) {
  if (value >= 0x20 && value < 0x7f && value != ';' && buffer_.size() < max_header_bytes) {
    buffer_ += static_cast<char>(value);
    if (buffer_[0] != 'G') {
      state_ = State::dropped_string;
    }
  } else if (value == ';' && buffer_.starts_with('G')) {
    out += "\x1b_" + quiet_graphics(buffer_) + ";";
    state_ = State::apc_body;
  } else {
    state_ = State::dropped_string;
  }
}

void OutputFilter::end_string(std::string& out) {
  switch (state_) {
    case State::osc:
      if (!overlong_ && osc_allowed(buffer_)) {
        modes_.osc(buffer_);
        out += "\x1b]" + buffer_ + "\x1b\\";
      }
      break;
    case State::apc_header:
      if (buffer_.starts_with('G')) {
        out += "\x1b_" + quiet_graphics(buffer_) + "\x1b\\";
      }
      break;
    case State::dcs_body:
    case State::apc_body:
      out += "\x1b\\";
      break;
    default:
      break;
  }
  state_ = State::ground;
  buffer_.clear();
}

void OutputFilter::abort_string(std::string& out) {
  if (state_ == State::dcs_body || state_ == State::apc_body) {
    out += "\x1b\\";
  }
  buffer_.clear();
}

}  // namespace troupe::client
