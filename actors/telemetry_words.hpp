// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The service's words as telemetry's, and spans of moments.

#include <string_view>

#include "actors/decisions/moment.hpp"
#include "protocol/words.hpp"
#include "pty/channel.hpp"
#include "telemetry/port.hpp"

namespace troupe::actors {

telemetry::Connector connector_of(protocol::TerminalKind kind);
telemetry::SubscriptionEnd subscription_end_of(protocol::EndReason reason);
telemetry::ProgramEnd program_end_of(const pty::ExitStatus& status);

/// Whose the span is.
struct SpanOf {
  telemetry::SpanName name = telemetry::SpanName::launch;
  telemetry::Connector connector = telemetry::Connector::pty;
  TerminalId terminal;
};
/// `error` is empty where it went well, else of static storage.
telemetry::Span span_between(const SpanOf& of, Moment start, Moment end, std::string_view error);

}  // namespace troupe::actors
