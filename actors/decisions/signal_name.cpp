// SPDX-License-Identifier: MIT
#include "actors/decisions/signal_name.hpp"

#include <cstring>

namespace troupe::actors {

std::optional<std::string> signal_name(std::optional<int> number) {
  if (!number) {
    return std::nullopt;
  }
  const char* const name = ::sigabbrev_np(*number);
  return "SIG" + (name != nullptr ? std::string{name} : std::to_string(*number));
}

}  // namespace troupe::actors
