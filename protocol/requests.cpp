// SPDX-License-Identifier: MIT
#include "protocol/requests.hpp"

#include "protocol/request_fields.hpp"

namespace troupe::protocol {

std::string_view op_name(const Request& request) {
  return operations.at(request.index()).name;
}

std::optional<TerminalId> terminal_of(const Request& request) {
  return std::visit(
      [](const auto& value) -> std::optional<TerminalId> {
        if constexpr (requires { value.id; }) {
          return value.id;
        } else {
          return std::nullopt;
        }
      },
      request);
}

}  // namespace troupe::protocol
