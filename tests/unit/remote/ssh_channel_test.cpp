// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/unique_fd.hpp"
#include "remote_fixture.hpp"

using troupe::UniqueFd;
using troupe::remote::SshOptions;
using troupe::remote::test::Remote;
namespace fs = std::filesystem;

namespace {

int run(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (const std::string& word : words) {
    argv.push_back(const_cast<char*>(word.c_str()));  // NOLINT: exec takes non-const
  }
  argv.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(1);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// OpenSSH's server on a loopback port of its own, with keys made for the test.
class SshServer {
 public:
  SshServer() {
    std::string pattern = (fs::temp_directory_path() / "troupe-ssh-XXXXXX").string();
    dir_ = ::mkdtemp(pattern.data());
    for (const char* name : {"host", "user", "stranger"}) {
      REQUIRE(run({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path(name)}) == 0);
    }
    REQUIRE(run({"ssh-keygen", "-q", "-t", "ed25519", "-N", "open sesame", "-f", path("locked")}) ==
            0);
    std::ofstream(path("authorized")) << text("user.pub") << text("locked.pub");
    listen();
    std::ofstream(path("known_hosts")) << "[127.0.0.1]:" << port_ << " " << text("host.pub");
    std::ofstream(path("wrong_hosts")) << "[127.0.0.1]:" << port_ << " " << text("stranger.pub");
    std::ofstream(path("config")) << "HostKey " << path("host") << "\nAuthorizedKeysFile "
                                  << path("authorized")
                                  << "\nStrictModes no\nUsePAM no\nPermitRootLogin yes\n"
                                     "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
                                     "PidFile none\nPrintMotd no\nPrintLastLog no\n";
    ::mkdir("/run/sshd", 0755);
  }
  ~SshServer() {
    for (const pid_t pid : children_) {
      ::kill(pid, SIGTERM);
      ::waitpid(pid, nullptr, 0);
    }
    fs::remove_all(dir_);
  }
  SshServer(const SshServer&) = delete;
  SshServer& operator=(const SshServer&) = delete;

  /// Serves the next caller with `sshd -i`.
  void serve_one() {
    const pid_t pid = ::fork();
    if (pid == 0) {
      const int caller = ::accept(listener_.get(), nullptr, nullptr);
      ::dup2(caller, 0);
      ::dup2(caller, 1);
      ::execl("/usr/sbin/sshd", "/usr/sbin/sshd", "-i", "-e", "-q", "-f", path("config").c_str(),
              nullptr);
      ::_exit(127);
    }
    children_.push_back(pid);
  }

  [[nodiscard]] std::string path(const std::string& name) const { return (dir_ / name).string(); }

  [[nodiscard]] SshOptions options() const {
    SshOptions options;
    options.host = "127.0.0.1";
    options.port = port_;
    options.user = ::getpwuid(::getuid())->pw_name;  // NOLINT(concurrency-mt-unsafe)
    options.known_hosts = path("known_hosts");
    options.key_path = path("user");
    options.use_agent = false;
    options.command = "stty size; echo READY; exec cat";
    return options;
  }

 private:
  std::string text(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void listen() {
    listener_ = UniqueFd(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listener_.get(), 4) == 0);
    socklen_t size = sizeof address;
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
  }

  fs::path dir_;
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::vector<pid_t> children_;
};

}  // namespace

TEST_CASE("ssh_channel: a command runs on a terminal of the asked size and its status comes back") {
  SshServer server;
  server.serve_one();
  Remote remote;
  SshOptions options = server.options();
  options.command = "stty size; printf 'h\\303\\251'; exit 7";
  remote.service->open_ssh(options, {91, 33}, remote.opened());
  REQUIRE(remote.run_until([&] { return remote.exit || remote.error; }));
  REQUIRE_FALSE(remote.error);
  CHECK(remote.output == "33 91\r\nh\xC3\xA9");
  CHECK(remote.exit->exit_code == 7);
}

TEST_CASE("ssh_channel: input arrives and a resize reaches the remote program") {
  SshServer server;
  server.serve_one();
  Remote remote;
  SshOptions options = server.options();
  options.command =
      "trap 'stty size' WINCH; echo READY; while read -r line; do echo \"<$line>\"; done";
  remote.service->open_ssh(options, {80, 24}, remote.opened());
  REQUIRE(remote.wait_for("READY"));
  REQUIRE(remote.channel->write("caf\xC3\xA9\r", 5).ok());
  REQUIRE(remote.wait_for("<caf\xC3\xA9>"));
  REQUIRE(remote.channel->resize({100, 40}).ok());
  CHECK(remote.run_until([&] {
    if (remote.output.find("40 100") == std::string::npos && remote.channel->queued_bytes() == 0) {
      CHECK(remote.channel->write("x\r", 0).ok());  // bash runs a trap between two reads
    }
    return remote.output.find("40 100") != std::string::npos;
  }));
}

TEST_CASE("ssh_channel: death by a signal is told as one") {
  SshServer server;
  server.serve_one();
  Remote remote;
  SshOptions options = server.options();
  options.command = "kill -TERM $$";
  remote.service->open_ssh(options, {80, 24}, remote.opened());
  REQUIRE(remote.run_until([&] { return remote.exit || remote.error; }));
  REQUIRE(remote.exit);
  CHECK(remote.exit->signal == SIGTERM);
}

TEST_CASE(
    "ssh_channel: an unknown host key fails before authentication and names the fingerprint") {
  SshServer server;
  server.serve_one();
  Remote remote;
  SshOptions options = server.options();
  std::ofstream(server.path("empty")).flush();
  options.known_hosts = server.path("empty");
  options.password = "hunter2";
  remote.service->open_ssh(options, {80, 24}, remote.opened());
  REQUIRE(remote.run_until([&] { return remote.open_done(); }));
  REQUIRE(remote.error);
  CHECK(remote.error->message.find("SHA256:") != std::string::npos);
  CHECK(remote.error->message.find("hunter2") == std::string::npos);
}

TEST_CASE("ssh_channel: a changed host key is refused") {
  SshServer server;
  server.serve_one();
  Remote remote;
  SshOptions options = server.options();
  options.known_hosts = server.path("wrong_hosts");
  remote.service->open_ssh(options, {80, 24}, remote.opened());
  REQUIRE(remote.run_until([&] { return remote.open_done(); }));
  REQUIRE(remote.error);
  CHECK(remote.error->message.find("does not match") != std::string::npos);
}

TEST_CASE("ssh_channel: a key that the host does not know is a permission error of the open") {
  SshServer server;
  server.serve_one();
  Remote remote;
  SshOptions options = server.options();
  options.key_path = server.path("stranger");
  remote.service->open_ssh(options, {80, 24}, remote.opened());
  REQUIRE(remote.run_until([&] { return remote.open_done(); }));
  REQUIRE(remote.error);
  CHECK(remote.error->message.find("permission denied") != std::string::npos);
}

TEST_CASE("ssh_channel: a passphrase is asked for in the terminal without echo") {
  SshServer server;
  server.serve_one();
  Remote remote;
  SshOptions options = server.options();
  options.key_path = server.path("locked");
  remote.service->open_ssh(options, {80, 24}, remote.opened());
  REQUIRE(remote.wait_for("Enter passphrase for key"));
  REQUIRE(remote.channel->line_state());
  CHECK_FALSE(remote.channel->line_state()->echo);
  CHECK(remote.channel->line_state()->canonical);
  REQUIRE(remote.channel->write("open sesame\r", 1).ok());
  REQUIRE(remote.wait_for("READY"));
  CHECK(remote.output.find("sesame") == std::string::npos);
  CHECK_FALSE(remote.channel->line_state());
}

TEST_CASE("ssh_channel: a megabyte through cat comes back exactly") {
  SshServer server;
  server.serve_one();
  Remote remote;
  SshOptions options = server.options();
  options.command = "stty raw -echo; echo READY; exec cat";
  remote.service->open_ssh(options, {80, 24}, remote.opened());
  REQUIRE(remote.wait_for("READY"));
  remote.output.clear();
  std::string big;
  while (big.size() < 1024U * 1024) {
    big += std::to_string(big.size()) + "\n";
  }
  REQUIRE(remote.channel->write(big, 1).ok());
  REQUIRE(remote.run_until([&] { return remote.output.size() >= big.size(); }));
  CHECK((remote.output == big || remote.output == "\n" + big));
}

TEST_CASE("ssh_channel: terminate answers while a handshake hangs") {
  SshServer server;  // accepts nobody: the caller waits for the banner
  Remote remote;
  remote.service->open_ssh(server.options(), {80, 24}, remote.opened());
  remote.service.reset();
  CHECK_FALSE(remote.open_done());
}
