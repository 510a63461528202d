// SPDX-License-Identifier: MIT
#include "remote/options.hpp"

#include <functional>
#include <map>
#include <nlohmann/json.hpp>

namespace troupe::remote {
namespace {

using Json = nlohmann::json;

/// Reads one value; false where its type or range is wrong.
using Reader = std::function<bool(const Json&)>;
using Readers = std::map<std::string, Reader, std::less<>>;

Reader text(std::string& into) {
  return [&into](const Json& value) {
    if (!value.is_string()) {
      return false;
    }
    into = value.get<std::string>();
    return into.find('\0') == std::string::npos;
  };
}

/// Bounded: what masks it in recordings compares each byte with it.
Reader secret(std::string& into) {
  return
      [&into](const Json& value) { return text(into)(value) && into.size() <= max_secret_bytes; };
}

Reader flag(bool& into) {
  return [&into](const Json& value) {
    if (!value.is_boolean()) {
      return false;
    }
    into = value.get<bool>();
    return true;
  };
}

template <class T>
Reader number(T& into, std::uint64_t floor, std::uint64_t ceiling) {
  return [&into, floor, ceiling](const Json& value) {
    if (!value.is_number_unsigned()) {
      return false;
    }
    const auto given = value.get<std::uint64_t>();
    if (given < floor || given > ceiling) {
      return false;
    }
    into = static_cast<T>(given);
    return true;
  };
}

Reader charset(Charset& into) {
  return [&into](const Json& value) {
    const auto named =
        value.is_string() ? charset_from_name(value.get<std::string>()) : std::nullopt;
    if (named) {
      into = *named;
    }
    return named.has_value();
  };
}

Reader ignored() {
  return [](const Json&) { return true; };
}

/// Applies `readers` to every member that is not null.
Result<> read_object(std::string_view json_text, std::string_view kind, const Readers& readers) {
  const Json object = Json::parse(json_text, nullptr, false);
  if (!object.is_object()) {
    return Error{Code::bad_request, std::string(kind) + " options must be a JSON object"};
  }
  std::string unknown;
  for (const auto& [key, value] : object.items()) {
    const auto reader = readers.find(key);
    if (reader == readers.end()) {
      unknown += unknown.empty() ? "" : ", ";
      unknown += "'" + key.substr(0, 64) + "'";
    } else if (!value.is_null() && !reader->second(value)) {
      return Error{Code::bad_request,
                   std::string(kind) + " option '" + key + "' has a wrong value"};
    }
    if (unknown.size() > 512) {
      break;
    }
  }
  if (!unknown.empty()) {
    return Error{Code::bad_request,
                 "unknown " + std::string(kind) + " connector_config keys: [" + unknown + "]"};
  }
  return success();
}

constexpr std::uint64_t day_s = 86'400;

}  // namespace

Result<SshOptions> parse_ssh_options(std::string_view json_text) {
  SshOptions options;
  const Readers readers = {
      {"host", text(options.host)},
      {"port", number(options.port, 1, 65'535)},
      {"user", text(options.user)},
      {"username", text(options.user)},
      {"key_path", text(options.key_path)},
      {"client_key", text(options.key_path)},
      {"client_key_path", text(options.key_path)},
      {"password", secret(options.password)},
      {"passphrase", secret(options.passphrase)},
      {"known_hosts", text(options.known_hosts)},
      {"insecure_no_host_check", flag(options.insecure_no_host_check)},
      {"use_ssh_config", flag(options.use_ssh_config)},
      {"use_agent", flag(options.use_agent)},
      {"command", text(options.command)},
      {"term", text(options.term)},
      {"connect_timeout_s", number(options.connect_timeout_s, 1, 300)},
      {"keepalive_s", number(options.keepalive_s, 0, day_s)},
      {"encoding", charset(options.charset)},
      {"input_mode", ignored()},
      {"hub_overlay", ignored()},
  };
  if (auto read = read_object(json_text, "ssh", readers); !read) {
    return read.error();
  }
  if (options.host.empty()) {
    return Error{Code::bad_request, "ssh needs a host"};
  }
  if (options.known_hosts.empty() && !options.insecure_no_host_check && !options.use_ssh_config) {
    return Error{Code::bad_request,
                 "ssh to " + options.host +
                     " needs known_hosts (a file that holds the host's key), or "
                     "insecure_no_host_check=true to connect without checking it"};
  }
  return options;
}

Result<TelnetOptions> parse_telnet_options(std::string_view json_text) {
  TelnetOptions options;
  const Readers readers = {
      {"host", text(options.host)},
      {"port", number(options.port, 1, 65'535)},
      {"connect_timeout_s", number(options.connect_timeout_s, 1, 300)},
      {"encoding", charset(options.charset)},
      {"input_mode", ignored()},
      {"hub_overlay", ignored()},
  };
  if (auto read = read_object(json_text, "telnet", readers); !read) {
    return read.error();
  }
  if (options.host.empty()) {
    return Error{Code::bad_request, "telnet needs a host"};
  }
  return options;
}

std::string describe(const SshOptions& options) {
  const std::string user = options.user.empty() ? "" : options.user + "@";
  return user + options.host + ":" + std::to_string(options.port == 0 ? 22 : options.port);
}

std::string describe(const TelnetOptions& options) {
  return options.host + ":" + std::to_string(options.port);
}

}  // namespace troupe::remote
