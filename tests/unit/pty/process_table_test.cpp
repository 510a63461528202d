// SPDX-License-Identifier: MIT
#include "pty/process_table.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <string>

using namespace troupe::pty;

namespace {

struct Row {
  int pid;
  int parent;
  int group;
  int session;
  const char* name;
  char state = 'S';
  int foreground = 20;
};

ProcessTable table_of(std::initializer_list<Row> rows) {
  std::vector<ProcessInfo> processes;
  for (const auto& row : rows) {
    ProcessInfo info;
    info.pid = row.pid;
    info.parent = row.parent;
    info.group = row.group;
    info.session = row.session;
    info.tty = 34816;
    info.foreground_group = row.foreground;
    info.state = row.state;
    info.threads = 1;
    info.name = row.name;
    processes.push_back(info);
  }
  return ProcessTable(std::move(processes));
}

bool everybody(const ProcessInfo& /*process*/) {
  return true;
}
bool nobody(const ProcessInfo& /*process*/) {
  return false;
}

std::vector<int> pids(const std::vector<ProcessInfo>& processes) {
  std::vector<int> result;
  for (const auto& process : processes) {
    result.push_back(process.pid);
  }
  return result;
}

constexpr const char* stat_tail =
    " S 1 20 10 34816 20 4194304 1 2 3 4 5 6 7 8 20 0 3 0 987654 0 0 18446744073709551615 0\n";

}  // namespace

TEST_CASE("process_table: a stat line is read whatever the name holds") {
  for (const char* name : {"bash", "a b", ") S 1 2 3", "((", "x) R 9 (y"}) {
    const auto info = parse_stat("77 (" + std::string(name) + ")" + stat_tail);
    CAPTURE(name);
    REQUIRE(info.has_value());
    CHECK(info->pid == 77);
    CHECK(info->name == name);
    CHECK(info->parent == 1);
    CHECK(info->group == 20);
    CHECK(info->session == 10);
    CHECK(info->tty == 34816);
    CHECK(info->foreground_group == 20);
    CHECK(info->threads == 3);
    CHECK(info->start_time == 987654);
  }
}

TEST_CASE("process_table: no piece of a stat line is taken for a whole one") {
  const auto text = std::string("77 (bash)") + stat_tail;
  const auto enough = text.find(" 987654") + 2;
  for (std::size_t length = 0; length < enough; ++length) {
    CAPTURE(length);
    CHECK_FALSE(parse_stat(text.substr(0, length)).has_value());
  }
  CHECK_FALSE(parse_stat("(a) S 1").has_value());
  CHECK_FALSE(parse_stat(") ( S 1").has_value());
}

TEST_CASE("process_table: this process is found with its own facts") {
  const auto table = ProcessTable::read();
  const auto* self = table.find(::getpid());
  REQUIRE(self != nullptr);
  CHECK(self->parent == ::getppid());
  CHECK(self->session == ::getsid(0));
  CHECK_FALSE(self->dead());
  CHECK(read_process(::getpid())->start_time == self->start_time);
  CHECK(table.find(-1) == nullptr);
}

TEST_CASE("process_table: the foreground is the deepest member and the highest pid at a tie") {
  const auto table = table_of({{10, 1, 10, 10, "bash"},
                               {20, 10, 20, 10, "make"},
                               {21, 20, 20, 10, "cc"},
                               {22, 20, 20, 10, "ld"},
                               {30, 10, 30, 10, "sleep"}});
  CHECK(table.foreground(10, everybody) == "ld");
  CHECK(table.foreground(99, everybody).empty());
}

TEST_CASE("process_table: members that use the terminal come first and all count where none does") {
  const auto table =
      table_of({{10, 1, 10, 10, "bash"}, {20, 10, 20, 10, "less"}, {21, 20, 20, 10, "filter"}});
  CHECK(table.foreground(10, [](const ProcessInfo& p) { return p.pid == 20; }) == "less");
  CHECK(table.foreground(10, nobody) == "filter");
}

TEST_CASE("process_table: the dead and other terminals are not in the foreground") {
  CHECK(table_of({{10, 1, 10, 10, "bash"}, {20, 10, 20, 10, "gone", 'Z'}})
            .foreground(10, everybody)
            .empty());
  CHECK(table_of({{10, 1, 10, 10, "bash", 'S', -1}}).foreground(10, everybody).empty());
}

// PT-7
TEST_CASE("process_table: a session tree holds jobs and descendants that left the session") {
  const auto table = table_of({{5, 40, 5, 5, "grandchild"},  // pids wrapped: older number, younger
                               {10, 1, 10, 10, "bash"},
                               {20, 10, 20, 10, "job"},
                               {30, 1, 30, 10, "orphan"},
                               {40, 10, 40, 40, "setsid"},
                               {50, 10, 50, 10, "gone", 'Z'},
                               {60, 1, 60, 60, "stranger"}});
  CHECK(pids(table.session_tree(10)) == std::vector<int>{5, 10, 20, 30, 40});
}

TEST_CASE("process_table: a zombie with living threads is alive and circles end") {
  ProcessInfo info;
  info.state = 'Z';
  info.threads = 2;
  CHECK_FALSE(info.dead());
  info.threads = 0;
  CHECK(info.dead());
  const auto circle = table_of({{10, 11, 20, 10, "a"}, {11, 10, 20, 10, "b"}});
  CHECK_FALSE(circle.foreground(10, everybody).empty());
}
