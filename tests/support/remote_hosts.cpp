// SPDX-License-Identifier: MIT
#include "remote_hosts.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

namespace troupe::test {

namespace fs = std::filesystem;

namespace {

/// As exec takes them; valid as long as `words`.
std::vector<char*> argv_of(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) {
    argv.push_back(const_cast<char*>(word.c_str()));  // NOLINT: exec takes non-const
  }
  argv.push_back(nullptr);
  return argv;
}

int run(const std::vector<std::string>& words) {
  const std::vector<char*> argv = argv_of(words);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(0);
    ::close(1);
    for (const int stream : {0, 1}) {
      ::open("/dev/null", stream == 0 ? O_RDONLY : O_WRONLY);
    }
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct Listening {
  UniqueFd socket;
  std::uint16_t port = 0;
};

Listening listen_on_loopback() {
  Listening result;
  result.socket = UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int fd = result.socket.get();
  REQUIRE(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(fd, 4) == 0);
  socklen_t size = sizeof address;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  result.port = ntohs(address.sin_port);
  return result;
}

/// Accepts the next caller and becomes the program, with the caller as its stdin and stdout.
pid_t serve(int listener, const std::vector<std::string>& words) {
  const std::vector<char*> argv = argv_of(words);
  const pid_t pid = ::fork();
  if (pid == 0) {
    const int caller = ::accept(listener, nullptr, nullptr);
    ::dup2(caller, 0);
    ::dup2(caller, 1);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  return pid;
}

void kill_all(const std::vector<pid_t>& children) {
  for (const pid_t pid : children) {
    ::kill(pid, SIGKILL);  // a server that waits for something must not hold up the test
    ::waitpid(pid, nullptr, 0);
  }
}

fs::path temporary_directory(const char* name) {
  std::string pattern = (fs::temp_directory_path() / (std::string(name) + "-XXXXXX")).string();
  return ::mkdtemp(pattern.data());
}

constexpr const char* telnetd = "/usr/sbin/telnetd";

}  // namespace

ScriptedHost::ScriptedHost(std::function<void(int)> script) {
  Listening listening = listen_on_loopback();
  listener_ = std::move(listening.socket);
  port_ = listening.port;
  thread_ = std::thread([this, script = std::move(script)] {
    const UniqueFd caller(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    script(caller.get());
  });
}

ScriptedHost::~ScriptedHost() {
  ::shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
}

void say(int fd, std::string_view bytes) {
  CHECK(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
}

std::string listen_for(int fd, std::string_view wanted) {
  std::string heard;
  char byte = 0;
  while (heard.find(wanted) == std::string::npos && ::recv(fd, &byte, 1, 0) == 1) {
    heard.push_back(byte);
  }
  return heard;
}

TelnetServer::TelnetServer(const std::string& script) : dir_(temporary_directory("troupe-telnet")) {
  std::ofstream(dir_ / "script") << "#!/bin/sh\n" << script << "\n";
  fs::permissions(dir_ / "script", fs::perms::owner_all);
  Listening listening = listen_on_loopback();
  listener_ = std::move(listening.socket);
  port_ = listening.port;
}

TelnetServer::~TelnetServer() {
  kill_all(children_);
  fs::remove_all(dir_);
}

bool TelnetServer::is_installed() {
  return ::access(telnetd, X_OK) == 0;
}

void TelnetServer::serve_one() {
  children_.push_back(
      serve(listener_.get(), {telnetd, "-h", "-a", "off", "-E", (dir_ / "script").string()}));
}

SshServer::SshServer() {
  dir_ = temporary_directory("troupe-ssh");
  for (const char* name : {"host", "user", "stranger"}) {
    REQUIRE(run({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path(name)}) == 0);
  }
  REQUIRE(run({"ssh-keygen", "-q", "-t", "ed25519", "-N", "open sesame", "-f", path("locked")}) ==
          0);
  std::ofstream(path("authorized")) << text("user.pub") << text("locked.pub");
  Listening listening = listen_on_loopback();
  listener_ = std::move(listening.socket);
  port_ = listening.port;
  std::ofstream(path("known_hosts")) << "[127.0.0.1]:" << port_ << " " << text("host.pub");
  std::ofstream(path("wrong_hosts")) << "[127.0.0.1]:" << port_ << " " << text("stranger.pub");
  std::ofstream(path("config")) << "HostKey " << path("host") << "\nAuthorizedKeysFile "
                                << path("authorized")
                                << "\nSetEnv HOME=" << dir_.string()  // no person's start-up files
                                << "\nStrictModes no\nUsePAM no\nPermitRootLogin yes\n"
                                   "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
                                   "PidFile none\nPrintMotd no\nPrintLastLog no\n";
  ::mkdir("/run/sshd", 0755);
}

SshServer::~SshServer() {
  kill_all(children_);
  fs::remove_all(dir_);
}

void SshServer::serve_one() {
  children_.push_back(
      serve(listener_.get(), {"/usr/sbin/sshd", "-i", "-e", "-q", "-f", path("config")}));
}

std::string SshServer::user() {
  return ::getpwuid(::getuid())->pw_name;  // NOLINT(concurrency-mt-unsafe)
}

std::string SshServer::text(const std::string& name) const {
  std::ifstream file(path(name));
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace troupe::test
