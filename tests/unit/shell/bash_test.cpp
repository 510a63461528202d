// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/shell/shell_session.hpp"

namespace troupe::shell {

namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  for (; at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// The snippet as a bash before 5.1 runs it: PROMPT_COMMAND is one string.
std::string string_snippet() {
  return replaced(std::string(snippet(Shell::bash)), ">= 501", ">= 999");
}

}  // namespace

TEST_CASE("bash: SHELL-3 every command line is one command with its text and status") {
  ShellSession shell("bash");
  shell.start_integrated();
  shell.run("echo one");
  shell.run("");
  shell.run("(exit 3)");
  shell.run("for i in 1 2; do echo $i; done");
  shell.run("printf hi");
  shell.run("false | true");
  shell.run("true && (echo sub; exit 9)");
  shell.run("echo 'a;b\\c' \\x41");
  shell.run("echo \xE2\x9C\x93 \xC3\xA9");
  shell.run("nonexistent_command 2>/dev/null");
  CHECK(shell.outline() ==
        session({"E[echo one] C D[0]", "E[(exit 3)] C D[3]",
                 "E[for i in 1 2; do echo $i; done] C D[0]", "E[printf hi] C D[0]",
                 "E[false | true] C D[0]", "E[true && (echo sub; exit 9)] C D[9]",
                 "E[echo 'a;b\\c' \\x41] C D[0]", "E[echo \xE2\x9C\x93 \xC3\xA9] C D[0]",
                 "E[nonexistent_command 2>/dev/null] C D[127]"}));
  CHECK(shell.outputs() == std::vector<std::string>{"one\r\n", "", "1\r\n2\r\n", "hi", "",
                                                    "sub\r\n", "a;b\\c x41\r\n",
                                                    "\xE2\x9C\x93 \xC3\xA9\r\n", ""});
}

TEST_CASE("bash: commands of several lines are one command") {
  ShellSession shell("bash");
  shell.start_integrated();
  shell.run("for i in 1 2\rdo echo $i\rdone");
  shell.run("cat <<X\rline\rX");
  shell.run("echo \"a\rb\"");
  CHECK(shell.outline() ==
        session({"P P E[for i in 1 2; do echo $i; done] C D[0]", "P P E[cat <<X\nline\nX] C D[0]",
                 "P E[echo \"a\nb\"] C D[0]"}));
  CHECK(shell.outputs() == std::vector<std::string>{"1\r\n2\r\n", "line\r\n", "a\r\nb\r\n"});
}

TEST_CASE("bash: SHELL-3 a paste of several lines is one command with its whole text") {
  ShellSession shell("bash");
  shell.home().write(".bashrc", "HISTCONTROL=ignoreboth\n");
  shell.start_integrated();
  // Not by prompts: readline draws one again where a paste scrolls the screen.
  std::size_t count = 0;
  const auto paste = [&](std::string_view text) {
    shell.type("\x1b[200~" + std::string(text) + "\x1b[201~\r");
    shell.wait_commands(++count);
  };
  paste("echo a\recho b");
  paste("cat <<X\r    1  line;\rX\rfalse");
  paste("for i in 1 2\rdo echo $i\rdone\r(exit 3)\r\recho c");
  // What the history refuses, and where: the terminal is to look at its screen.
  paste("echo d\r echo e\recho f");
  paste(" echo g\recho h");
  paste("echo i\r# note\recho j");
  paste("# note\recho k");
  paste("echo l\r# note\r echo m");
  paste("echo n");
  CHECK(shell.outline() ==
        session({"E[echo a] C E[echo a\necho b] D[0]",
                 "E[cat <<X\n    1  line;\nX] C E[cat <<X\n    1  line;\nX\nfalse] D[1]",
                 "E[for i in 1 2; do echo $i; done] C E[for i in 1 2; do echo $i; done\n(exit 3)] "
                 "E[for i in 1 2; do echo $i; done\n(exit 3)\necho c] D[0]",
                 "E[echo d] C E[] E[] D[0]", "C E[] D[0]",
                 "E[echo i] C E[echo i\n# note\necho j] D[0]", "C D[0]", "E[echo l] C E[] D[0]",
                 "E[echo n] C D[0]"}));
  CHECK(shell.outputs() == std::vector<std::string>{"a\r\nb\r\n", "    1  line;\r\n",
                                                    "1\r\n2\r\nc\r\n", "d\r\ne\r\nf\r\n",
                                                    "g\r\nh\r\n", "i\r\nj\r\n", "k\r\n",
                                                    "l\r\nm\r\n", "n\r\n"});
}

TEST_CASE("bash: a paste of several lines is one command under every option") {
  for (const char* setup :
       {"set +o history", "shopt -u cmdhist", "shopt -s lithist", "HISTSIZE=2", "HISTSIZE=1",
        "HISTCONTROL=erasedups", "set -u", "set -o posix", "trap ':' DEBUG", "PS0='(start)'",
        "HISTTIMEFORMAT='%F %T '", "shopt -s inherit_errexit; set -e", "set -T; shopt -s extdebug",
        "PROMPT_COMMAND='x=1'"}) {
    CAPTURE(setup);
    ShellSession shell("bash");
    shell.home().write(".bashrc", std::string(setup) + "\n");
    shell.start_integrated();
    shell.type("\x1b[200~echo a\recho b\r. /dev/stdin <<<true\x1b[201~\r");
    shell.wait_commands(1);
    shell.type("echo c\r");
    shell.wait_commands(2);
    const std::string outline = shell.outline();
    CHECK(std::count(outline.begin(), outline.end(), 'C') == 2);
    CHECK(std::count(outline.begin(), outline.end(), 'D') == 2);
    CHECK(outline.find("C?") == std::string::npos);
    CHECK(shell.outputs().size() == 2);
    CHECK(shell.outputs().back() == "c\r\n");
    CHECK(shell.output().find("bash:") == std::string::npos);
  }
}

// The bare bash goes on with the line after the one that was interrupted.
TEST_CASE("bash: an interrupt of one command of a paste leaves it one command") {
  ShellSession shell("bash");
  shell.start_integrated();
  shell.type("\x1b[200~echo a\rsh -c 'echo u\"\"p; exec cat'\r(exit 4)\x1b[201~\r");
  shell.wait_text("up\r\n");
  shell.type("\x03");
  shell.wait_commands(1);
  shell.run("echo b");
  CHECK(shell.outline() == session({"E[echo a] C E[echo a\nsh -c 'echo u\"\"p; exec cat'] "
                                    "E[echo a\nsh -c 'echo u\"\"p; exec cat'\n(exit 4)] D[4]",
                                    "E[echo b] C D[0]"}));
}

TEST_CASE("bash: a long command is declared up to the journal's limit") {
  ShellSession shell("bash");
  shell.start_integrated();
  shell.run(": " + std::string(3500, 'x'));
  CHECK(shell.outline() == session({"E[: " + std::string(3500, 'x') + "] C D[0]"}));
}

TEST_CASE("bash: interrupts and stops end what they end and nothing else") {
  ShellSession shell("bash");
  shell.start_integrated();
  shell.interrupt_line();
  shell.type("sh -c 'echo u\"\"p; exec cat'\r");
  shell.wait_text("up\r\n");
  shell.type("\x03");
  shell.wait_commands(1);
  shell.type("sh -c 'echo u\"\"p; exec cat'\r");
  shell.wait_text("up\r\n", 2);
  shell.type("\x1a");
  shell.wait_commands(2);
  shell.run("kill -KILL %1; wait 2>/dev/null; true");
  CHECK(shell.outline() ==
        "A B E[sh -c 'echo u\"\"p; exec cat'] C D[130] A B E[sh -c 'echo u\"\"p; exec cat'] C "
        "D[148] A B "
        "E[kill -KILL %1; wait 2>/dev/null; true] C D[0] A B");
}

TEST_CASE("bash: SHELL-4 nothing is seen on the screen that the bare shell does not print") {
  const std::string rc = "PS1='READY> '\n";
  const std::vector<std::string> lines{
      "echo one",    "",       "(exit 3)", "for i in 1 2\rdo echo $i\rdone", "printf hi", "set -x",
      "echo traced", "set +x", "cd /usr"};
  ShellSession bare("bash");
  bare.home().write(".bashrc", rc);
  bare.env().erase("TROUPE_NONCE");
  bare.start_plain();
  bare.wait_text("READY> ", 1);
  std::size_t count = 1;
  for (const std::string& line : lines) {
    bare.type(line + "\r");
    bare.wait_text("READY> ", ++count);
  }
  ShellSession shell("bash");
  shell.home().write(".bashrc", rc);
  shell.start_integrated();
  for (const std::string& line : lines) {
    shell.run(line);
  }
  CHECK(test::without_marks(shell.output()) == bare.output());
}

TEST_CASE("bash: SHELL-5 the history is what the bare shell's is") {
  for (const bool integrated : {false, true}) {
    ShellSession shell("bash");
    shell.home().write(".bashrc", "PS1='READY> '; HISTCONTROL=ignoreboth; HISTFILE=~/hist\n");
    if (integrated) {
      shell.start_integrated();
    } else {
      shell.start_plain();
      shell.wait_text("READY> ");
    }
    shell.type("echo a\recho a\r hidden=1\rfor i in 1\rdo :\rdone\rhistory >~/shown\rexit\r");
    shell.child().wait_end();
    CHECK(shell.home().read("hist") == "echo a\nfor i in 1; do :; done\nhistory >~/shown\nexit\n");
    CHECK(shell.home().read("shown") ==
          "    1  echo a\n    2  for i in 1; do :; done\n    3  history >~/shown\n");
  }
}

TEST_CASE("bash: a line that the history refuses is not declared but is a command") {
  ShellSession shell("bash");
  shell.home().write(".bashrc", "HISTCONTROL=ignorespace; HISTIGNORE='ls*'\n");
  shell.start_integrated();
  shell.run("echo a");
  shell.run(" echo secret");
  shell.run("ls /dev/null");
  shell.run("echo b");
  CHECK(shell.outline() == session({"E[echo a] C D[0]", "C D[0]", "C D[0]", "E[echo b] C D[0]"}));
}

TEST_CASE("bash: a PROMPT_COMMAND of the user runs as before with the command's status") {
  const std::vector<std::string> setups{
      "PROMPT_COMMAND='echo \"<$?>\" >>~/seen'",
      "PROMPT_COMMAND='echo \"<$?>\" >>~/seen;'",
      "PROMPT_COMMAND='echo \"<$?>\" >>~/seen # note'",
      "PROMPT_COMMAND=('echo \"<$?>\" >>~/seen' 'false')",
      "f() { echo \"<$?>\" >>~/seen; return 5; }; PROMPT_COMMAND=f",
      "export PROMPT_COMMAND='echo \"<$?>\" >>~/seen'",
  };
  for (const std::string& setup : setups) {
    CAPTURE(setup);
    ShellSession shell("bash");
    shell.home().write(".bashrc", setup + "\nPS1='[$?] '\n");
    shell.start_integrated();
    shell.run("(exit 3)");
    shell.run("true");
    shell.run("(exit 4)");
    CHECK(shell.outline() ==
          session({"E[(exit 3)] C D[3]", "E[true] C D[0]", "E[(exit 4)] C D[4]"}));
    CHECK(shell.home().read("seen") == "<0>\n<3>\n<0>\n<4>\n");
    CHECK(shell.output().find("[4] ") != std::string::npos);
  }
}

TEST_CASE("bash: before 5.1 PROMPT_COMMAND is one string and means the same") {
  ShellSession shell("bash");
  shell.home().write(".bashrc",
                     "PROMPT_COMMAND='echo \"<$?>\" >>~/seen'\nPS1='[$?] '\n" + string_snippet());
  shell.start_plain();
  shell.wait_prompt(1);
  shell.run("(exit 3)");
  shell.run("true");
  shell.run("PROMPT_COMMAND=\"$PROMPT_COMMAND; :\"");
  shell.run("(exit 4)");
  shell.run("set -e");
  shell.interrupt_line();
  shell.run("true");
  CHECK(shell.outline() == session({"E[(exit 3)] C D[3]", "E[true] C D[0]",
                                    "E[PROMPT_COMMAND=\"$PROMPT_COMMAND; :\"] C D[0]",
                                    "E[(exit 4)] C D[4]", "E[set -e] C D[0]", "E[true] C D[0]"}));
  CHECK(shell.home().read("seen").substr(0, 20) == "<0>\n<3>\n<0>\n<0>\n<4>\n");
}

TEST_CASE("bash: a prompt that is rebuilt before every command keeps its marks") {
  ShellSession shell("bash");
  shell.home().write(".bashrc",
                     "build() { PS1=\"\\[\\e[1m\\]$?\\[\\e[0m\\]\\n> \"; PS0='(start)'; }\n"
                     "PROMPT_COMMAND=build\n");
  shell.start_integrated();
  shell.run("echo a");
  shell.run("PROMPT_COMMAND=\"build\"");
  shell.run("(exit 2)");
  // A hook that comes last for the first time wins once.
  shell.type("PROMPT_COMMAND+=(build)\r");
  shell.run("(exit 3)");
  shell.run("echo b");
  CHECK(shell.outline() ==
        session({"E[echo a] C D[0]", "E[PROMPT_COMMAND=\"build\"] C D[0]", "E[(exit 2)] C D[2]",
                 "E[PROMPT_COMMAND+=(build)] C D[0]", "E[echo b] C D[0]"}));
  CHECK(shell.outputs().front() == "a\r\n");
}

TEST_CASE("bash: shell options of the user neither break nor show the hooks") {
  const std::vector<std::string> setups{
      "set -u",
      "set -o noclobber",
      "set -f",
      "set -a",
      "IFS=abc",
      "shopt -s nocasematch extglob",
      "shopt -s extdebug; set -T",
      "set -o posix",
      "set -o vi",
      "trap 'echo ERR' ERR",
      "trap ':' DEBUG",
      "readonly PS0",
      "readonly PS1='> '",
      "readonly PROMPT_COMMAND",
      "alias printf='echo no' local='echo no' builtin='echo no' text=no",
      "printf() { echo no; }; history() { echo no; }",
      "shopt -s inherit_errexit; set -e",
      "LC_ALL=C",
      "HISTTIMEFORMAT='%F %T '",
      "HISTSIZE=2",
      "set +o emacs",
      "PS1=",
      "unset PS1 PS0",
      "shopt -u patsub_replacement",
      "shopt -u cmdhist",
      "unset HISTFILE"};
  for (const std::string& setup : setups) {
    CAPTURE(setup);
    ShellSession shell("bash");
    shell.home().write(".bashrc", setup + "\n");
    if (setup.find("readonly") == 0) {
      // What may not be changed is left alone, without a word.
      shell.home().write(".bashrc", setup + "\necho started\n");
      shell.start_integrated_without_prompt();
      shell.type("echo '=''='; exit\r");
      shell.child().wait_end();
      CHECK(shell.output().find("==\r\n") != std::string::npos);
    } else {
      shell.start_integrated();
      shell.run("echo 'x;y'");
      shell.run("true");
      CHECK(shell.outline() == session({"E[echo 'x;y'] C D[0]", "E[true] C D[0]"}));
      CHECK(shell.outputs() == std::vector<std::string>{"x;y\r\n", ""});
    }
    CHECK(shell.output().find("__troupe") == std::string::npos);
    CHECK(shell.output().find("bash:") == std::string::npos);
  }
}

TEST_CASE("bash: an error trap and set -e fire for the user's commands alone") {
  ShellSession shell("bash");
  shell.home().write(".bashrc", "trap 'echo TRAP' ERR\n");
  shell.start_integrated();
  shell.run("false");
  shell.run("(exit 3)");
  CHECK(shell.outputs() == std::vector<std::string>{"TRAP\r\n", "TRAP\r\n"});
  CHECK(test::without_marks(shell.output()).find("TRAP\r\nTRAP") == std::string::npos);
  shell.run("trap - ERR; set -e");
  shell.interrupt_line();
  shell.run("echo alive");
  CHECK(shell.outputs().back() == "alive\r\n");
  shell.type("false\r");
  CHECK(shell.child().wait_end() == 256);
}

TEST_CASE("bash: without promptvars the marks are still right but unsigned") {
  ShellSession shell("bash");
  shell.home().write(".bashrc", "shopt -u promptvars\nPS1='> '\n");
  shell.start_integrated();
  shell.run("echo a");
  shell.run("shopt -s promptvars");
  shell.run("(exit 3)");
  CHECK(shell.outline() == "A B C? D[0] A B C? D[0] A B E[(exit 3)] C D[3] A B");
  CHECK(shell.output().find("__troupe") == std::string::npos);
}

TEST_CASE("bash: redirected output of the shell gets no mark in it") {
  ShellSession shell("bash");
  shell.start_integrated();
  shell.run("exec >out");
  shell.run("echo a");
  shell.run("(exit 3)");
  shell.run("exec >/dev/tty");
  CHECK(shell.home().read("out") == "a\n");
  CHECK(shell.outline() == session({"E[exec >out] C D[0]", "E[echo a] C D[0]", "E[(exit 3)] C D[3]",
                                    "E[exec >/dev/tty] C D[0]"}));
}

TEST_CASE("bash: shells inside the shell and in its place are quiet or unsigned") {
  ShellSession shell("bash");
  shell.home().write(".bashrc", "PS1='READY> '\n");
  shell.start_integrated();
  shell.type("bash\r");
  shell.wait_text("READY> ", 2);
  shell.type("echo inner\r");
  shell.wait_text("READY> ", 3);
  shell.type("exit\r");
  shell.wait_prompt(2);
  CHECK(shell.outline() == session({"E[bash] C D[0]"}));
  shell.type("exec bash\r");
  shell.wait_text("READY> ", 5);
  shell.type("echo after\r");
  shell.wait_text("READY> ", 6);
  CHECK(shell.outline() == session({"E[bash] C D[0]"}) + " E[exec bash] C");
}

TEST_CASE("bash: loaded from the rc file it works the same and twice is once") {
  ShellSession shell("bash");
  const std::string file = shell.home().write("troupe.bash", snippet(Shell::bash));
  shell.home().write(".bashrc", "PS1='> '; . " + file + "\n");
  SUBCASE("by the user alone") {
    shell.start_plain();
    shell.wait_prompt(1);
  }
  SUBCASE("and for this terminal too") {
    shell.start_integrated();
  }
  shell.run("echo a");
  shell.run(". ~/troupe.bash");
  shell.run("echo b");
  shell.run("PROMPT_COMMAND='ignored=1'; . ~/.bashrc");
  shell.run("(exit 3)");
  CHECK(shell.outline() ==
        session({"E[echo a] C D[0]", "E[. ~/troupe.bash] C D[0]", "E[echo b] C D[0]",
                 "E[PROMPT_COMMAND='ignored=1'; . ~/.bashrc] C D[0]", "E[(exit 3)] C D[3]"}));
  CHECK(test::without_marks(shell.output()).find("133;") == std::string::npos);
}

TEST_CASE("bash: frameworks that hook the DEBUG trap keep their hooks") {
  ShellSession shell("bash");
  // What bash-preexec does in short: hooks around each command, guarded by its own last hook.
  shell.home().write(".bashrc",
                     "bash_preexec_imported=defined\n"
                     "precmd_functions=() ; preexec() { echo \"pre:$1\" >>~/seen; }\n"
                     "bp_precmd() { local s=$? f; for f in \"${precmd_functions[@]}\"; do\n"
                     "  (exit $s); $f; done; }\n"
                     "bp_on() { interactive=on; }\n"
                     "bp_debug() { [[ -n $interactive && -z $COMP_LINE ]] || return 0\n"
                     "  interactive=; preexec \"$BASH_COMMAND\"; }\n"
                     "PROMPT_COMMAND=$'bp_precmd\\nbp_on'\n"
                     "trap bp_debug DEBUG\n");
  shell.start_integrated();
  shell.run("echo a");
  shell.run("(exit 3)");
  shell.run("false");
  CHECK(shell.outline() == session({"E[echo a] C D[0]", "E[(exit 3)] C D[3]", "E[false] C D[1]"}));
  CHECK(shell.home().read("seen").find("pre:echo a\n") == 0);
  CHECK(shell.home().read("seen").find("__troupe") == std::string::npos);
}

TEST_CASE("bash: SHELL-7 start-up leaves the shell as the bare one") {
  struct Row {
    const char* name;
    std::vector<std::string> args;
  };
  const std::string probe =
      "{ echo $- $0 $# $SHLVL; shopt; set -o; echo $HISTFILE $MAILCHECK; cat ~/order; "
      "env | sort | grep -v -e ^_= -e ^HOME= -e ^PWD= -e ^OLDPWD=; alias; trap; jobs; } "
      "| sed \"s:$HOME:HOME:g\" >~/state";
  for (const Row& row :
       {Row{"plain", {}}, Row{"interactive", {"-i"}}, Row{"login", {"-l"}},
        Row{"login interactive", {"-il"}}, Row{"own rc", {"--rcfile", "own"}},
        Row{"bare", {"--norc"}}, Row{"bare too", {"--norc", "--rcfile", "own", "-i"}},
        Row{"bare login", {"--noprofile", "-l"}}, Row{"login without rc", {"--norc", "-il"}},
        Row{"without profile", {"--noprofile"}}}) {
    CAPTURE(row.name);
    const bool bare = std::string_view(row.name).substr(0, 4) == "bare";
    std::string states[2];
    for (const std::size_t integrated : {0U, 1U}) {
      ShellSession shell("bash");
      for (const char* file : {".bashrc", ".bash_profile", ".profile", ".bash_login", "own"}) {
        shell.home().write(file, std::string("echo ") + file +
                                     " \"$#\" \"$-\" >>~/order\nPS1='READY> '\nalias ll='ls -l'\n");
      }
      shell.env()["ENV"] = "/none";
      if (integrated == 0) {
        shell.env().erase("TROUPE_NONCE");
        shell.start_plain(row.args);
        shell.wait_any_text(bare ? std::vector<std::string>{"$ ", "% ", "# "}
                                 : std::vector<std::string>{"READY> "});
        shell.type(probe + "; echo END''OK\r");
        shell.wait_text("ENDOK");
      } else {
        shell.start_integrated(row.args);
        shell.run(probe);
      }
      states[integrated] = shell.home().read("state");
    }
    CHECK(states[0].find("histappend") != std::string::npos);
    CHECK((states[0].find("alias ll") == std::string::npos) == bare);
    CHECK(states[1] == states[0]);
  }
}

TEST_CASE("bash: SHELL-6 children see nothing of it where the user exports everything") {
  const std::string probe = "env | grep -a -e __troupe -e ']133' | sort";
  for (const char* rc : {"set -a\nPS1='$ '; PS0=; PS2='> '; PROMPT_COMMAND=:\n",
                         "export PS0= PS1='$ ' PS2='> ' PROMPT_COMMAND=:\n",
                         "f() { export PS0= PS1='$ ' PS2='> '; }; PROMPT_COMMAND=f\n"}) {
    CAPTURE(rc);
    ShellSession shell("bash");
    shell.home().write(".bashrc", rc);
    shell.start_integrated();
    shell.run("x=1; cd /");
    shell.run(probe);
    CHECK(shell.outputs().back().empty());
    shell.run("true; " + probe);
    CHECK(shell.outputs().back().empty());
    shell.run("env | grep ^x=");
    CHECK(shell.outputs().back() == (rc[0] == 's' ? "x=1\r\n" : ""));
    CHECK(
        shell.outline() ==
        session({"E[x=1; cd /] C D[0]", "E[" + probe + "] C D[0]", "E[true; " + probe + "] C D[0]",
                 std::string("E[env | grep ^x=] C D[") + (rc[0] == 's' ? "0]" : "1]")}));
  }
}

TEST_CASE("bash: hooks that are taken away at the prompt come back with the next command") {
  for (const std::string taker : {"unset PROMPT_COMMAND", "PROMPT_COMMAND=('echo h' true)",
                                  "unset PROMPT_COMMAND; PROMPT_COMMAND='echo h'"}) {
    CAPTURE(taker);
    ShellSession shell("bash");
    shell.home().write(".bashrc", "PS1='$ '\n");
    shell.start_integrated();
    shell.run(taker);
    shell.run("(exit 3)");
    shell.run("");
    shell.run("(exit 4)");
    shell.run("declare -p PROMPT_COMMAND");
    CHECK(shell.outline() == "A B E[" + taker + "] C A B C D[3] A B " +
                                 "E[(exit 4)] C D[4] A B E[declare -p PROMPT_COMMAND] C D[0] A B");
    CHECK(shell.outputs().back().find("[9999]") == std::string::npos);
    const bool hooked = taker.find("echo h") != std::string::npos;
    CHECK((shell.outputs().back().find("echo h") != std::string::npos) == hooked);
  }
  ShellSession shell("bash");
  shell.home().write(".bashrc", "PS1='$ '\n");
  shell.start_integrated();
  shell.run("unset PROMPT_COMMAND; readonly PROMPT_COMMAND");
  shell.run("echo a");
  CHECK(shell.output().find("readonly variable") == std::string::npos);
}

TEST_CASE("bash: prompts that a hook builds from themselves do not grow") {
  ShellSession shell("bash");
  shell.home().write(".bashrc",
                     "f() { PS1=\"> ${PS1#> }\"; PS2=\"+ ${PS2#+ }\"; }\nPROMPT_COMMAND=f\n");
  shell.start_integrated();
  shell.run("");
  shell.run(":");
  shell.run("echo \"${PS1//[^>]} ${PS2//[^+]}\"");
  CHECK(shell.outputs().back() == "> +\r\n");
}

}  // namespace troupe::shell
