// SPDX-License-Identifier: MIT
#include "client/cli/context.hpp"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/duration.hpp"
#include "base/environment.hpp"
#include "client/attach/painter.hpp"
#include "client/cli/ended_terminal.hpp"
#include "client/cli/terminal_name.hpp"
#include "client/daemon_start.hpp"
#include "protocol/features.hpp"
#include "recording/recording_file.hpp"

namespace troupe::client::cli {
namespace {

constexpr std::size_t max_message_bytes = 2000;
constexpr std::size_t max_name_bytes = 200;

void print_error(std::string_view kind, std::string_view message) {
  const std::string safe = printable(message, max_message_bytes);
  std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(kind.size()), kind.data(), safe.c_str());
}

using Json = nlohmann::ordered_json;

Json fields_of(const Reply& reply) {
  Json value = Json::parse(reply.payload, nullptr, false);
  if (!value.is_object()) {
    return Json::object();
  }
  value.erase("type");
  value.erase("request_id");
  return value;
}

void print_json(const Json& value) {
  print_line(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// What became of stdout, for the whole process: `print` is called from everywhere.
enum class Stdout : std::uint8_t { open, reader_left, failed };
Stdout standard_output = Stdout::open;

/// A person who waits is told that it goes on.
void show_progress(Result<Client>& client) {
  if (client && ::isatty(STDERR_FILENO) != 0) {
    client->on_slow([] { std::fputs("waiting ... (Ctrl-C stops waiting)\n", stderr); });
  }
}

}  // namespace

int fail(const Error& error) {
  print_error("error", error.message);
  return error.code == Code::timeout ? exit_status::timeout : exit_status::error;
}

int usage_error(std::string_view message) {
  print_error("error", message);
  return exit_status::usage;
}

void note(std::string_view message) {
  print_error("note", message);
}

bool print(std::string_view text) {
  while (!text.empty() && standard_output == Stdout::open) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
    if (count < 0 && errno == EPIPE) {
      standard_output = Stdout::reader_left;
    } else if (count < 0 && errno != EINTR) {
      print_error("error", std::string("cannot write: ") + std::strerror(errno));
      standard_output = Stdout::failed;
    }
    text.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  return standard_output == Stdout::open;
}

int status_after_output(int status) {
  return status == exit_status::ok && standard_output == Stdout::failed ? exit_status::error
                                                                        : status;
}

void print_line(std::string_view text) {
  print(std::string(text) + "\n");
}

void print_reply(const Reply& reply) {
  print_json(fields_of(reply));
}

void print_replies(const Reply& first, const Reply& second) {
  Json value = fields_of(first);
  value.update(fields_of(second));
  print_json(value);
}

Result<Client> open_client(const Context& context) {
  Result<Client> client = Client::open(context.address);
  show_progress(client);
  if (!client && client.error().code == Code::not_found) {
    return Error{Code::not_found,
                 client.error().message + "; `troupe new` or `troupe daemon` starts one"};
  }
  return client;
}

Result<Client> open_or_start(const Context& context) {
  StartOptions options;
  options.on_slow = [] { std::fputs("starting the daemon ...\n", stderr); };
  Result<Client> client = find_or_start(context.address, options);
  show_progress(client);
  return client;
}

Result<protocol::TerminalInfo> find_terminal(Client& client, std::string_view named) {
  Result<protocol::reply::Terminals> list =
      client.ask<protocol::reply::Terminals>(protocol::request::List{});
  if (!list) {
    return list.error();
  }
  const Result<std::size_t> index = match_terminal(list->terminals, named, Matching::prefix);
  if (!index) {
    return explain_not_found(client, named, index.error());
  }
  return std::move(list->terminals[*index]);
}

Error explain_not_found(Client& client, std::string_view named, Error error) {
  if (error.code != Code::not_found || !client.has(protocol::feature::ledger)) {
    return error;
  }
  const auto ledger = client.ask<protocol::reply::Ledger>(protocol::request::Ledger{});
  const protocol::LedgerEntry* const entry =
      ledger ? find_ended(ledger->terminals, named) : nullptr;
  if (entry != nullptr) {
    using std::chrono::system_clock;
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
        system_clock::now().time_since_epoch());
    // A daemon with another environment, or `-o FILE`, records elsewhere.
    std::map<std::string, std::string> env;
    for (const char* const name : {"TROUPE_RECORDINGS_DIR", "XDG_DATA_HOME", "HOME"}) {
      env[name] = environment_value(name).value_or("");
    }
    error.message = ended_text(
        *entry, now.count(), recording_of(recording::default_recording_directory(env), entry->id));
  }
  return error;
}

void with_client(Context& context, const std::function<int(Client&)>& command) {
  Result<Client> client = open_client(context);
  context.exit_code = client ? command(*client) : fail(client.error());
}

void with_terminal(Context& context, const std::string& named,
                   const std::function<int(Client&, const protocol::TerminalInfo&)>& command) {
  with_client(context, [&](Client& client) {
    const Result<protocol::TerminalInfo> terminal = find_terminal(client, named);
    return terminal ? command(client, *terminal) : fail(terminal.error());
  });
}

Result<> require(const Client& client, std::string_view feature, std::string_view what) {
  if (client.has(feature)) {
    return success();
  }
  return Error{Code::unsupported, "this daemon cannot " + std::string(what) +
                                      " (it lacks the feature " + std::string(feature) +
                                      "; it is older, or TROUPE_JOURNAL=0 turned it off)"};
}

std::string display_name(const protocol::TerminalInfo& terminal) {
  if (!terminal.title.empty()) {
    return printable(terminal.title, max_name_bytes);
  }
  return terminal.command.empty() ? std::string("-")
                                  : printable(terminal.command.front(), max_name_bytes);
}

std::string lifecycle_text(const protocol::TerminalInfo& terminal) {
  if (std::holds_alternative<protocol::Failed>(terminal.lifecycle)) {
    return "failed";
  }
  const auto* const exited = std::get_if<protocol::Exited>(&terminal.lifecycle);
  if (exited == nullptr) {
    return "running";
  }
  if (terminal.child_exit && terminal.child_exit->signal) {
    return "killed " + printable(*terminal.child_exit->signal, max_name_bytes);
  }
  return exited->exit_code ? "exited " + std::to_string(*exited->exit_code) : "exited";
}

int status_of(std::optional<std::int32_t> exit_code) {
  constexpr int most = 255;
  if (!exit_code) {
    return exit_status::error;
  }
  return *exit_code < 0 || *exit_code > most ? most : *exit_code;
}

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  if (const auto time = duration_from_text(text)) {
    return *time;
  }
  return Error{Code::bad_request,
               "a time is a number of seconds, or like 500ms, 90s, 2m, 1h (from 0 to 24h), not " +
                   std::string(text)};
}

Result<std::string> working_directory() {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (!error) {
    return here.string();
  }
  std::error_code unknown;
  std::string gone = fs::read_symlink("/proc/self/cwd", unknown).string();
  constexpr std::string_view mark = " (deleted)";
  if (gone.ends_with(mark)) {
    gone.erase(gone.size() - mark.size());
  }
  return Error{Code::bad_request, "the working directory " + gone + (gone.empty() ? "" : " ") +
                                      "is gone: " + error.message() + "; cd to another one"};
}

Result<std::string> absolute_path(const std::string& path) {
  std::filesystem::path whole(path);
  if (!whole.is_absolute()) {
    const Result<std::string> here = working_directory();
    if (!here) {
      return here.error();
    }
    whole = *here / whole;
  }
  return whole.lexically_normal().string();
}

Result<TextSize> parse_size(std::string_view text) {
  TextSize size;
  const std::size_t x = text.find('x');
  const std::string_view cols = text.substr(0, x);
  const std::string_view rows =
      x == std::string_view::npos ? std::string_view{} : text.substr(x + 1);
  const auto whole = [](std::string_view digits, std::uint16_t& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc{} && end == digits.data() + digits.size() && value > 0;
  };
  if (!whole(cols, size.cols) || !whole(rows, size.rows)) {
    return Error{
        Code::bad_request,
        "a size is COLUMNSxROWS, each from 1 to 65535, like 120x40, not " + std::string(text)};
  }
  return size;
}

}  // namespace troupe::client::cli
