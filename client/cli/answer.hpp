// SPDX-License-Identifier: MIT
#pragma once

/// @file
/// The shape of most commands: one request, whose reply is printed as JSON where that is asked for,
/// else in words.

#include <chrono>

#include "client/cli/context.hpp"
#include "protocol/requests.hpp"

namespace troupe::client::cli {

/// The reply; printed, where `--json` asks for it.
Result<Reply> call(const Context& context, Client& client, const protocol::Request& request,
                   std::chrono::milliseconds wait = Client::patience);

/// The same as `Wanted`, for commands whose status or notes depend on it. With `--json` nothing
/// more belongs on stdout.
template <class Wanted>
Result<Wanted> ask(const Context& context, Client& client, const protocol::Request& request,
                   std::chrono::milliseconds wait = Client::patience) {
  return reply_as<Wanted>(call(context, client, request, wait));
}

/// A whole command: `print(wanted)` says it in words. Returns the exit status.
template <class Wanted, class Print>
int answer(const Context& context, Client& client, const protocol::Request& request, Print print) {
  const Result<Wanted> wanted = ask<Wanted>(context, client, request);
  if (!wanted) {
    return fail(wanted.error());
  }
  if (!context.json) {
    print(*wanted);
  }
  return exit_status::ok;
}

/// A command whose success needs no words.
int simple_call(const Context& context, Client& client, const protocol::Request& request);

}  // namespace troupe::client::cli
