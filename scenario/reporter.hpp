// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// What the person or program that started or closes a scenario is told: words on stderr, or lines
/// of JSON on stdout. Never a text that was typed, and never a secret.

#include <cstdint>
#include <string>
#include <vector>

#include "scenario/performance.hpp"
#include "scenario/plan.hpp"

namespace troupe::scenario {

enum class Form : std::uint8_t { words, json };

/// A terminal of a scenario, as the end of `up` and `down` lists it.
struct Member {
  std::string name;
  TerminalId id;
  std::string kind;
  std::string role;
  std::string persona;
};

/// Tells what one command did, in one form, each thing when it is called. As words: on stderr, with
/// the tables of `order` and `is_up` on stdout. As JSON: an object a line on stdout; notes stay
/// words on stderr.
///
/// Threads: one at a time.
/// Bounds: a word's line has 500 bytes of printable text.
class Reporter {
 public:
  explicit Reporter(Form form) : form_(form) {}

  void problems(const std::vector<Problem>& problems) const;
  void notes(const std::vector<Problem>& notes) const;
  void order(const Plan& plan) const;
  void happened(const Plan& plan, const Launch& launch, const Happening& happening) const;
  /// The last rows of a terminal that failed.
  void last_rows(const Launch& launch, const std::string& state,
                 const std::vector<std::string>& rows) const;
  void error(const std::string& message) const;
  void note(const std::string& message) const;
  /// The last thing told of `up`.
  void is_up(const std::string& scenario, const std::vector<Member>& members) const;
  void not_up(const std::string& scenario) const;
  void closed(const std::string& name, TerminalId id) const;
  /// The last thing told of `down`.
  void is_down(const std::string& scenario, std::size_t closed, std::size_t left) const;

 private:
  Form form_;
};

}  // namespace troupe::scenario
