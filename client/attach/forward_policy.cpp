// SPDX-License-Identifier: MIT
#include "client/attach/forward_policy.hpp"

#include <array>

namespace troupe::client {
namespace {

bool among(char value, std::string_view set) {
  return set.find(value) != std::string_view::npos;
}

bool plain_csi_allowed(const ControlSequence& sequence) {
  switch (sequence.final) {
    case 't': {  // window operations: only the title stack neither reports nor moves a window
      const auto numbers = numbers_of(sequence.params);
      return numbers[0] == 22 || numbers[0] == 23;
    }
    case 'T':  // with several parameters it starts highlight tracking, which waits for an answer
      return sequence.params.find(';') == std::string_view::npos;
    default:
      return among(sequence.final, "@ABCDEFGHIJKLMPSXZ`abdefgmrsu");
  }
}

struct Rule {
  char prefix;
  std::string_view intermediates;
  std::string_view finals;
};

constexpr std::array<Rule, 9> rules{{
    {'?', "", "JKW"},
    {'>', "", "mn"},
    {0, " ", "q@A"},
    {0, "!", "p"},
    {0, "\"", "q"},
    {0, "$", "rtvxz{"},
    {0, "'", "}~"},
    {0, "*", "x"},
    {0, "#", "{}pq"},
}};

}  // namespace

bool csi_allowed(const ControlSequence& sequence) {
  if (sequence.prefix == 0 && sequence.intermediates.empty()) {
    return plain_csi_allowed(sequence);
  }
  for (const Rule& rule : rules) {
    if (rule.prefix == sequence.prefix && rule.intermediates == sequence.intermediates) {
      return among(sequence.final, rule.finals);
    }
  }
  return false;
}

bool escape_allowed(char final) {
  return among(final, "78DEHMN=>no|}~");
}

bool escape_intermediate_allowed(char intermediate, char final) {
  if (intermediate == '#') {
    return final == '8';
  }
  return among(intermediate, "()*+") && among(final, "0AB");
}

bool osc_allowed(std::string_view payload) {
  const std::size_t digits = payload.find_first_not_of("0123456789");
  if (digits == 0 || (digits != std::string_view::npos && payload[digits] != ';')) {
    return false;
  }
  const std::string_view rest =
      digits == std::string_view::npos ? std::string_view{} : payload.substr(digits + 1);
  switch (leading_number(payload, 65535)) {
    case 0:
    case 1:
    case 2:
    case 7:
    case 8:
    case 9:
    case 104:
    case 110:
    case 111:
    case 112:
    case 133:
    case 633:
    case 777:
      return true;
    case 4:
    case 10:
    case 11:
    case 12:
      return rest.find('?') == std::string_view::npos;
    case 52: {  // the clipboard may be written, never read
      const std::size_t data = rest.find(';');
      return data != std::string_view::npos && rest.find('?', data) == std::string_view::npos;
    }
    default:
      return false;
  }
}

std::string quiet_graphics(std::string_view control_data) {
  std::string quiet = "Gq=2";
  control_data.remove_prefix(1);
  while (!control_data.empty()) {
    const std::size_t end = control_data.find(',');
    const std::string_view pair = control_data.substr(0, end);
    if (!pair.empty() && !pair.starts_with("q=")) {
      quiet += ',';
      quiet += pair;
    }
    control_data.remove_prefix(end == std::string_view::npos ? control_data.size() : end + 1);
  }
  return quiet;
}

}  // namespace troupe::client
