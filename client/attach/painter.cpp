// SPDX-License-Identifier: MIT
#include "client/attach/painter.hpp"

#include <algorithm>

namespace troupe::client {
namespace {

constexpr std::size_t max_title_bytes = 256;

bool enters_alternate(std::string_view bytes) {
  return bytes.find("\x1b[?1049h") != std::string_view::npos ||
         bytes.find("\x1b[?1047h") != std::string_view::npos ||
         bytes.find("\x1b[?47h") != std::string_view::npos;
}

}  // namespace

std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string safe;
  for (std::size_t at = 0; at < text.size() && safe.size() < max_bytes; ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool c1 = byte == 0xc2 && at + 1 < text.size() &&
                    static_cast<unsigned char>(text[at + 1]) >= 0x80 &&
                    static_cast<unsigned char>(text[at + 1]) < 0xa0;
    if (c1) {
      ++at;
    } else if (byte >= 0x20 && byte != 0x7f) {
      safe += text[at];
    } else if (byte == '\t' || byte == '\n') {
      safe += ' ';
    }
  }
  while (!safe.empty() && safe.size() >= max_bytes && (safe.back() & 0xc0) == 0x80) {
    safe.pop_back();  // no cut inside a character
  }
  if (!safe.empty() && safe.size() + 1 >= max_bytes && (safe.back() & 0xc0) == 0xc0) {
    safe.pop_back();
  }
  return safe;
}

void Painter::begin(const protocol::TerminalInfo& info, WindowSize window, DetachKey key,
                    bool controlling, std::string& out) {
  window_ = window;
  terminal_ = {info.cols, info.rows};
  const std::string name = printable(info.title, max_title_bytes);
  hint_text_ = key.key == 0 ? std::string("no key detaches") : to_text(key) + " detaches";
  if (!controlling) {
    hint_text_ += ", watching only";
  }
  out += "[troupe: " + name + ": " + hint_text_ + "]";
  take_window(out);
  remark_ = hint_text_;
  title(name, out);
  remark_ = controlling ? std::string{} : "watching only";  // a key is named once
}

void Painter::take_window(std::string& out) {
  for (int row = 0; row < window_.rows; ++row) {
    out += "\r\n";
  }
  out += "\x1b[22;0t";
  filter_.modes().title_saved();
}

void Painter::suspend(std::string& out) {
  out += filter_.modes().restore();
  filter_.modes().restored();
  filter_.restart();
  hint_shown_ = false;
}

void Painter::resume(WindowSize window, std::string& out) {
  window_ = window;
  take_window(out);
  title(title_, out);
}

void Painter::repaint(std::string_view checkpoint, std::string& out) {
  out += filter_.modes().undo();
  filter_.modes().undone();
  filter_.restart();
  hint_shown_ = false;
  out += "\x1b[H\x1b[2J";
  const bool shorter = terminal_.rows > 0 && terminal_.rows < window_.rows;
  filter_.limit_rows(shorter ? terminal_.rows : 0);
  if (shorter) {
    filter_.feed("\x1b[r\x1b[H", out);
  }
  filter_.feed(checkpoint, out);
  draw_notice(out);
}

void Painter::draw_notice(std::string& out) const {
  if (notice_.empty() || window_.rows == 0) {
    return;
  }
  // Without origin mode, in which rows are counted from the margin; 8 brings that back too.
  out +=
      "\x1b"
      "7\x1b[?6l\x1b[" +
      std::to_string(window_.rows) + ";1H\x1b[0m\x1b[2K\x1b[7m" +
      ("[troupe: " + notice_ + "]").substr(0, window_.cols) +
      "\x1b[0m\x1b"
      "8";
}

void Painter::hint(std::string_view text, std::string& out) {
  const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
  const bool room = window_.cols > hint_text_.size() + 10 && lines < terminal_.rows &&
                    terminal_.rows <= window_.rows && !filter_.modes().alternate();
  if (room) {
    out +=
        "\x1b"
        "7\x1b[" +
        std::to_string(window_.rows) + ";1H\x1b[0;7m[troupe: " + hint_text_ +
        "]\x1b[0m\x1b"
        "8";
    hint_shown_ = true;
  }
}

void Painter::clear_hint(std::string& out) {
  if (hint_shown_) {
    out +=
        "\x1b"
        "7\x1b[" +
        std::to_string(window_.rows) +
        ";1H\x1b[0m\x1b[2K\x1b"
        "8";
    hint_shown_ = false;
  }
}

void Painter::output(std::string_view bytes, std::string& out) {
  if (hint_shown_ && (bytes.find('\n') != std::string_view::npos || enters_alternate(bytes))) {
    clear_hint(out);
  }
  filter_.feed(bytes, out);
}

void Painter::title(std::string_view title, std::string& out) {
  title_ = printable(title, max_title_bytes);
  out += "\x1b]2;" + title_ + (remark_.empty() ? "" : " (" + remark_ + ")") + "\x1b\\";
}

void Painter::remark(std::string text, std::string& out) {
  remark_ = std::move(text);
  title(title_, out);
}

}  // namespace troupe::client
