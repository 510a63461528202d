// SPDX-License-Identifier: MIT
#include "actors/telemetry_words.hpp"

#include <algorithm>

namespace troupe::actors {

using telemetry::Connector;
using telemetry::ProgramEnd;
using telemetry::SubscriptionEnd;

Connector connector_of(protocol::TerminalKind kind) {
  switch (kind) {
    case protocol::TerminalKind::ssh:
      return Connector::ssh;
    case protocol::TerminalKind::telnet:
      return Connector::telnet;
    case protocol::TerminalKind::pty:
      break;
  }
  return Connector::pty;
}

SubscriptionEnd subscription_end_of(protocol::EndReason reason) {
  switch (reason) {
    case protocol::EndReason::exited:
      return SubscriptionEnd::exited;
    case protocol::EndReason::lagging:
      return SubscriptionEnd::lagging;
    case protocol::EndReason::replaced:
      return SubscriptionEnd::replaced;
    case protocol::EndReason::cancelled:
      return SubscriptionEnd::cancelled;
    case protocol::EndReason::shutdown:
      return SubscriptionEnd::shutdown;
    case protocol::EndReason::terminated:
      break;
  }
  return SubscriptionEnd::terminated;
}

ProgramEnd program_end_of(const pty::ExitStatus& status) {
  if (status.signal) {
    return ProgramEnd::signalled;
  }
  return status.exit_code ? ProgramEnd::exited : ProgramEnd::unknown;
}

telemetry::Span span_between(const SpanOf& of, Moment start, Moment end, std::string_view error) {
  // The wall clock may step while it lasts; its length is the monotonic clock's.
  constexpr std::int64_t ns_per_ms = 1'000'000;
  constexpr std::int64_t ns_per_us = 1'000;
  std::int64_t const start_ns = start.wall_ms * ns_per_ms;
  std::int64_t const lasted_us = std::max<std::int64_t>(0, end.steady_us - start.steady_us);
  return {of.name, of.connector, of.terminal, start_ns, start_ns + lasted_us * ns_per_us, error};
}

}  // namespace troupe::actors
