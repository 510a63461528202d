// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// Errors as values. No exception crosses a module edge; what can fail in the world returns a
/// `Result`, what can only fail by a bug is an assert.

#include <cassert>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace troupe {

/// The kinds of failure. They are the wire's `code`s, so that no module needs a mapping of its own.
enum class Code : std::uint8_t {
  bad_request,
  not_found,
  not_controller,
  exited,
  busy,
  too_large,
  limit,
  unsupported,
  disabled,
  cancelled,
  timeout,
  io,
  internal,
};

/// A failure: the kind for programs, the message for people (no secrets, no terminal content).
struct Error {
  Code code = Code::internal;
  std::string message;
};

/// A value or an `Error`. `Result<>` carries no value.
template <class T = std::monostate>
class [[nodiscard]] Result {
 public:
  Result(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error)
      : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & { return assert(ok()), *std::get_if<0>(&state_); }
  [[nodiscard]] const T& value() const& { return assert(ok()), *std::get_if<0>(&state_); }
  [[nodiscard]] T&& value() && { return assert(ok()), std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  [[nodiscard]] Error& error() & { return assert(!ok()), *std::get_if<1>(&state_); }
  [[nodiscard]] const Error& error() const& { return assert(!ok()), *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

/// Success of a `Result<>`.
inline Result<> success() {
  return Result<>{std::monostate{}};
}

}  // namespace troupe
