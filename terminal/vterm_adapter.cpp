// SPDX-License-Identifier: MIT
#include "terminal/vterm_adapter.hpp"

#include <vterm.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace troupe::terminal {
namespace {

struct FreeVterm {
  void operator()(VTerm* vterm) const { vterm_free(vterm); }
};

// The sequence without its introducer's arguments: what stands before and after the number.
struct Shape {
  const char* before;
  const char* after;
  bool numbered;
};

Shape shape_of(Edit edit) {
  switch (edit) {
    case Edit::insert_chars:
      return {"\x1b[", "@", true};
    case Edit::delete_chars:
      return {"\x1b[", "P", true};
    case Edit::erase_chars:
      return {"\x1b[", "X", true};
    case Edit::insert_lines:
      return {"\x1b[", "L", true};
    case Edit::delete_lines:
      return {"\x1b[", "M", true};
    case Edit::scroll_up:
      return {"\x1b[", "S", true};
    case Edit::scroll_down:
      return {"\x1b[", "T", true};
    case Edit::scroll_left:
      return {"\x1b[", " @", true};
    case Edit::scroll_right:
      return {"\x1b[", " A", true};
    case Edit::insert_columns:
      return {"\x1b[", "'}", true};
    case Edit::delete_columns:
      return {"\x1b[", "'~", true};
    case Edit::erase_line:
      return {"\x1b[", "K", true};
    case Edit::erase_display:
      return {"\x1b[", "J", true};
    case Edit::erase_line_unprotected:
      return {"\x1b[?", "K", true};
    case Edit::erase_display_unprotected:
      return {"\x1b[?", "J", true};
    case Edit::index:
      return {"\x1b", "D", false};
    case Edit::reverse_index:
      break;
  }
  return {"\x1b", "M", false};
}

// The one difference in the callbacks between libvterm 0.1 and 0.3 that concerns us is the layout
// of VTermStateCallbacks, so its members are set by name.
struct Sink {
  EditTarget* target = nullptr;  // null while margins and cursor are being set up
  Geometry geometry;
};

bool usable(const VTermRect& rect, const Geometry& geometry, Rectangle& area) {
  const auto cols = static_cast<int>(geometry.cols);
  const auto rows = static_cast<int>(geometry.rows);
  if (rect.start_row < 0 || rect.start_col < 0 || rect.end_row > rows || rect.end_col > cols ||
      rect.start_row >= rect.end_row || rect.start_col >= rect.end_col) {
    return false;
  }
  area = {static_cast<std::uint32_t>(rect.start_row), static_cast<std::uint32_t>(rect.end_row),
          static_cast<std::uint32_t>(rect.start_col), static_cast<std::uint32_t>(rect.end_col)};
  return true;
}

int on_scroll(VTermRect rect, int downward, int rightward, void* user) {
  const auto& sink = *static_cast<Sink*>(user);
  Rectangle area;
  if (sink.target != nullptr && usable(rect, sink.geometry, area)) {
    sink.target->scroll_rectangle(area, downward, rightward);
  }
  return 1;
}

int on_erase(VTermRect rect, int selective, void* user) {
  const auto& sink = *static_cast<Sink*>(user);
  Rectangle area;
  if (sink.target != nullptr && usable(rect, sink.geometry, area)) {
    sink.target->erase_rectangle(area, selective != 0 ? Erase::unprotected : Erase::all);
  }
  return 1;
}

const VTermStateCallbacks& callbacks() {
  static const VTermStateCallbacks table = [] {
    VTermStateCallbacks c{};
    c.scrollrect = on_scroll;
    c.erase = on_erase;
    return c;
  }();
  return table;
}

}  // namespace

struct VtermAdapter::Impl {
  std::unique_ptr<VTerm, FreeVterm> vterm;
  VTermState* state = nullptr;
  Sink sink;
  Geometry known;

  void write(const std::string& bytes) {
    vterm_input_write(vterm.get(), bytes.data(), bytes.size());
  }

  void create(const Geometry& geometry) {
    vterm.reset(vterm_new(static_cast<int>(geometry.rows), static_cast<int>(geometry.cols)));
    vterm_set_utf8(vterm.get(), 1);
    state = vterm_obtain_state(vterm.get());
    vterm_state_set_callbacks(state, &callbacks(), &sink);
    vterm_state_reset(state, 1);
    known = {geometry.cols, geometry.rows, {0, geometry.rows, 0, geometry.cols}};
  }

  void set_margins(const Geometry& geometry) {
    const Rectangle& m = geometry.margins;
    const auto number = [](std::uint32_t n) { return std::to_string(n); };
    std::string bytes = "\x1b[" + number(m.top + 1) + ";" + number(m.bottom) + "r";
    bytes += "\x1b[?69h\x1b[" + number(m.left + 1) + ";" + number(m.right) + "s";
    if (m.left == 0 && m.right == geometry.cols) {
      bytes += "\x1b[?69l";
    }
    write(bytes);
    known = geometry;
  }
};

VtermAdapter::VtermAdapter() = default;
VtermAdapter::VtermAdapter(VtermAdapter&&) noexcept = default;
VtermAdapter& VtermAdapter::operator=(VtermAdapter&&) noexcept = default;
VtermAdapter::~VtermAdapter() = default;

Position VtermAdapter::run(Edit edit, std::uint32_t argument, const Geometry& geometry,
                           Position cursor, EditTarget& target) {
  if (!impl_) {
    impl_ = std::make_unique<Impl>();
  }
  Impl& impl = *impl_;
  impl.sink.target = nullptr;
  impl.sink.geometry = geometry;
  if (!impl.vterm || impl.known.cols != geometry.cols || impl.known.rows != geometry.rows) {
    impl.create(geometry);
  }
  if (!(impl.known == geometry)) {
    impl.set_margins(geometry);
  }
  impl.write("\x1b[" + std::to_string(cursor.y + 1) + ";" + std::to_string(cursor.x + 1) + "H");
  const Shape shape = shape_of(edit);
  std::string bytes = shape.before;
  if (shape.numbered) {
    bytes += std::to_string(argument);
  }
  bytes += shape.after;
  impl.sink.target = &target;
  impl.write(bytes);
  impl.sink.target = nullptr;
  VTermPos after{};
  vterm_state_get_cursorpos(impl.state, &after);
  const auto bound = [](int value, std::uint32_t size) {
    return static_cast<std::uint32_t>(std::clamp(value, 0, static_cast<int>(size) - 1));
  };
  return {bound(after.col, geometry.cols), bound(after.row, geometry.rows)};
}

std::size_t VtermAdapter::memory_bytes() const {
  // A VTerm holds about this much, and one small record a row.
  constexpr std::size_t fixed = 12 * 1024;
  return impl_ && impl_->vterm ? sizeof(Impl) + fixed + impl_->known.rows * 8U : 0;
}

}  // namespace troupe::terminal
