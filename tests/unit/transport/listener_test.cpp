// SPDX-License-Identifier: MIT
#include "transport/listener.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "transport/connector.hpp"

using namespace troupe;
using namespace troupe::transport;

namespace {
struct TemporaryDirectory {
  std::string path = "/tmp/troupe-listener-XXXXXX";
  TemporaryDirectory() { REQUIRE(::mkdtemp(path.data()) != nullptr); }
  ~TemporaryDirectory() { std::filesystem::remove_all(path); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
};
}  // namespace

TEST_CASE("listener: its socket is private under any umask and own processes get in") {  // T-80
  const TemporaryDirectory directory;
  boost::asio::io_context io{1};
  std::string const path = directory.path + "/s.sock";
  const mode_t before = ::umask(0);
  auto listener = Listener::open(io, path);
  CHECK(::umask(before) == 0);
  REQUIRE(listener);
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  UniqueFd accepted;
  (*listener)->start([&](UniqueFd fd) { accepted = std::move(fd); });
  const Result<UniqueFd> client = connect(path, std::chrono::seconds{5});
  REQUIRE(client);
  for (int i = 0; i < 100 && !accepted; ++i) {
    io.run_one_for(std::chrono::milliseconds{50});
  }
  CHECK(accepted);
}

TEST_CASE("connector: nobody there is not_found and a long path bad_request") {  // T-81
  CHECK(connect("/tmp/troupe-nobody-here.sock", std::chrono::seconds{1}).error().code ==
        Code::not_found);
  CHECK(connect(std::string(200, 'x'), std::chrono::seconds{1}).error().code == Code::bad_request);
}
