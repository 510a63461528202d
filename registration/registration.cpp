// SPDX-License-Identifier: MIT
#include "registration/registration.hpp"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "base/environment.hpp"
#include "registration/files.hpp"

namespace troupe::registration {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t max_text_bytes = 256;

bool is_absolute(const std::optional<std::string>& path) {
  return path && path->starts_with('/');
}

bool is_directory(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

/// The home directory, if there is one in the file system.
std::optional<std::string> home_directory() {
  auto home = environment_value("HOME");
  if (!is_absolute(home)) {
    std::array<char, 4096> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
        found == nullptr) {
      return std::nullopt;
    }
    home = found->pw_dir;
  }
  return is_absolute(home) && is_directory(*home) ? home : std::nullopt;
}

std::string absolute(std::string_view path) {
  std::error_code error;
  const auto result = std::filesystem::absolute(path, error);
  return error ? std::string(path) : result.lexically_normal().string();
}

bool is_name_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

std::optional<std::string> text_of(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) {
    return std::nullopt;
  }
  auto text = found->get<std::string>();
  const bool good =
      !text.empty() && text.size() <= max_text_bytes && text.find('\0') == std::string::npos;
  return good ? std::optional(std::move(text)) : std::nullopt;
}

std::optional<int> number_of(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) {
    return std::nullopt;
  }
  const bool fits =
      found->is_number_unsigned() && found->get<std::uint64_t>() <= std::numeric_limits<int>::max();
  return fits ? std::optional(found->get<int>()) : std::nullopt;
}

std::optional<std::vector<std::string>> features_of(const ordered_json& object) {
  std::vector<std::string> result;
  const auto found = object.find("features");
  if (found == object.end()) {
    return result;
  }
  if (!found->is_array()) {
    return std::nullopt;
  }
  for (const auto& feature : *found) {
    if (!feature.is_string()) {
      return std::nullopt;
    }
    result.push_back(feature.get<std::string>());
  }
  return result;
}

}  // namespace

Result<> validate_name(std::string_view name) {
  const bool good = !name.empty() && name.size() <= 255 && name != "." && name != ".." &&
                    std::all_of(name.begin(), name.end(), is_name_character);
  if (!good) {
    return Error{
        Code::bad_request,
        "a name consists of letters, digits, '.', '_' and '-', and is neither '.' nor '..'"};
  }
  return success();
}

std::string default_root() {
  if (const auto state = environment_value("XDG_STATE_HOME"); is_absolute(state)) {
    return absolute(*state + "/opencode/pty");
  }
  if (const auto home = home_directory()) {
    return absolute(*home + "/.local/state/opencode/pty");
  }
  if (const auto runtime = environment_value("XDG_RUNTIME_DIR"); is_absolute(runtime)) {
    return absolute(*runtime + "/opencode-pty");
  }
  return socket_directory() + "/state";
}

Result<std::string> runtime_directory(std::string_view root, std::string_view name) {
  if (auto valid = validate_name(name); !valid) {
    return valid.error();
  }
  return (root.empty() ? default_root() : absolute(root)) + '/' + std::string(name);
}

Result<std::string> select_runtime_directory(std::string_view root, std::string_view name) {
  if (!name.empty()) {
    return runtime_directory(root, name);
  }
  const auto directory = environment_value("OPENCODE_PTY_RUNTIME_DIR");
  if (!root.empty() || !directory) {
    return Error{Code::bad_request, "--name NAME is required"};
  }
  return absolute(*directory);
}

std::string socket_directory() {
  return "/tmp/opencode-pty-" + std::to_string(::getuid());
}

std::string encode(const Registration& registration) {
  const ordered_json json{
      {"instance_id", registration.instance_id},
      {"pid", registration.pid},
      {"protocol", registration.protocol},
      {"socket", registration.socket},
      {"token", registration.token},
      {"features", registration.features},
  };
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

Result<Registration> decode(std::string_view text) {
  const Error broken{Code::bad_request, "not a registration"};
  const auto json = ordered_json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return broken;
  }
  auto instance_id = text_of(json, "instance_id");
  auto socket = text_of(json, "socket");
  auto token = text_of(json, "token");
  const auto pid = number_of(json, "pid");
  const auto protocol = number_of(json, "protocol");
  auto features = features_of(json);
  if (!instance_id || !socket || !token || !pid || !protocol || !features || *pid < 1 ||
      !socket->starts_with('/') || socket->size() >= sizeof(sockaddr_un::sun_path)) {
    return broken;
  }
  return Registration{
      std::move(*instance_id), *pid, *protocol, std::move(*socket), std::move(*token),
      std::move(*features)};
}

Result<Registration> load_registration(const std::string& runtime_directory) {
  const auto path = runtime_directory + '/' + registration_name;
  const UniqueFd directory(::open(runtime_directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) {
    return errno == ENOENT || errno == ENOTDIR
               ? Error{Code::not_found, "no daemon is registered in " + runtime_directory}
               : file_error("cannot open", runtime_directory, errno);
  }
  auto text = read_private_file(directory.get(), registration_name, path);
  if (!text) {
    return text.error().code == Code::not_found
               ? Error{Code::not_found, "no daemon is registered in " + runtime_directory}
               : text.error();
  }
  auto registration = decode(*text);
  if (!registration) {
    return Error{Code::io, path + " is not a registration"};
  }
  return registration;
}

}  // namespace troupe::registration
