// SPDX-License-Identifier: MIT
#include <string>
#include <vector>

#include "tests/unit/shell/shell_session.hpp"

namespace troupe::shell {

namespace {

/// The snippet as a fish that marks by itself (>= 4) reads it.
std::string native_snippet() {
  std::string text(snippet(Shell::fish));
  const std::string probe = "status test-feature mark-prompt 2>/dev/null";
  const std::size_t at = text.find(probe);
  REQUIRE(at != std::string::npos);
  return text.replace(at, probe.size(), "true");
}

}  // namespace

TEST_CASE("fish: SHELL-3 every command line is one command with its text and status") {
  ShellSession shell("fish");
  shell.start_integrated();
  shell.run("echo one");
  shell.run("");
  shell.run("sh -c 'exit 3'");
  shell.run("for i in 1 2; echo $i; end");
  shell.run("printf hi");
  shell.run("false | true");
  shell.run("echo 'a;b\\\\c'");
  shell.run("echo \xE2\x9C\x93 \xC3\xA9");
  shell.run("nonexistent_command 2>/dev/null");
  CHECK(shell.outline() == session({"E[echo one] C D[0]", "E[sh -c 'exit 3'] C D[3]",
                                    "E[for i in 1 2; echo $i; end] C D[0]", "E[printf hi] C D[0]",
                                    "E[false | true] C D[0]", "E[echo 'a;b\\\\c'] C D[0]",
                                    "E[echo \xE2\x9C\x93 \xC3\xA9] C D[0]",
                                    "E[nonexistent_command 2>/dev/null] C D[127]"}));
}

TEST_CASE("fish: commands of several lines are one command") {
  ShellSession shell("fish");
  shell.start_integrated();
  shell.run("for i in 1 2\recho $i\rend");
  CHECK(shell.outline() == session({"E[for i in 1 2\necho $i\nend] C D[0]"}));
  shell.run("__troupe_escape a\\t\\x01\\x7f\\n\\;b");
  CHECK(shell.output().find("a\\x09\\x01\\x7f\\x0a\\x3bb") != std::string::npos);
}

TEST_CASE("fish: interrupts and stops end what they end and nothing else") {
  ShellSession shell("fish");
  shell.start_integrated();
  shell.type("not run");
  shell.wait_text("run");
  shell.child().wait_asleep();
  shell.type("\x03");
  shell.wait_text("^C");
  shell.type("sh -c 'echo u\"\"p; exec cat'\r");
  shell.wait_text("up\r\n");
  shell.type("\x03");
  shell.wait_commands(1);
  CHECK(shell.outline() == session({"E[sh -c 'echo u\"\"p; exec cat'] C D[130]"}));
}

TEST_CASE("fish: SHELL-4 nothing is seen on the screen that the bare shell does not print") {
  const std::string rc =
      "function fish_prompt; echo -n 'READY> '; end\n"
      "function fish_right_prompt; echo -n right; end\nset -g fish_greeting\n";
  std::string screens[2];
  for (const std::size_t integrated : {0U, 1U}) {
    ShellSession shell("fish");
    shell.home().write(".config/fish/config.fish", rc);
    if (integrated == 1) {
      shell.start_integrated();
    } else {
      shell.start_plain();
    }
    shell.wait_text("right");
    shell.type("echo one\r");
    shell.wait_text("one\r\n");
    shell.type("exit\r");
    shell.child().wait_end();
    // How often fish redraws depends on when a key arrives: compare what stays.
    const std::string seen = test::without_marks(shell.output());
    screens[integrated] = seen.substr(0, seen.find("right") + 5);
    CHECK(seen.find("__troupe") == std::string::npos);
  }
  CHECK(screens[1] == screens[0]);
}

TEST_CASE("fish: SHELL-5 the history has the user's commands alone") {
  ShellSession shell("fish");
  shell.start_integrated();
  shell.run("echo a");
  shell.run(" echo hidden");
  shell.type("exit\r");
  shell.child().wait_end();
  const std::string history = shell.home().read(".local/share/fish/fish_history");
  CHECK(history.find("- cmd: echo a\n") != std::string::npos);
  CHECK(history.find("hidden") == std::string::npos);
  CHECK(history.find("troupe") == std::string::npos);
}

TEST_CASE("fish: prompts and events of the user work as before") {
  ShellSession shell("fish");
  shell.home().write(".config/fish/config.fish",
                     "function fish_prompt; echo -n \"[$status] \"; end\n"
                     "function fish_right_prompt; echo -n right; end\n"
                     "function seen --on-event fish_postexec; echo \"<$status>\" >>~/seen; end\n");
  shell.start_integrated();
  shell.run("sh -c 'exit 3'");
  shell.run("function fish_prompt; echo -n '> '; end");
  shell.run("sh -c 'exit 4'");
  CHECK(shell.outline() ==
        session({"E[sh -c 'exit 3'] C D[3]", "E[function fish_prompt; echo -n '> '; end] C D[0]",
                 "E[sh -c 'exit 4'] C D[4]"}));
  CHECK(shell.home().read("seen") == "<3>\n<0>\n<4>\n");
  CHECK(shell.output().find("[3] ") != std::string::npos);
}

TEST_CASE("fish: loaded from the config file it works the same and twice is once") {
  ShellSession shell("fish");
  const std::string file = shell.home().write("troupe.fish", snippet(Shell::fish));
  shell.home().write(".config/fish/config.fish", "source " + file + "\n");
  SUBCASE("by the user alone") {
    shell.start_plain();
    shell.wait_prompt(1);
  }
  SUBCASE("and for this terminal too") {
    shell.start_integrated();
  }
  shell.run("echo a");
  shell.run("source ~/troupe.fish");
  shell.run("sh -c 'exit 3'");
  CHECK(shell.outline() == session({"E[echo a] C D[0]", "E[source ~/troupe.fish] C D[0]",
                                    "E[sh -c 'exit 3'] C D[3]"}));
}

TEST_CASE("fish: where the shell marks by itself nothing is added") {
  ShellSession shell("fish");
  const std::string file = shell.home().write("troupe.fish", native_snippet());
  shell.home().write(".config/fish/config.fish",
                     "source " + file + "\nfunction fish_prompt; echo -n 'READY> '; end\n");
  shell.start_plain();
  shell.wait_text("READY> ");
  shell.type("env >~/env; exit\r");
  shell.child().wait_end();
  CHECK(shell.outline() == "");
  CHECK(shell.home().read("env").find("TROUPE") == std::string::npos);
}

TEST_CASE("fish: a login shell is one and reads its files") {
  ShellSession shell("fish");
  shell.home().write(".config/fish/config.fish", "status is-login; and echo login >>~/seen\n");
  shell.start_integrated({"-l"});
  CHECK(shell.home().read("seen") == "login\n");
}

}  // namespace troupe::shell
