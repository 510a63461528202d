// SPDX-License-Identifier: MIT
// What every shell does alike, however its snippet brings it about.
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/shell/shell_session.hpp"

namespace troupe::shell {

namespace {

constexpr const char* fish_config = ".config/fish/config.fish";

}  // namespace

TEST_CASE("shells: SHELL-6 no child sees the nonce or anything else of the integration") {
  struct Row {
    std::string program;
    std::string file;
    std::vector<std::string> setups;
    std::string export_all;
    std::string trace;  // of the integration, beside its name
  };
  for (const Row& row : {Row{"bash",
                             ".bashrc",
                             {"", "set -a\n", "export PS0=x PS1='> ' PROMPT_COMMAND=:\n"},
                             "set -a; :",
                             "BASH_FUNC"},
                         Row{"zsh",
                             ".zshrc",
                             {"", "setopt allexport\n", "export PS1='> '\n"},
                             "setopt allexport",
                             "ZDOTDIR"},
                         Row{"fish", fish_config, {""}, "true", "__troupe"}}) {
    for (const std::string& setup : row.setups) {
      CAPTURE(row.program);
      CAPTURE(setup);
      ShellSession shell(row.program);
      shell.home().write(row.file, setup);
      shell.start_integrated();
      shell.run("env >~/env; " + row.export_all);
      shell.run("env >>~/env");
      const std::string env = shell.home().read("env");
      CHECK(env.find("HOME=") != std::string::npos);
      CHECK(env.find(test_nonce) == std::string::npos);
      CHECK(env.find("TROUPE") == std::string::npos);
      CHECK(env.find(row.trace) == std::string::npos);
    }
  }
}

TEST_CASE("shells: missing and broken start-up files are survived") {
  struct Row {
    std::string program;
    std::vector<std::string> files;
    std::vector<std::optional<std::string>> contents;  // none: there is no such file
  };
  for (const Row& row :
       {Row{"bash",
            {".bashrc"},
            {std::nullopt, "if then\n", "return 3\n", "false\nset -e\n", "exec 3>/dev/null\n",
             "PROMPT_COMMAND=')('\n", "unset TROUPE_NONCE HOME\n", "cd /nowhere\n"}},
        Row{"zsh",
            {".zshenv", ".zshrc"},
            {std::nullopt, "if then\n", "return 3\n", "false\n", "precmd_functions=broken\n",
             "cd /nowhere\n", "unset TROUPE_NONCE PS1\n"}},
        Row{"fish",
            {fish_config},
            {std::nullopt, "if then (\n", "return 3\n", "cd /nowhere\n",
             "set -e TROUPE_NONCE PATH\n", "alias printf='echo no'\n"}}}) {
    for (const std::string& file : row.files) {
      for (const auto& content : row.contents) {
        CAPTURE(row.program);
        CAPTURE(file);
        CAPTURE(content.value_or("missing"));
        ShellSession shell(row.program);
        if (content) {
          shell.home().write(file, *content);
        }
        shell.start_integrated();
        shell.run("builtin echo fi'ne'");
        CHECK(shell.outputs().back().find("fine\r\n") != std::string::npos);
      }
    }
  }
}

TEST_CASE("shells: without start-up files they are integrated all the same") {
  struct Row {
    std::string program;
    std::vector<std::string> files;
    std::vector<std::string> args;
  };
  for (const Row& row :
       {Row{"bash", {".bashrc", ".bash_profile"}, {"--norc"}},
        Row{"bash", {".bashrc", ".bash_profile"}, {"--noprofile", "--norc", "-l"}},
        Row{"zsh", {".zshenv", ".zshrc"}, {"-f"}}, Row{"fish", {fish_config}, {"-N"}}}) {
    CAPTURE(row.program);
    ShellSession shell(row.program);
    for (const std::string& file : row.files) {
      shell.home().write(file, "echo read\n");
    }
    shell.start_integrated(row.args);
    shell.run("echo hi");
    CHECK(shell.outline() == session({"E[echo hi] C D[0]"}));
    CHECK(shell.outputs().back().find("hi\r\n") != std::string::npos);
    CHECK(shell.output().find("read") == std::string::npos);
  }
}

// fish asks for nothing: it takes the whole command into its editor.
TEST_CASE("shells: the prompt for the rest of a command is marked also where it is rebuilt") {
  struct Row {
    std::string program;
    std::vector<std::string> setup;
  };
  for (const Row& row : {// A hook that comes last for the first time wins once.
                         Row{"bash", {"PROMPT_COMMAND+=(\"PS2='more> '\")", ":"}},
                         Row{"zsh", {"precmd() { PS2='more> ' }"}}}) {
    CAPTURE(row.program);
    ShellSession shell(row.program);
    shell.start_integrated();
    for (const std::string& line : row.setup) {
      shell.run(line);
    }
    for (const char* const line : {"echo 'open", "cat <<X", "if true"}) {
      const std::size_t before = test::prompts(shell.output());
      const std::size_t at = shell.output().size();
      shell.type(std::string(line) + "\r");
      shell.child().wait_until(
          [at](const std::string& all) { return all.find("more> ", at) != std::string::npos; },
          "the second prompt");
      CHECK(shell.output().find("\x1b]133;P;k=s\x07more> ", at) != std::string::npos);
      shell.child().wait_asleep();
      shell.type("\x03");
      shell.wait_prompt(before + 1);
    }
    shell.run("echo fine");
    CHECK(shell.outputs().back() == "fine\r\n");
  }
}

TEST_CASE("shells: the working directory is told with any byte in its name") {
  for (const std::string program : {"bash", "zsh", "fish"}) {
    CAPTURE(program);
    ShellSession shell(program);
    const std::string odd = shell.home().path() + "/a b;c%d\xC3\xA9'\"\\\x07\n#?";
    shell.home().write("a b;c%d\xC3\xA9'\"\\\x07\n#?/file", "");
    shell.start_integrated();
    shell.run("cd a*");
    shell.run("cd /");
    CHECK(test::directories(shell.output()) ==
          std::vector<std::string>{shell.home().path(), odd, "/"});
  }
}

}  // namespace troupe::shell
