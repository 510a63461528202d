// SPDX-License-Identifier: MIT
#include "scenario/files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/environment.hpp"
#include "base/result.hpp"
#include "scenario/yaml_tree.hpp"

namespace troupe::scenario {
namespace {

namespace fs = std::filesystem;

struct File {
  UniqueFd fd;
  std::string text;
};

/// Reads one byte more than is allowed, which the parser then refuses.
Result<File> read_file(const std::string& path) {
  File file;
  file.fd.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.fd) {
    return Error{Code::io, std::strerror(errno)};
  }
  std::array<char, 64 * 1024> buffer{};
  while (file.text.size() <= max_file_bytes) {
    const ssize_t count = ::read(file.fd.get(), buffer.data(), buffer.size());
    if (count == 0) {
      break;
    }
    if (count < 0 && errno != EINTR) {
      return Error{Code::io, std::strerror(errno)};
    }
    file.text.append(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  return file;
}

Place place_of(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  return {path, whole.parent_path().string(), environment_value("HOME").value_or("/")};
}

Problem unreadable(const std::string& path, const std::string& why) {
  return {path, 0, "cannot be read: " + why};
}

/// Nothing where there is no such file and none is named.
Read<Personas> load_personas(const Scenario& scenario) {
  constexpr const char* usual_name = "personas.yaml";
  const std::string path = resolve_path(scenario.place, scenario.personas.value_or(usual_name));
  const Result<File> file = read_file(path);
  if (file) {
    return read_personas(file->text, place_of(path));
  }
  Read<Personas> read;
  std::error_code error;
  if (scenario.personas || fs::exists(path, error)) {
    read.problems.push_back({scenario.place.file, scenario.personas_line,
                             "personas: " + path + ": " + file.error().message});
  }
  return read;
}

}  // namespace

LoadedPlan load_plan(const std::string& path) {
  LoadedPlan loaded;
  Result<File> file = read_file(path);
  if (!file) {
    loaded.plan.problems.push_back(unreadable(path, file.error().message));
    return loaded;
  }
  if (::flock(file->fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    loaded.plan.problems.push_back({path, 0, "another `troupe up` of this file is at work"});
    return loaded;
  }
  loaded.lock = std::move(file->fd);
  const Read<Scenario> scenario = read_scenario(file->text, place_of(path));
  loaded.plan.problems = scenario.problems;
  if (scenario.value) {
    const Read<Personas> personas = load_personas(*scenario.value);
    loaded.plan.problems = personas.problems;
    if (personas.problems.empty()) {
      loaded.plan = make_plan(*scenario.value, personas.value ? &*personas.value : nullptr);
    }
  }
  loaded.plan.notes = scenario.notes;
  return loaded;
}

Read<std::string> load_name(const std::string& named) {
  std::error_code error;
  const bool path = named.find('/') != std::string::npos || named.ends_with(".yaml") ||
                    named.ends_with(".yml") || fs::is_regular_file(named, error);
  Read<std::string> read;
  if (!path) {
    read.value = named;
    return read;
  }
  const Result<File> file = read_file(named);
  if (!file) {
    read.problems.push_back(unreadable(named, file.error().message));
    return read;
  }
  return read_scenario_name(file->text, place_of(named));
}

}  // namespace troupe::scenario
