// SPDX-License-Identifier: MIT
#include "terminal/tokenizer.hpp"

#include <algorithm>
#include <cstring>

#include "base/byte_marks.hpp"

namespace troupe::terminal {
namespace {

constexpr unsigned char escape_byte = 0x1B;
constexpr unsigned char cancel = 0x18;
constexpr unsigned char substitute = 0x1A;
constexpr unsigned char bell = 0x07;
constexpr unsigned char del = 0x7F;

bool is_text(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte != del;
}

unsigned appended(unsigned number, unsigned digit) {
  return std::min(number * 10U + digit, unsigned{Parameters::max_value});
}

// Length of the run of text bytes at the head of `bytes`, eight at a time.
std::size_t text_run(std::string_view bytes) {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  constexpr std::uint64_t tops = 0x8080808080808080U;
  std::size_t n = 0;
  while (n + 8 <= bytes.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + n, sizeof(word));
    const std::uint64_t below = (word - ones * 0x20U) & ~word & tops;
    const std::uint64_t without_del = word ^ (ones * del);
    const std::uint64_t is_del = (without_del - ones) & ~without_del & tops;
    if (const std::uint64_t marks = below | is_del; marks != 0) {
      return n + first_marked_byte(marks);
    }
    n += 8;
  }
  while (n < bytes.size() && is_text(bytes[n])) {
    ++n;
  }
  return n;
}

}  // namespace

Token Tokenizer::next(std::string_view bytes, std::size_t& at, StreamOffset base) {
  while (at < bytes.size()) {
    if (state_ == State::ground) {
      const std::size_t run = text_run(bytes.substr(at));
      if (run > 0) {
        text_ = bytes.substr(at, run);
        at += run;
        return Token::text;
      }
    }
    if (state_ == State::ground && take_simple_csi(bytes, at, base)) {
      return Token::csi;
    }
    again_ = false;
    const Token token = step(static_cast<unsigned char>(bytes[at]), base + at);
    at += again_ ? 0 : 1;
    if (token != Token::end) {
      return token;
    }
  }
  return Token::end;
}

// `ESC [ numbers final`, complete and without anything else: nearly all that colours and moves.
// What it leaves undone is stepped through from its ESC.
bool Tokenizer::take_simple_csi(std::string_view bytes, std::size_t& at, StreamOffset base) {
  if (bytes[at] != '\x1b' || at + 2 >= bytes.size() || bytes[at + 1] != '[') {
    return false;
  }
  const char* in = bytes.data() + at + 2;
  const char* const end = bytes.data() + bytes.size();
  std::size_t count = 0;
  bool sub = false;
  for (;; ++in) {
    unsigned number = 0;
    const char* const digits = in;
    unsigned digit = 0;
    for (; in != end && (digit = static_cast<unsigned char>(*in) - unsigned{'0'}) <= 9; ++in) {
      number = appended(number, digit);
    }
    if (in == end || count == Parameters::max) {
      return false;
    }
    const auto byte = static_cast<unsigned char>(*in);
    const bool separates = byte == ';' || byte == ':';
    if (in != digits || count > 0 || separates) {
      parameters_.values[count++] = {static_cast<std::uint16_t>(number), in != digits, sub};
    }
    if (byte >= 0x40 && byte < del) {
      break;
    }
    if (!separates) {
      return false;
    }
    sub = byte == ':';
  }
  begin_escape(base + at);
  state_ = State::ground;
  parameters_.count = count;
  any_ = count > 0;
  surplus_ = false;
  final_ = *in;
  at = static_cast<std::size_t>(in - bytes.data()) + 1;
  return true;
}

void Tokenizer::reset() {
  state_ = State::ground;
  string_ = {};
}

void Tokenizer::begin_escape(StreamOffset offset) {
  state_ = State::escape;
  interrupted_ = true;
  begin_ = offset;
  prefix_ = 0;
  intermediate_ = 0;
  too_many_intermediates_ = false;
}

void Tokenizer::begin_string(State state) {
  constexpr std::size_t small = 4096;
  state_ = state;
  if (string_.capacity() > small) {
    string_ = {};
  }
  string_.clear();
}

void Tokenizer::put(unsigned char byte) {
  if (string_.size() >= max_string) {
    state_ = State::swallow;
    string_ = {};
    return;
  }
  string_.push_back(static_cast<char>(byte));
}

Token Tokenizer::step(unsigned char byte, StreamOffset offset) {
  switch (state_) {
    case State::ground:
      if (byte == escape_byte) {
        begin_escape(offset);
        return Token::end;
      }
      if (byte == del) {
        interrupted_ = true;
        return Token::end;
      }
      control_ = byte;
      return Token::control;
    case State::osc:
    case State::dcs:
    case State::swallow:
      return step_string(byte);
    case State::osc_escape:
    case State::dcs_escape:
    case State::swallow_escape:
      return step_string_escape(byte, offset);
    default:
      break;
  }
  // Inside ESC and CSI: controls are executed, ESC begins anew, CAN and SUB end the sequence.
  if (byte < 0x20) {
    if (byte == escape_byte) {
      begin_escape(offset);
      return Token::end;
    }
    if (byte == cancel || byte == substitute) {
      state_ = State::ground;
      return Token::end;
    }
    control_ = byte;
    return Token::control;
  }
  if (byte == del) {
    return Token::end;
  }
  if (byte > del) {
    state_ = State::ground;
    return Token::end;
  }
  return state_ == State::escape ? step_escape(byte) : step_csi(byte);
}

Token Tokenizer::step_escape(unsigned char byte) {
  if (byte < 0x30) {
    too_many_intermediates_ |= intermediate_ != 0;
    intermediate_ = static_cast<char>(byte);
    return Token::end;
  }
  if (intermediate_ == 0) {
    switch (byte) {
      case '[':
        state_ = State::csi;
        parameters_.count = 0;
        surplus_ = false;
        any_ = false;
        return Token::end;
      case ']':
        begin_string(State::osc);
        return Token::end;
      case 'P':
        begin_string(State::dcs);
        return Token::end;
      case 'X':
      case '^':
      case '_':
        begin_string(State::swallow);
        return Token::end;
      default:
        break;
    }
  }
  state_ = State::ground;
  final_ = static_cast<char>(byte);
  return too_many_intermediates_ ? Token::end : Token::escape;
}

void Tokenizer::add_digit(unsigned digit) {
  auto& value = parameters_.values[parameters_.count - 1];
  value.number = static_cast<std::uint16_t>(appended(value.number, digit));
  value.given = true;
}

Token Tokenizer::step_csi(unsigned char byte) {
  if (byte >= 0x40) {
    const bool good = state_ == State::csi && !too_many_intermediates_;
    state_ = State::ground;
    final_ = static_cast<char>(byte);
    return good ? Token::csi : Token::end;
  }
  if (byte < 0x30) {
    too_many_intermediates_ |= intermediate_ != 0;
    intermediate_ = static_cast<char>(byte);
    return Token::end;
  }
  if (intermediate_ != 0) {
    state_ = State::csi_ignore;
    return Token::end;
  }
  if (byte >= 0x3C) {
    if (any_ || prefix_ != 0) {
      state_ = State::csi_ignore;
    }
    prefix_ = static_cast<char>(byte);
    return Token::end;
  }
  if (!any_) {
    any_ = true;
    parameters_.count = 1;
    parameters_.values[0] = {};
  }
  if (byte <= '9') {
    if (!surplus_) {
      add_digit(byte - static_cast<unsigned>('0'));
    }
    return Token::end;
  }
  if (parameters_.count == Parameters::max) {
    surplus_ = true;
    return Token::end;
  }
  parameters_.values[parameters_.count++] = {0, false, byte == ':'};
  return Token::end;
}

Token Tokenizer::step_string(unsigned char byte) {
  if (byte == escape_byte) {
    state_ = state_ == State::osc   ? State::osc_escape
             : state_ == State::dcs ? State::dcs_escape
                                    : State::swallow_escape;
    return Token::end;
  }
  if (byte == cancel || byte == substitute) {
    state_ = State::ground;
    string_.clear();
    return Token::end;
  }
  if (state_ == State::osc) {
    if (byte == bell) {
      state_ = State::ground;
      terminated_ = true;
      return Token::osc;
    }
    if (byte >= 0x20) {
      put(byte);
    }
    return Token::end;
  }
  if (state_ == State::dcs) {
    put(byte);
  }
  return Token::end;
}

// After ESC inside a string. `ESC \` ends it; any other escape sequence ends it too and is then
// executed itself. tmux's passthrough doubles the ESCs of its content.
Token Tokenizer::step_string_escape(unsigned char byte, StreamOffset offset) {
  const State state = state_;
  if (state == State::dcs_escape && byte == escape_byte && string_.starts_with("tmux;")) {
    state_ = State::dcs;
    put(byte);
    return Token::end;
  }
  terminated_ = byte == '\\';
  if (terminated_) {
    state_ = State::ground;
    return state == State::osc_escape   ? Token::osc
           : state == State::dcs_escape ? Token::dcs
                                        : Token::end;
  }
  // A control character is no sequence: it is executed, and what follows is text again.
  begin_escape(offset - 1);
  if (byte < 0x20 && byte != escape_byte) {
    state_ = State::ground;
  }
  again_ = true;
  return state == State::osc_escape ? Token::osc : Token::end;
}

std::string Tokenizer::partial() const {
  std::string out = state_ == State::ground ? "" : "\x1b";
  const auto intermediates = [&] {
    if (intermediate_ != 0) {
      out.append(too_many_intermediates_ ? 2 : 1, intermediate_);
    }
  };
  switch (state_) {
    case State::ground:
      break;
    case State::escape:
      intermediates();
      break;
    case State::csi:
      out += '[';
      if (prefix_ != 0) {
        out += prefix_;
      }
      for (std::size_t i = 0; any_ && i < parameters_.count; ++i) {
        const auto& value = parameters_.values[i];
        out += i == 0 ? "" : value.sub ? ":" : ";";
        out += value.given ? std::to_string(value.number) : std::string{};
      }
      out += surplus_ ? ";" : "";
      intermediates();
      break;
    case State::csi_ignore:
      out += "[0<";
      break;
    case State::osc:
    case State::osc_escape:
      out += ']' + string_;
      break;
    case State::dcs:
    case State::dcs_escape:
      out += 'P';
      for (const char c : string_) {
        out.append(c == '\x1b' ? 2 : 1, c);
      }
      break;
    case State::swallow:
    case State::swallow_escape:
      out += '_';
      break;
  }
  const bool escaped =
      state_ == State::osc_escape || state_ == State::dcs_escape || state_ == State::swallow_escape;
  return out + (escaped ? "\x1b" : "");
}

}  // namespace troupe::terminal
