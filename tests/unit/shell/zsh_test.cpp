// SPDX-License-Identifier: MIT
#include <string>
#include <vector>

#include "tests/unit/shell/shell_session.hpp"

namespace troupe::shell {

TEST_CASE("zsh: SHELL-3 every command line is one command with its text and status") {
  ShellSession shell("zsh");
  shell.start_integrated();
  shell.run("echo one");
  shell.run("");
  shell.run("(exit 3)");
  shell.run("for i in 1 2; do echo $i; done");
  shell.run("printf hi");
  shell.run("false | true");
  shell.run("print -r 'a;b\\c'");
  shell.run("echo \xE2\x9C\x93 \xC3\xA9");
  shell.run("nonexistent_command 2>/dev/null");
  CHECK(shell.outline() ==
        session({"E[echo one] C D[0]", "E[(exit 3)] C D[3]",
                 "E[for i in 1 2; do echo $i; done] C D[0]", "E[printf hi] C D[0]",
                 "E[false | true] C D[0]", "E[print -r 'a;b\\c'] C D[0]",
                 "E[echo \xE2\x9C\x93 \xC3\xA9] C D[0]",
                 "E[nonexistent_command 2>/dev/null] C D[127]"}));
  CHECK(shell.outputs() == std::vector<std::string>{"one\r\n", "", "1\r\n2\r\n", "hi", "",
                                                    "a;b\\c\r\n", "\xE2\x9C\x93 \xC3\xA9\r\n", ""});
}

TEST_CASE("zsh: commands of several lines are one command") {
  ShellSession shell("zsh");
  shell.start_integrated();
  shell.run("for i in 1 2\rdo echo $i\rdone");
  shell.run("cat <<X\rline\rX");
  CHECK(shell.outline() == session({"P P E[for i in 1 2\ndo echo $i\ndone] C D[0]",
                                    "P P E[cat <<X\nline\nX] C D[0]"}));
  CHECK(shell.outputs() == std::vector<std::string>{"1\r\n2\r\n", "line\r\n"});
}

TEST_CASE("zsh: interrupts and stops end what they end and nothing else") {
  ShellSession shell("zsh");
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
  shell.run("kill -KILL %1; true");
  CHECK(shell.outline() ==
        session({"E[sh -c 'echo u\"\"p; exec cat'] C D[130]",
                 "E[sh -c 'echo u\"\"p; exec cat'] C D[148]", "E[kill -KILL %1; true] C D[0]"}));
}

TEST_CASE("zsh: SHELL-4 nothing is seen on the screen that the bare shell does not print") {
  const std::string rc = "PS1='READY> '\nRPS1='<right'\n";
  const std::vector<std::string> lines{"echo one", "", "(exit 3)", "printf hi", "cd /usr"};
  ShellSession bare("zsh");
  bare.home().write(".zshrc", rc);
  bare.start_plain();
  // The right prompt comes after the left one, so a prompt is complete with it.
  bare.wait_text("<right", 1);
  std::size_t count = 1;
  for (const std::string& line : lines) {
    bare.type(line + "\r");
    bare.wait_text("<right", ++count);
  }
  ShellSession shell("zsh");
  shell.home().write(".zshrc", rc);
  shell.start_integrated();
  shell.wait_text("<right", 1);
  count = 1;
  for (const std::string& line : lines) {
    shell.type(line + "\r");
    shell.wait_text("<right", ++count);
  }
  bare.type("\x04");
  bare.child().wait_end();
  shell.type("\x04");
  shell.child().wait_end();
  CHECK(test::without_marks(shell.output()) == bare.output());
}

TEST_CASE("zsh: SHELL-5 the history is what the bare shell's is") {
  std::string histories[2];
  for (const std::size_t integrated : {0U, 1U}) {
    ShellSession shell("zsh");
    shell.home().write(".zshrc",
                       "PS1='READY> '; setopt histignorespace; HISTFILE=~/hist; SAVEHIST=9\n");
    if (integrated == 1) {
      shell.start_integrated();
    } else {
      shell.start_plain();
      shell.wait_text("READY> ");
    }
    shell.type("echo a\r hidden=1\recho 'b\rc'\rfc -l 1 >~/shown\rexit\r");
    shell.child().wait_end();
    histories[integrated] = shell.home().read("hist") + shell.home().read("shown");
  }
  CHECK(histories[0].find("echo a") != std::string::npos);
  CHECK(histories[0].find("hidden") == std::string::npos);
  CHECK(histories[1] == histories[0]);
}

TEST_CASE("zsh: hooks and prompts of the user work as before") {
  ShellSession shell("zsh");
  shell.home().write(".zshrc",
                     "precmd() { echo \"<$?>\" >>~/seen }\n"
                     "build() { PS1=$'%{\\e[1m%}%?%{\\e[0m%}\\n> '; return 7 }\n"
                     "autoload -Uz add-zsh-hook; add-zsh-hook precmd build\n"
                     "preexec() { echo \"pre:$1\" >>~/seen }\n");
  shell.start_integrated();
  shell.run("(exit 3)");
  // A list that is set anew without the hooks: the next command puts them back.
  shell.type("precmd_functions=(build)\r");
  shell.run("(exit 4)");
  // A hook that comes last for the first time wins once.
  shell.type("precmd_functions+=(build) preexec_functions=()\r");
  shell.run("echo a");
  CHECK(shell.outline() ==
        session({"E[(exit 3)] C D[3]", "E[precmd_functions=(build)] C D[0] E[(exit 4)] C D[4]",
                 "E[precmd_functions+=(build) preexec_functions=()] C D[0] E[echo a] C D[0]"}));
  CHECK(shell.home().read("seen").find("<0>\npre:(exit 3)\n<3>\n") == 0);
}

TEST_CASE("zsh: a .zshrc that sets the hook lists anew keeps the integration") {
  ShellSession shell("zsh");
  shell.home().write(".zshrc", "f() { :; }\nprecmd_functions=(f)\npreexec_functions=()\n");
  shell.start_integrated();
  shell.run("echo a");
  CHECK(shell.outline() == session({"E[echo a] C D[0]"}));
}

TEST_CASE("zsh: the end mark of an unfinished line is put back as it was") {
  struct Row {
    const char* setup;
    const char* seen;
  };
  for (const Row& row : {Row{"", "0:"}, Row{"PROMPT_EOL_MARK='<nl>'", "1:<nl>"},
                         Row{"PROMPT_EOL_MARK=''", "1:"}, Row{"export PROMPT_EOL_MARK=x", "1:x"},
                         Row{"setopt nopromptsp", "0:"}, Row{"setopt nopromptcr", "0:"}}) {
    CAPTURE(row.setup);
    ShellSession shell("zsh");
    shell.home().write(".zshrc",
                       std::string(row.setup) +
                           "\nprecmd() { print -r - \"${+PROMPT_EOL_MARK}:$PROMPT_EOL_MARK\" "
                           ">>~/raw }\nlast() { print -r - "
                           "\"${+PROMPT_EOL_MARK}:$PROMPT_EOL_MARK\" >~/seen }\n"
                           "precmd_functions=(last)\n");
    shell.start_integrated();
    shell.run("printf hi; (exit 5)");
    CHECK(shell.outline() == session({"E[printf hi; (exit 5)] C D[5]"}));
    CHECK(shell.home().read("seen") == std::string(row.seen) + "\n");
    shell.run("PROMPT_EOL_MARK=mine");
    CHECK(shell.home().read("seen") == "1:mine\n");
    if (std::string(row.setup).find("export") == std::string::npos) {
      shell.run("print -r - \"$PROMPT_EOL_MARK\" | cat -v | tail -c 5");
      CHECK(shell.outputs().back() == "mine\r\n");
    }
  }
}

TEST_CASE("zsh: shell options of the user neither break nor show the hooks") {
  const std::vector<std::string> setups{
      "setopt nounset",
      "setopt noclobber",
      "setopt noglob",
      "setopt allexport",
      "IFS=abc",
      "setopt shwordsplit ksharrays",
      "setopt nopromptpercent",
      "setopt promptsubst promptbang",
      "setopt errreturn",
      "bindkey -v",
      "trap 'echo ZERR' ZERR",
      "alias print='echo no' local='echo no' builtin='echo no' typeset='echo no'",
      "print() { echo no }; printf() { echo no }",
      "setopt nohashcmds noexec 2>/dev/null; :",
      "emulate sh; PS1='> '",
      "emulate ksh; PS1='> '",
      "LC_ALL=C",
      "PS1=",
      "unset RPS1",
      "setopt extendedglob nullglob",
      "setopt transientrprompt",
      "setopt warncreateglobal"};
  for (const std::string& setup : setups) {
    CAPTURE(setup);
    ShellSession shell("zsh");
    shell.home().write(".zshrc", setup + "\n");
    if (setup == "setopt nopromptpercent") {
      // No mark can be hidden from the width of such a prompt, so it gets none.
      shell.start_integrated_without_prompt();
      shell.type("echo 'x;y'; true\r");
      shell.wait_text("133;D");
      CHECK(shell.outline() == "E[echo 'x;y'; true] C D[0]");
    } else {
      shell.start_integrated();
      shell.run("echo 'x;y'");
      shell.run("true");
      CHECK(shell.outline() == session({"E[echo 'x;y'] C D[0]", "E[true] C D[0]"}));
      CHECK(shell.outputs() == std::vector<std::string>{"x;y\r\n", ""});
    }
    CHECK(shell.output().find("__troupe") == std::string::npos);
  }
}

TEST_CASE("zsh: shells inside the shell and in its place are quiet") {
  ShellSession shell("zsh");
  shell.home().write(".zshrc", "PS1='READY> '\n");
  shell.start_integrated();
  shell.type("zsh\r");
  shell.wait_text("READY> ", 2);
  shell.type("echo inner\r");
  shell.wait_text("READY> ", 3);
  shell.type("exit\r");
  shell.wait_commands(1);
  CHECK(shell.outline() == session({"E[zsh] C D[0]"}));
}

TEST_CASE("zsh: loaded from the rc file it works the same and twice is once") {
  ShellSession shell("zsh");
  const std::string file = shell.home().write("troupe.zsh", snippet(Shell::zsh));
  shell.home().write(".zshrc", "PS1='> '; . " + file + "\n");
  SUBCASE("by the user alone") {
    shell.start_plain();
    shell.wait_prompt(1);
  }
  SUBCASE("and for this terminal too") {
    shell.start_integrated();
  }
  shell.run("echo a");
  shell.run(". ~/troupe.zsh");
  shell.run("printf b");
  shell.run(". ~/.zshrc");
  shell.run("(exit 3)");
  CHECK(shell.outline() ==
        session({"E[echo a] C D[0]", "E[. ~/troupe.zsh] C D[0]", "E[printf b] C D[0]",
                 "E[. ~/.zshrc] C D[0]", "E[(exit 3)] C D[3]"}));
  CHECK(shell.outputs()[2] == "b");
}

TEST_CASE("zsh: SHELL-7 start-up leaves the shell as the bare one") {
  struct Row {
    const char* name;
    std::vector<std::string> args;
    const char* zdotdir;
  };
  const std::string probe =
      "{ echo $- $0 $# $SHLVL ${+ZDOTDIR} $ZDOTDIR; set -o; cat ~/order; alias; "
      "env | sort | grep -v -e ^_= -e ^HOME= -e ^PWD= -e ^OLDPWD=; } "
      "| sed \"s:$HOME:HOME:g\" >~/state";
  for (const Row& row : {Row{"plain", {}, nullptr}, Row{"login", {"-l"}, nullptr},
                         Row{"login interactive", {"-il"}, "dots"}, Row{"elsewhere", {}, "dots"},
                         Row{"bare", {"-f"}, "dots"}, Row{"bare login", {"-l", "-if"}, nullptr}}) {
    CAPTURE(row.name);
    const bool bare = std::string_view(row.name).substr(0, 4) == "bare";
    std::string states[2];
    for (const std::size_t integrated : {0U, 1U}) {
      ShellSession shell("zsh");
      for (const char* folder : {"", "dots/", "moved/"}) {
        for (const char* file : {".zshenv", ".zprofile", ".zshrc", ".zlogin"}) {
          const std::string path = std::string(folder) + file;
          shell.home().write(path, "echo " + path +
                                       " $# $- ${+ZDOTDIR} >>~/order\nPS1='READY> '\n"
                                       "alias ll='ls -l'\n");
        }
      }
      // A user's .zshenv may send zsh elsewhere.
      shell.home().write("dots/.zshenv", "echo dots >>~/order; ZDOTDIR=~/moved\n");
      if (row.zdotdir != nullptr) {
        shell.env()["ZDOTDIR"] = shell.home().path() + "/" + row.zdotdir;
      }
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
    CHECK(states[0].find("promptcr") != std::string::npos);
    CHECK((states[0].find("ll=") == std::string::npos) == bare);
    CHECK(states[1] == states[0]);
  }
}

TEST_CASE("zsh: prompts that a hook builds from themselves do not grow") {
  ShellSession shell("zsh");
  shell.home().write(".zshrc",
                     "f() { PS1=\"> ${PS1#> }\"; PS2=\"+ ${PS2#+ }\"; }\nprecmd_functions=(f)\n");
  shell.start_integrated();
  shell.run("");
  shell.run(":");
  shell.run("echo \"${PS1//[^>]} ${PS2//[^+]}\"");
  CHECK(shell.outputs().back() == "> +\r\n");
}

}  // namespace troupe::shell
