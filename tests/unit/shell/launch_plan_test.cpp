// SPDX-License-Identifier: MIT
#include "shell/launch_plan.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace troupe::shell {

namespace {

using Args = std::vector<std::string>;
using Env = std::map<std::string, std::string>;

LaunchPlan planned(const std::string& program, const Args& args, const Env& env = {}) {
  return plan({program, args, env}, "/run/x");
}

}  // namespace

TEST_CASE("launch_plan: SHELL-1 what it does not know starts unchanged") {
  struct Row {
    const char* program;
    Args args;
  };
  const std::vector<Row> rows{
      {"/bin/sh", {}},
      {"sh", {"-i"}},
      {"vim", {"bash"}},
      {"", {}},
      {"bash", {"-c", "echo hi"}},
      {"bash", {"-lc", "echo hi"}},
      {"bash", {"script.sh"}},
      {"bash", {"-i", "script.sh"}},
      {"bash", {"--posix"}},
      {"bash", {"-r"}},
      {"bash", {"--restricted"}},
      {"bash", {"-s"}},
      {"bash", {"-"}},
      {"bash", {"--"}},
      {"bash", {"-O", "extglob"}},
      {"bash", {"--rcfile"}},
      {"bash", {"--rcfile=/x"}},
      {"bash", {"--version"}},
      {"bash", {""}},
      {"rbash", {}},
      {"zsh", {"-c", "echo hi"}},
      {"zsh", {"-fc", "echo hi"}},
      {"zsh", {"-d"}},
      {"zsh", {"-o", "vi"}},
      {"zsh", {"script"}},
      {"zsh", {"-"}},
      {"fish", {"-c", "echo hi"}},
      {"fish", {"-C", "echo"}},
      {"fish", {"--features", "all"}},
      {"fish", {"script.fish"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.program);
    CAPTURE(row.args);
    const LaunchPlan result = planned(row.program, row.args);
    CHECK_FALSE(result.integrated);
    CHECK(result.args == row.args);
    CHECK(result.env.empty());
  }
  CHECK_FALSE(planned("bash", {}, {{"POSIXLY_CORRECT", "y"}}).integrated);
  CHECK_FALSE(plan({"bash", {}, {}}, "").integrated);
  CHECK_FALSE(plan({"bash", {}, {}}, "relative").integrated);
}

TEST_CASE("launch_plan: bash gets an rc file in front and keeps its options") {
  const LaunchPlan result = planned("/usr/bin/bash", {"-i", "--noediting"});
  CHECK(result.integrated);
  CHECK(result.args == Args{"--rcfile", "/run/x/bash/rc.bash", "-i", "--noediting"});
  CHECK(result.env.empty());
}

TEST_CASE("launch_plan: bash still reads an rc file that was asked for") {
  const LaunchPlan result = planned("bash", {"--rcfile", "/my rc", "-i"});
  CHECK(result.args == Args{"--rcfile", "/run/x/bash/rc.bash", "-i"});
  CHECK(result.env == Env{{"TROUPE_SHELL_RC", "/my rc"}});
}

TEST_CASE("launch_plan: a bash login shell is loaded through ENV") {
  for (const Args& args : {Args{"-l"}, Args{"--login"}, Args{"-il"}, Args{"-i", "-l"}}) {
    const LaunchPlan result = planned("bash", args, {{"ENV", "/mine"}});
    Args expected{"--posix"};
    expected.insert(expected.end(), args.begin(), args.end());
    CHECK(result.args == expected);
    CHECK(result.env == Env{{"ENV", "$TROUPE_SHELL_FILE"},
                            {"TROUPE_SHELL_FILE", "/run/x/bash/login.bash"},
                            {"TROUPE_SHELL_ENV", "/mine"}});
  }
}

TEST_CASE("launch_plan: a bash without start-up files is loaded through ENV and reads none") {
  const Env bare{{"ENV", "$TROUPE_SHELL_FILE"}, {"TROUPE_SHELL_FILE", "/run/x/bash/bare.bash"}};
  const Env login{{"ENV", "$TROUPE_SHELL_FILE"}, {"TROUPE_SHELL_FILE", "/run/x/bash/login.bash"}};
  CHECK(planned("bash", {"--norc"}).env == bare);
  CHECK(planned("bash", {"--norc", "-i"}).args == Args{"--posix", "--norc", "-i"});
  CHECK(planned("bash", {"--norc", "--noprofile"}).env == bare);
  CHECK(planned("bash", {"--noprofile", "-l"}).env == bare);
  CHECK(planned("bash", {"--norc", "-l"}).env == login);
  CHECK(planned("bash", {"--noprofile"}).args ==
        Args{"--rcfile", "/run/x/bash/rc.bash", "--noprofile"});
}

TEST_CASE("launch_plan: a zsh without start-up files is told so by another way") {
  const Env env{{"ZDOTDIR", "/run/x/zsh"}, {"TROUPE_SHELL_NO_RCS", "1"}};
  for (const Args& args : {Args{"-f"}, Args{"--no-rcs"}, Args{"-f", "--no-rcs"}}) {
    CHECK(planned("zsh", args).args.empty());
    CHECK(planned("zsh", args).env == env);
  }
  CHECK(planned("zsh", {"-ilf"}).args == Args{"-il"});
  CHECK(planned("zsh", {"-if", "-l"}).args == Args{"-i", "-l"});
}

TEST_CASE("launch_plan: zsh gets a ZDOTDIR in front and remembers the user's") {
  CHECK(planned("zsh", {"-l", "-i"}).env == Env{{"ZDOTDIR", "/run/x/zsh"}});
  CHECK(planned("zsh", {"-il"}).args == Args{"-il"});
  CHECK(planned("zsh", {}, {{"ZDOTDIR", ""}}).env ==
        Env{{"ZDOTDIR", "/run/x/zsh"}, {"TROUPE_SHELL_ZDOTDIR", ""}});
}

TEST_CASE("launch_plan: fish gets an init command with the path quoted") {
  const LaunchPlan result = plan({"fish", {"-l"}, {}}, "/run/a'b\\c d");
  CHECK(result.integrated);
  CHECK(result.args == Args{"--features", "no-mark-prompt", "--init-command",
                            "source '/run/a\\'b\\\\c d/fish/troupe.fish'", "-l"});
  CHECK(planned("fish", {"-N"}).args.back() == "-N");
  CHECK(planned("fish", {"--no-config", "-i"}).integrated);
}

TEST_CASE("launch_plan: every file that a plan names is among the integration files") {
  std::vector<std::string> paths;
  for (const IntegrationFile& file : integration_files()) {
    paths.push_back(file.path);
    CHECK(file.content.find("__troupe_") != std::string::npos);
  }
  CHECK(paths == std::vector<std::string>{"bash/rc.bash", "bash/login.bash", "bash/bare.bash",
                                          "zsh/.zshenv", "fish/troupe.fish"});
}

}  // namespace troupe::shell
