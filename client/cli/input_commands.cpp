// SPDX-License-Identifier: MIT
// Commands that type into a terminal: send, keys, paste.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "client/cli/answer.hpp"
#include "client/cli/command.hpp"
#include "client/cli/groups.hpp"
#include "client/cli/lease.hpp"
#include "client/cli/spelling.hpp"
#include "protocol/limits.hpp"

namespace troupe::client::cli {
namespace {

using protocol::TerminalInfo;

Result<std::string> read_input() {
  std::string text;
  std::string chunk(std::size_t{64} * 1024, '\0');
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (count == 0) {
      return text;
    }
    if (count < 0 && errno != EINTR) {
      return Error{Code::io, std::string("cannot read standard input: ") + std::strerror(errno)};
    }
    text.append(chunk, 0, count > 0 ? static_cast<std::size_t>(count) : 0);
    if (text.size() > protocol::max_input_bytes) {
      return Error{Code::too_large, "standard input is longer than 1 MiB; send it in pieces"};
    }
  }
}

/// What the three have in common.
struct TypingOptions {
  std::string terminal;
  bool ack = false;
  bool takeover = false;
};

/// Makes the request with an attachment id, or with none, and sends it.
template <class MakeRequest>
int type_into(const Context& context, Client& client, const TerminalInfo& terminal,
              const TypingOptions& options, MakeRequest make_request) {
  if (options.takeover) {
    const Result<Lease> lease = take_control(client, terminal);
    return lease ? simple_call(context, client, make_request(lease->attachment))
                 : fail(lease.error());
  }
  const Result<Reply> reply = call(context, client, make_request(std::nullopt));
  return reply ? exit_status::ok : fail(explain_refusal(reply.error()));
}

struct SendOptions : TypingOptions {
  std::string text;
  bool enter = false;
  bool raw = false;
};

int send(const Context& context, Client& client, const TerminalInfo& terminal,
         const SendOptions& options) {
  Result<std::string> text = options.text == "-" ? read_input() : Result<std::string>{options.text};
  if (!text) {
    return fail(text.error());
  }
  std::string bytes = options.raw ? *text : decode_escapes(*text);
  bytes += options.enter ? "\r" : "";
  if (std::holds_alternative<protocol::Exited>(terminal.lifecycle)) {
    return fail(Error{Code::exited, "the terminal has " + lifecycle_text(terminal)});
  }
  return type_into(context, client, terminal, options, [&](std::optional<std::string> attachment) {
    return request::Write{terminal.id, std::move(attachment), bytes, options.ack};
  });
}

struct KeysOptions : TypingOptions {
  std::vector<std::string> keys;
};

int keys(const Context& context, Client& client, const TerminalInfo& terminal,
         const KeysOptions& options) {
  if (const Result<> can = require(client, feature::control, "press keys by name"); !can) {
    return fail(can.error());
  }
  return type_into(context, client, terminal, options, [&](std::optional<std::string> attachment) {
    return request::Keys{terminal.id, std::move(attachment), options.keys, options.ack};
  });
}

struct PasteOptions : TypingOptions {
  std::string text;
};

int paste(const Context& context, Client& client, const TerminalInfo& terminal,
          const PasteOptions& options) {
  if (const Result<> can = require(client, feature::control, "paste"); !can) {
    return fail(can.error());
  }
  Result<std::string> text = options.text == "-" ? read_input() : Result<std::string>{options.text};
  if (!text) {
    return fail(text.error());
  }
  return type_into(context, client, terminal, options, [&](std::optional<std::string> attachment) {
    return request::Paste{terminal.id, std::move(attachment), *text, options.ack};
  });
}

void add_typing_flags(Command& command, Context& context, TypingOptions& options) {
  command.flag("--ack", options.ack, "Return once the program's terminal took the bytes");
  command.flag("--takeover", options.takeover,
               "Take control for the moment where another client has it");
  command.json(context);
}

}  // namespace

void add_input_commands(CLI::App& app, Context& context) {
  const std::string typing(group::typing);
  {
    auto options = std::make_shared<SendOptions>();
    Command command(
        app,
        {typing, "send", "Type text into a terminal",
         "  troupe send build 'make test\\n'\n  troupe send build --enter 'make test'\n"
         "  troupe send build '\\x03'           (Ctrl-C)\n  troupe send build - < answers.txt\n"});
    command.terminal(options->terminal);
    command.positional("TEXT", options->text,
                       "The text, with \\n \\r (Enter) \\t \\\\ \\0 \\xHH; - reads standard input");
    command.flag("--enter", options->enter, "Press Enter after it");
    command.flag("--raw", options->raw, "A backslash is only a backslash");
    add_typing_flags(command, context, *options);
    on_terminal(command, context, options, send);
  }
  {
    auto options = std::make_shared<KeysOptions>();
    Command command(app, {typing, "keys", "Press keys by name, as the program's modes want them",
                          "  troupe keys build ctrl+c\n  troupe keys editor escape : w q enter\n"});
    command.terminal(options->terminal);
    command.positionals(
        "KEY", options->keys,
        "A character, enter, tab, escape, up, f5 ... with ctrl+ alt+ shift+ super+");
    add_typing_flags(command, context, *options);
    on_terminal(command, context, options, keys);
  }
  {
    auto options = std::make_shared<PasteOptions>();
    Command command(app, {typing, "paste", "Paste text, bracketed where the program asks",
                          "  troupe paste editor 'two\nlines'\n"
                          "  troupe paste editor - < notes.txt\n"});
    command.terminal(options->terminal);
    command.positional("TEXT", options->text, "The text; - reads standard input");
    add_typing_flags(command, context, *options);
    on_terminal(command, context, options, paste);
  }
}

}  // namespace troupe::client::cli
