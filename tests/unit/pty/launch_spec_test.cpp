// SPDX-License-Identifier: MIT
#include "pty/launch_spec.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace troupe;
using namespace troupe::pty;

namespace {

LaunchSpec spec_of(std::string program) {
  LaunchSpec spec;
  spec.program = std::move(program);
  spec.cwd = "/tmp";
  return spec;
}

}  // namespace

// PT-9
TEST_CASE("launch_spec: the daemon's terminal and service variables do not reach the child") {
  const Environment base{{"TMUX", "x"},
                         {"STY", "x"},
                         {"ZELLIJ_SESSION_NAME", "x"},
                         {"LISTEN_FDS", "1"},
                         {"LISTEN_PID", "1"},
                         {"NOTIFY_SOCKET", "x"},
                         {"INVOCATION_ID", "x"},
                         {"JOURNAL_STREAM", "x"},
                         {"LANG", "C.UTF-8"},
                         {"TERM", "dumb"},
                         {"OPENCODE_PTY_RUNTIME_DIR", "/r"}};
  const auto child = child_environment(base, spec_of("sh"));
  CHECK(child == Environment{{"LANG", "C.UTF-8"},
                             {"OPENCODE_PTY_RUNTIME_DIR", "/r"},
                             {"TERM", "xterm-256color"},
                             {"COLORTERM", "truecolor"}});
}

TEST_CASE("launch_spec: the request wins over the daemon and the terminal's own over both") {
  auto spec = spec_of("sh");
  spec.env = {{"A", "request"}, {"TROUPE_NONCE", "forged"}, {"TERM", "vt52"}, {"TMUX", "asked"}};
  spec.extra = {{"TROUPE_NONCE", "ours"}};
  const auto child = child_environment({{"A", "daemon"}, {"B", "daemon"}}, spec);
  CHECK(child.at("A") == "request");
  CHECK(child.at("B") == "daemon");
  CHECK(child.at("TROUPE_NONCE") == "ours");
  CHECK(child.at("TERM") == "xterm-256color");
  CHECK(child.at("TMUX") == "asked");
}

TEST_CASE("launch_spec: what no exec can take is refused with the wire's words") {
  const auto message = [](const LaunchSpec& spec) {
    const auto result = validate(spec);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Code::bad_request);
    return result.error().message;
  };
  CHECK(message(spec_of("")) == "terminal program cannot be empty");
  CHECK(message(spec_of(" \t")) == "terminal program cannot be empty");
  auto spec = spec_of("sh");
  CHECK(validate(spec).ok());
  spec.args = {std::string("a\0b", 3)};
  CHECK(message(spec) == "failed to spawn sh: nul byte found in provided data");
  spec = spec_of("sh");
  spec.env = {{"A", std::string("\0", 1)}};
  CHECK(message(spec) == "failed to spawn sh: nul byte found in provided data");
  spec.env = {{"A=B", "x"}};
  CHECK(message(spec) == "failed to spawn sh: invalid environment variable name");
  spec = spec_of("sh");
  spec.size.rows = 0;
  CHECK(message(spec) == "terminal dimensions must be positive");
}

TEST_CASE("launch_spec: programs are sought where the child will look") {
  using Paths = std::vector<std::string>;
  const Environment env{{"PATH", "/a:/b/::rel"}};
  CHECK(executable_candidates("/bin/x", env, "/w") == Paths{"/bin/x"});
  CHECK(executable_candidates("./x", env, "/w") == Paths{"/w/./x"});
  CHECK(executable_candidates("d/x", env, "/") == Paths{"/d/x"});
  CHECK(executable_candidates("x", env, "/w") == Paths{"/a/x", "/b/x", "/w/x", "/w/rel/x"});
  CHECK(executable_candidates("x", {}, "/w") == Paths{"/bin/x", "/usr/bin/x"});
}
