// SPDX-License-Identifier: MIT
#include "registration/registration.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "registration/files.hpp"
#include "temporary_directory.hpp"

using namespace troupe;
using namespace troupe::registration;
using namespace troupe::registration::test;

namespace {

Registration sample() {
  return {.instance_id = "33e7235c00000000000000000000abcd",
          .pid = 14535,
          .protocol = 7,
          .socket = "/tmp/opencode-pty-1000/e3b0c44298fc1c149afbf4c8996fb924.sock",
          .token = "9ecad32000000000000000000000a803",
          .features = {"request_id", "text"}};
}

std::string own_prefix() {
  return "/tmp/opencode-pty-" + std::to_string(::getuid()) + '/';
}

}  // namespace

// R-1
TEST_CASE("registration: the socket path is the head of SHA-256 over the runtime path") {
  struct Golden {
    const char* path;
    const char* hex;
  };
  // sha256sum of the path, its first 32 digits.
  static constexpr Golden golden[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb924"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223"},
      {"/home/user/.local/state/opencode/pty/default", "624d8cbd310bd65d29ec6bb5b9bec296"},
      {"/run/user/1000/opencode-pty", "c78aad34d71b7c8a0574efa4005b05ef"},
  };
  for (const auto& [path, hex] : golden) {
    CAPTURE(path);
    CHECK(socket_path(path) == own_prefix() + hex + ".sock");
  }
}

TEST_CASE("registration: names are file names that need no quoting") {
  for (const char* name : {"default", "a", "A-Z_0.9", "...", ".hidden", "-x"}) {
    CAPTURE(name);
    CHECK(validate_name(name).ok());
  }
  for (const char* name : {"", ".", "..", "a/b", "a b", "\xc3\xa9", "a\n", "*"}) {
    CAPTURE(name);
    CHECK(validate_name(name).error().code == Code::bad_request);
  }
  CHECK(validate_name(std::string(255, 'x')).ok());
  CHECK_FALSE(validate_name(std::string(256, 'x')).ok());
  CHECK_FALSE(validate_name(std::string("a\0b", 3)).ok());
}

TEST_CASE("registration: the root follows XDG_STATE_HOME then home then the fallbacks") {
  const TemporaryDirectory home;
  const Variable home_variable("HOME", home.path().c_str());
  {
    const Variable state("XDG_STATE_HOME", "/state");
    CHECK(default_root() == "/state/opencode/pty");
  }
  {
    const Variable state("XDG_STATE_HOME", "relative");
    CHECK(default_root() == home.path() + "/.local/state/opencode/pty");
  }
  const Variable state("XDG_STATE_HOME", nullptr);
  CHECK(default_root() == home.path() + "/.local/state/opencode/pty");
  const Variable nowhere("HOME", "/no/such/home");
  {
    const Variable runtime("XDG_RUNTIME_DIR", "/run/user/1");
    CHECK(default_root() == "/run/user/1/opencode-pty");
  }
  const Variable runtime("XDG_RUNTIME_DIR", nullptr);
  CHECK(default_root() == own_prefix() + "state");
}

TEST_CASE(
    "registration: a name chooses below the root and the environment chooses without a name") {
  CHECK(runtime_directory("/root", "n").value() == "/root/n");
  CHECK(runtime_directory("rel", "n").value() ==
        std::filesystem::current_path().string() + "/rel/n");
  CHECK(runtime_directory("/root", "..").error().code == Code::bad_request);
  const Variable variable("OPENCODE_PTY_RUNTIME_DIR", "/given/directory");
  CHECK(select_runtime_directory("", "").value() == "/given/directory");
  CHECK(select_runtime_directory("/root", "n").value() == "/root/n");
  CHECK_FALSE(select_runtime_directory("/root", "").ok());
  const Variable unset("OPENCODE_PTY_RUNTIME_DIR", nullptr);
  CHECK(select_runtime_directory("", "").error().message == "--name NAME is required");
}

TEST_CASE("registration: the file is pretty JSON in a fixed order") {
  const auto text = encode(sample());
  CHECK(text ==
        "{\n"
        "  \"instance_id\": \"33e7235c00000000000000000000abcd\",\n"
        "  \"pid\": 14535,\n"
        "  \"protocol\": 7,\n"
        "  \"socket\": \"/tmp/opencode-pty-1000/e3b0c44298fc1c149afbf4c8996fb924.sock\",\n"
        "  \"token\": \"9ecad32000000000000000000000a803\",\n"
        "  \"features\": [\n"
        "    \"request_id\",\n"
        "    \"text\"\n"
        "  ]\n"
        "}\n");
  const auto back = decode(text);
  REQUIRE(back.ok());
  CHECK(encode(*back) == text);
}

TEST_CASE("registration: unknown keys are ignored and features may be missing") {
  const auto result = decode(
      R"({"token":"t","socket":"/s","protocol":6,"pid":1,"instance_id":"i","future":{"x":[1]}})");
  REQUIRE(result.ok());
  CHECK(result->protocol == 6);
  CHECK(result->features.empty());
}

TEST_CASE("registration: what is not a registration is refused") {
  const auto text = encode(sample());
  for (std::size_t length = 0; length + 2 < text.size(); ++length) {
    CAPTURE(length);
    CHECK_FALSE(decode(text.substr(0, length)).ok());
  }
  for (const char* bad : {
           "[]",
           "null",
           R"({"instance_id":"i","pid":0,"protocol":7,"socket":"/s","token":"t"})",
           R"({"instance_id":"i","pid":-5,"protocol":7,"socket":"/s","token":"t"})",
           R"({"instance_id":"i","pid":99999999999,"protocol":7,"socket":"/s","token":"t"})",
           R"({"instance_id":"i","pid":1.5,"protocol":7,"socket":"/s","token":"t"})",
           R"({"instance_id":"i","pid":"1","protocol":7,"socket":"/s","token":"t"})",
           R"({"instance_id":"i","pid":1,"protocol":7,"socket":"relative","token":"t"})",
           R"({"instance_id":"i","pid":1,"protocol":7,"socket":"/s","token":""})",
           R"({"instance_id":"i","pid":1,"protocol":7,"socket":"/s","token":"t","features":[1]})",
           R"({"instance_id":"i","pid":1,"protocol":7,"socket":"/s"})",
       }) {
    CAPTURE(bad);
    CHECK_FALSE(decode(bad).ok());
  }
  auto long_socket = sample();
  long_socket.socket = '/' + std::string(107, 's');
  CHECK_FALSE(decode(encode(long_socket)).ok());
}

// R-5
TEST_CASE("registration: a client reads only a private regular file of its own") {
  const TemporaryDirectory root;
  const auto directory = root.path();
  const auto file = root / "service.json";
  CHECK(load_registration(root / "absent").error().code == Code::not_found);
  CHECK(load_registration(directory).error().code == Code::not_found);
  write_file(file, encode(sample()));
  REQUIRE(load_registration(directory).ok());
  CHECK(load_registration(directory)->token == sample().token);

  const auto refused = [&](const char* why) {
    const auto result = load_registration(directory);
    CAPTURE(why);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == Code::io);
    CHECK(result.error().message.find(file) != std::string::npos);
    CHECK(result.error().message.find(why) != std::string::npos);
    CHECK(result.error().message.find(sample().token) == std::string::npos);
  };
  for (const mode_t mode : {0640U, 0604U, 0620U, 0602U}) {
    REQUIRE(::chmod(file.c_str(), mode) == 0);
    refused("others may");
  }
  write_file(file, std::string(max_registration_bytes + 1, ' '));
  refused("too large");
  write_file(file, "{}");
  refused("not a registration");
  REQUIRE(::unlink(file.c_str()) == 0);
  write_file(root / "elsewhere", encode(sample()));
  REQUIRE(::symlink((root / "elsewhere").c_str(), file.c_str()) == 0);
  refused("symbolic link");
  REQUIRE(::unlink(file.c_str()) == 0);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  refused("not a regular file");
  REQUIRE(::unlink(file.c_str()) == 0);
  if (::geteuid() == 0) {
    write_file(file, encode(sample()));
    REQUIRE(::chown(file.c_str(), 12345, 12345) == 0);
    refused("another user");
  }
}
