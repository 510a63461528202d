// SPDX-License-Identifier: MIT
#include "bench/load/daemon.hpp"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "bench/load/failure.hpp"
#include "bench/load/samples.hpp"

namespace troupe::bench {
namespace {

using Json = nlohmann::json;

constexpr std::string_view runtime_name = "load";
constexpr double start_deadline_ms = 10'000;
constexpr double stop_deadline_ms = 10'000;
constexpr std::chrono::milliseconds poll_interval{2};

std::string filled_in(std::string text, const std::string& directory) {
  const auto replace = [&text](std::string_view what, std::string_view with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
      text.replace(at, what.size(), with);
      at += with.size();
    }
  };
  replace("{dir}", directory);
  replace("{name}", runtime_name);
  return text;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  std::transform(strings.begin(), strings.end(), std::back_inserter(result),
                 [](std::string& text) { return text.data(); });
  result.push_back(nullptr);
  return result;
}

pid_t start(const DaemonCommand& command, const std::string& directory) {
  std::vector<std::string> arguments;
  for (const std::string& argument : command.command) {
    arguments.push_back(filled_in(argument, directory));
  }
  std::vector<std::string> variables;
  for (const std::string& variable : command.environment) {
    variables.push_back(filled_in(variable, directory));
  }
  for (char** variable = environ; *variable != nullptr; ++variable) {
    variables.emplace_back(*variable);
  }
  std::vector<char*> argv = pointers(arguments);
  std::vector<char*> envp = pointers(variables);
  pid_t pid = -1;
  const int error = ::posix_spawnp(&pid, argv[0], nullptr, nullptr, argv.data(), envp.data());
  if (error != 0) {
    errno = error;
    throw_errno("start " + arguments[0]);
  }
  return pid;
}

Json parsed(const std::string& text) {
  Json value = Json::parse(text, nullptr, false);
  if (!value.is_object()) {
    throw Failure("not a JSON object: " + text.substr(0, 200));
  }
  return value;
}

}  // namespace

std::string create_request(const std::vector<std::string>& command) {
  const Json request = {{"op", "create"},
                        {"program", command.at(0)},
                        {"args", std::vector<std::string>(command.begin() + 1, command.end())},
                        {"cwd", "/"},
                        {"title", "load"},
                        {"group_id", "load"},
                        {"env", Json::object()},
                        {"cols", 80},
                        {"rows", 24}};
  const std::string text = request.dump();
  return text.substr(1, text.size() - 2);
}

std::string created_id(const std::string& answer) {
  const Json value = parsed(answer);
  if (!value.contains("terminal")) {
    throw Failure("no terminal was created: " + answer.substr(0, 200));
  }
  return value["terminal"]["id"].dump();
}

Daemon::Daemon(const DaemonCommand& command, const std::string& directory)
    : pid_(start(command, directory)) {
  await_registration(filled_in(command.registration, directory));
  owner_ = std::make_unique<Connection>(endpoint_);
  owner_->send("\"op\":\"own\",\"instance_id\":\"" + instance_id_ + "\"");
  const std::string answer = owner_->read().json();
  if (parsed(answer)["type"] != "owned") {
    throw Failure("the daemon could not be claimed: " + answer);
  }
}

void Daemon::await_registration(const std::string& path) {
  // The file appears by an atomic rename once the socket answers; nothing tells of it otherwise.
  const auto begun = Clock::now();
  while (elapsed_ms(begun) < start_deadline_ms) {
    std::ifstream file(path);
    std::stringstream text;
    if (file && text << file.rdbuf()) {
      const Json registration = parsed(text.str());
      endpoint_ = {registration.value("socket", ""), registration.value("token", "")};
      instance_id_ = registration.value("instance_id", "");
      features_ = registration.value("features", std::vector<std::string>());
      return;
    }
    if (::waitpid(pid_, nullptr, WNOHANG) == pid_) {
      throw Failure("the daemon ended at once");
    }
    std::this_thread::sleep_for(poll_interval);
  }
  throw Failure("no registration at " + path);
}

Daemon::~Daemon() {
  // Its owner's leaving stops it; the signal is for one that does not.
  owner_.reset();
  const auto begun = Clock::now();
  while (::waitpid(pid_, nullptr, WNOHANG) == 0) {
    if (elapsed_ms(begun) > stop_deadline_ms) {
      ::kill(pid_, SIGKILL);
    }
    std::this_thread::sleep_for(poll_interval);
  }
}

bool Daemon::has_feature(const std::string& name) const {
  return std::find(features_.begin(), features_.end(), name) != features_.end();
}

std::string Daemon::ask(std::string_view request) const {
  Connection connection(endpoint_);
  connection.send(request);
  const Frame frame = connection.read();
  if (frame.json().find("\"type\":\"error\"") != std::string::npos) {
    throw Failure(std::string(request) + ": " + frame.json());
  }
  return frame.json();
}

std::string Daemon::create(const std::vector<std::string>& command) const {
  return created_id(ask(create_request(command)));
}

void Daemon::terminate(const std::string& id) const {
  (void)ask("\"op\":\"terminate\",\"id\":" + id);
}

double Daemon::cpu_ms() const {
  clockid_t clock{};
  timespec time{};
  if (::clock_getcpuclockid(pid_, &clock) != 0 || ::clock_gettime(clock, &time) != 0) {
    throw_errno("the daemon's CPU time");
  }
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

double Daemon::living_threads_cpu_ms() const {
  double ns = 0;
  for (const auto& task :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid_) + "/task")) {
    std::ifstream file(task.path() / "schedstat");
    double run_ns = 0;
    file >> run_ns;
    ns += run_ns;
  }
  return ns / 1e6;
}

double Daemon::status_number(const std::string& key) const {
  std::ifstream file("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key + ":", 0) == 0) {
      return std::stod(line.substr(key.size() + 1));
    }
  }
  throw Failure("no " + key + " of the daemon");
}

double Daemon::resident_kib() const {
  return status_number("VmRSS");
}

double Daemon::threads() const {
  return status_number("Threads");
}

}  // namespace troupe::bench
