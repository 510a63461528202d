// SPDX-License-Identifier: MIT
#include "terminal/sgr.hpp"

#include <array>
#include <optional>

namespace troupe::terminal {
namespace {

using attribute::underline_mask;
using attribute::underline_shift;

void set_underline(Attributes& look, unsigned style) {
  look.flags = static_cast<std::uint16_t>((look.flags & ~unsigned{underline_mask}) |
                                          ((style & 7U) << underline_shift));
}

void set_flag(Attributes& look, std::uint16_t flag) {
  look.flags = static_cast<std::uint16_t>(look.flags | flag);
}

void clear_flag(Attributes& look, unsigned flag) {
  look.flags = static_cast<std::uint16_t>(look.flags & ~flag);
}

// One SGR sequence, read parameter by parameter.
class Reader {
 public:
  explicit Reader(const Parameters& p) : p_(p) {}

  [[nodiscard]] bool more() const { return at_ < p_.count; }
  unsigned take() { return p_.values[at_++].number; }
  [[nodiscard]] bool sub_follows() const { return at_ < p_.count && p_.values[at_].sub; }
  [[nodiscard]] std::size_t subs() const {
    std::size_t n = 0;
    while (at_ + n < p_.count && p_.values[at_ + n].sub) {
      ++n;
    }
    return n;
  }
  void skip(std::size_t n) { at_ += n; }
  void stop() { at_ = p_.count; }
  [[nodiscard]] unsigned peek(std::size_t i) const { return p_.values[at_ + i].number; }
  [[nodiscard]] std::size_t left() const { return p_.count - at_; }

 private:
  const Parameters& p_;
  std::size_t at_ = 0;
};

std::optional<Color> rgb(unsigned r, unsigned g, unsigned b) {
  if (r > 255 || g > 255 || b > 255) {
    return std::nullopt;
  }
  return color_rgb | (r << 16U) | (g << 8U) | b;
}

std::optional<Color> indexed(unsigned index) {
  return index > 255 ? std::nullopt : std::optional<Color>{color_indexed | index};
}

// 38:5:n, 38:2:r:g:b, 38:2:space:r:g:b
std::optional<Color> colon_color(Reader& in, std::size_t subs) {
  std::optional<Color> color;
  if (subs >= 2 && in.peek(0) == 5) {
    color = indexed(in.peek(1));
  } else if (subs >= 5 && in.peek(0) == 2) {
    color = rgb(in.peek(2), in.peek(3), in.peek(4));
  } else if (subs == 4 && in.peek(0) == 2) {
    color = rgb(in.peek(1), in.peek(2), in.peek(3));
  }
  in.skip(subs);
  return color;
}

std::optional<Color> extended_color(Reader& in) {
  if (const std::size_t subs = in.subs(); subs > 0) {
    return colon_color(in, subs);
  }
  std::optional<Color> color;
  if (in.left() >= 2 && in.peek(0) == 5) {
    color = indexed(in.peek(1));
    in.skip(2);
  } else if (in.left() >= 4 && in.peek(0) == 2) {
    color = rgb(in.peek(1), in.peek(2), in.peek(3));
    in.skip(4);
  } else {
    in.stop();
  }
  return color;
}

void reset(Pen& pen) {
  const auto keep = pen.look.flags & attribute::protect;
  pen.look = Attributes{0, 0, static_cast<std::uint16_t>(keep), 0};
  pen.extra.underline = 0;
}

bool apply_color(unsigned code, Pen& pen) {
  Attributes& look = pen.look;
  if (code >= 30 && code <= 37) {
    look.foreground = color_indexed | (code - 30);
  } else if (code >= 40 && code <= 47) {
    look.background = color_indexed | (code - 40);
  } else if (code >= 90 && code <= 97) {
    look.foreground = color_indexed | (code - 90 + 8);
  } else if (code >= 100 && code <= 107) {
    look.background = color_indexed | (code - 100 + 8);
  } else if (code == 39) {
    look.foreground = 0;
  } else if (code == 49) {
    look.background = 0;
  } else {
    return false;
  }
  return true;
}

void apply_flag(unsigned code, Attributes& look) {
  using namespace attribute;
  static constexpr std::array<std::uint16_t, 10> on = {0,     bold,  dim,     italic, 0,
                                                       blink, blink, inverse, hidden, strike};
  switch (code) {
    case 21:
      return set_underline(look, 2);
    case 22:
      return clear_flag(look, unsigned{bold} | dim);
    case 23:
      return clear_flag(look, italic);
    case 24:
      return set_underline(look, 0);
    case 25:
      return clear_flag(look, blink);
    case 27:
      return clear_flag(look, inverse);
    case 28:
      return clear_flag(look, hidden);
    case 29:
      return clear_flag(look, strike);
    case 53:
      return set_flag(look, overline);
    case 55:
      return clear_flag(look, overline);
    default:
      if (code < on.size()) {
        set_flag(look, on[code]);
      }
  }
}

}  // namespace

bool apply_sgr(const Parameters& parameters, Pen& pen) {
  if (parameters.count == 0) {
    reset(pen);
    return true;
  }
  bool stale = false;
  Reader in{parameters};
  while (in.more()) {
    const unsigned code = in.take();
    switch (code) {
      case 0:
        reset(pen);
        stale = true;
        break;
      case 4:
        set_underline(pen.look, !in.sub_follows() ? 1 : in.peek(0) > 5 ? 1 : in.peek(0));
        break;
      case 38:
        pen.look.foreground = extended_color(in).value_or(pen.look.foreground);
        break;
      case 48:
        pen.look.background = extended_color(in).value_or(pen.look.background);
        break;
      case 58:
        pen.extra.underline = extended_color(in).value_or(pen.extra.underline);
        stale = true;
        break;
      case 59:
        pen.extra.underline = 0;
        stale = true;
        break;
      default:
        if (!apply_color(code, pen)) {
          apply_flag(code, pen.look);
        }
    }
    in.skip(in.subs());
  }
  return stale;
}

namespace {

void add(std::string& out, unsigned code) {
  if (!out.empty()) {
    out += ';';
  }
  out += std::to_string(code);
}

void add_color(std::string& out, unsigned base, Color color) {
  const Color value = color & ~color_kind;
  if (color == 0) {
    return;
  }
  if ((color & color_kind) == color_indexed) {
    if (value < 8) {
      return add(out, base + value);
    }
    if (value < 16) {
      return add(out, base + 60 + value - 8);
    }
    add(out, base + 8);
    out += ";5;" + std::to_string(value);
    return;
  }
  add(out, base + 8);
  out += ";2;" + std::to_string(value >> 16U) + ';' + std::to_string((value >> 8U) & 255U) + ';' +
         std::to_string(value & 255U);
}

void add_underline_color(std::string& out, Color color) {
  const Color value = color & ~color_kind;
  if (color == 0) {
    return;
  }
  add(out, 58);
  if ((color & color_kind) == color_indexed) {
    out += ":5:" + std::to_string(value);
  } else {
    out += ":2::" + std::to_string(value >> 16U) + ':' + std::to_string((value >> 8U) & 255U) +
           ':' + std::to_string(value & 255U);
  }
}

}  // namespace

std::string sgr_parameters(const Attributes& look, Color underline) {
  using namespace attribute;
  static constexpr struct {
    std::uint16_t flag;
    unsigned code;
  } flags[] = {{bold, 1},    {dim, 2},    {italic, 3}, {blink, 5},
               {inverse, 7}, {hidden, 8}, {strike, 9}, {overline, 53}};
  std::string out;
  for (const auto& [flag, code] : flags) {
    if ((look.flags & flag) != 0) {
      add(out, code);
    }
  }
  const unsigned style = (look.flags & underline_mask) >> underline_shift;
  if (style == 1) {
    add(out, 4);
  } else if (style > 1) {
    add(out, 4);
    out += ':' + std::to_string(style);
  }
  add_color(out, 30, look.foreground);
  add_color(out, 40, look.background);
  add_underline_color(out, underline);
  return out;
}

void append_sgr(std::string& out, const Attributes& look, Color underline) {
  out += "\x1b[";
  const std::string parameters = sgr_parameters(look, underline);
  if (!parameters.empty()) {
    out += "0;";
    out += parameters;
  }
  out += 'm';
}

}  // namespace troupe::terminal
