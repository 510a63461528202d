// SPDX-License-Identifier: MIT
#include "client/cli/completions.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

namespace troupe::client::cli {
namespace {

struct OptionRow {
  std::vector<std::string> names;  ///< with their dashes
  std::string what;
  std::string value;  ///< its type's name; empty for a flag
};

struct CommandRow {
  std::vector<std::string> names;
  std::string what;
  std::vector<OptionRow> options;
  bool takes_terminal = false;
  bool takes_terminals = false;  ///< several
};

OptionRow row_of(const CLI::Option& option) {
  OptionRow row;
  for (const std::string& name : option.get_lnames()) {
    row.names.push_back("--" + name);
  }
  for (const std::string& name : option.get_snames()) {
    row.names.push_back("-" + name);
  }
  row.what = option.get_description();
  row.value = option.get_items_expected_max() == 0 ? std::string{} : option.get_type_name();
  return row;
}

const std::vector<OptionRow>& shared_options() {
  static const std::vector<OptionRow> rows{
      {{"--name"}, "The daemon's name", "NAME"},
      {{"--runtime-dir"}, "Where daemons register", "DIR"},
  };
  return rows;
}

std::vector<CommandRow> table_of(const CLI::App& app) {
  std::vector<CommandRow> table;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandRow row;
    row.names.push_back(command->get_name());
    for (const std::string& alias : command->get_aliases()) {
      row.names.push_back(alias);
    }
    row.what = command->get_description();
    for (const CLI::Option* option : command->get_options()) {
      if (option->nonpositional()) {
        row.options.push_back(row_of(*option));
      } else {
        const bool terminal = option->get_name(true) == "TERMINAL";
        row.takes_terminal = row.takes_terminal || terminal;
        row.takes_terminals =
            row.takes_terminals || (terminal && option->get_items_expected_max() > 1);
      }
    }
    row.options.insert(row.options.end(), shared_options().begin(), shared_options().end());
    table.push_back(std::move(row));
  }
  return table;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : std::string(between)) + word;
  }
  return text;
}

/// For single quotes of a POSIX shell and of fish, and for zsh's `_describe` and `_arguments`.
std::string quoted(std::string text, std::string_view special) {
  std::string out;
  for (const char letter : text) {
    if (letter == '\'') {
      out += "'\\''";
    } else {
      out += special.find(letter) != std::string_view::npos ? std::string("\\") + letter
                                                            : std::string(1, letter);
    }
  }
  return out;
}

/// Readline replaces only the end of a word: what follows an open quote, or the last character of
/// COMP_WORDBREAKS that is not quoted. So the line is read as the shell will read it, and of each
/// name only the rest is offered, quoted for where it comes to stand.
constexpr std::string_view bash_words = R"sh(
# Reads the line up to the cursor: `words` without their quotes, the last as far as it is typed;
# `quote`, the one that is open; `fixed`, what of the last word readline leaves as it stands.
_troupe_read_line() {
  local line=${COMP_LINE:0:COMP_POINT} word='' letter next begun='' outside='' at
  words=() quote='' fixed=''
  for ((at = 0; at < ${#line}; at++)); do
    letter=${line:at:1} next=${line:at+1:1}
    if [[ $quote == "'" && $letter != "'" ]]; then
      word+=$letter
    elif [[ $letter == '\' ]]; then
      [[ $quote != '"' || -z $next || $next == [\\\"\$\`] ]] || word+=$letter
      word+=$next begun=yes
      ((at++))
    elif [[ $letter == "$quote" ]]; then
      quote='' fixed=$outside
    elif [[ -z $quote && $letter == [\'\"] ]]; then
      quote=$letter outside=$fixed fixed=$word begun=yes
    elif [[ -z $quote && $letter == [[:blank:]] ]]; then
      [[ -z $begun ]] || words+=("$word")
      word='' fixed='' begun=''
    else
      [[ -n $quote || $letter != @ ]] || fixed=$word  # which begins a host, for readline
      word+=$letter begun=yes
      [[ -n $quote || $letter == @ || $COMP_WORDBREAKS != *"$letter"* ]] || fixed=$word
    fi
  done
  words+=("$word")
}
# Offers those of its input's lines that go on what is typed.
_troupe_offer() {
  local line rest single="'\\''" exclamation="\"'!'\""
  while IFS= read -r line; do
    [[ $line == "$word"* ]] || continue
    rest=${line#"$fixed"}
    case $quote in
    "'") rest=${rest//"'"/"$single"} ;;
    '"')
      rest=${rest//'\'/'\\'} rest=${rest//'"'/'\"'} rest=${rest//'$'/'\$'}
      rest=${rest//'`'/'\`'} rest=${rest//'!'/"$exclamation"}
      ;;
    *) [[ -z $rest ]] || printf -v rest %q "$rest" ;;
    esac
    [[ -z $quote || $rest != *"$quote" ]] || rest+=$quote  # which readline thinks is there
    COMPREPLY+=("$rest")
  done
}
)sh";

std::string bash(const std::vector<CommandRow>& table) {
  std::vector<std::string> commands;
  std::string cases;
  for (const CommandRow& row : table) {
    commands.insert(commands.end(), row.names.begin(), row.names.end());
    std::vector<std::string> options;
    for (const OptionRow& option : row.options) {
      options.insert(options.end(), option.names.begin(), option.names.end());
    }
    cases += "    " + joined(row.names, "|") + ")\n      options='" + joined(options, " ") + "'\n" +
             (row.takes_terminal ? "      terminals=yes\n" : "") + "      ;;\n";
  }
  return "# bash completion for troupe; made by `troupe completions bash`" +
         std::string(bash_words) +
         "_troupe() {\n"
         "  local command='' options='' terminals='' quote fixed at\n"
         "  local -a words daemon=()\n"
         "  COMPREPLY=()\n"
         "  _troupe_read_line\n"
         "  local last=$((${#words[@]} - 1))\n"
         "  local word=${words[last]} before=${words[last-1]}\n"
         "  for ((at = 1; at < last; at++)); do\n"
         "    case ${words[at]} in\n"
         "    --name|--runtime-dir) daemon+=(\"${words[at]}\" \"${words[at+1]}\"); ((at++)) ;;\n"
         "    --name=*|--runtime-dir=*) daemon+=(\"${words[at]}\") ;;\n"
         "    --) return ;;\n"
         "    -*) ;;\n"
         "    *) [[ -n $command ]] || command=${words[at]} ;;\n"
         "    esac\n"
         "  done\n"
         "  case $before in\n"
         "  --cwd|--runtime-dir)\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t COMPREPLY < <(compgen -d -- \"$word\")\n"
         "    return\n"
         "    ;;\n"
         "  esac\n"
         "  if [[ -z $command ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W '" +
         joined(commands, " ") +
         " --help --version --name --runtime-dir' -- \"$word\")\n"
         "    return\n"
         "  fi\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "  if [[ $word == -* ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
         "  elif [[ $command == shell-integration || $command == completions ]]; then\n"
         "    mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- \"$word\")\n"
         "  elif [[ -n $terminals ]]; then\n"
         "    _troupe_offer < <(troupe completions terminals \"${daemon[@]}\" 2>/dev/null)\n"
         "  fi\n"
         "}\n"
         "complete -F _troupe troupe\n";
}

std::string zsh(const std::vector<CommandRow>& table) {
  std::string commands;
  std::string cases;
  for (const CommandRow& row : table) {
    commands += "    '" + row.names[0] + ":" + quoted(row.what, ":") + "'\n";
    cases += "  " + joined(row.names, "|") + ")\n    _arguments \\\n";
    for (const OptionRow& option : row.options) {
      for (const std::string& name : option.names) {
        const bool directory = name == "--cwd" || name == "--runtime-dir";
        cases +=
            "      '" + name + "[" + quoted(option.what, "[]:\\") + "]" +
            (option.value.empty() ? ""
                                  : ":" + option.value + ":" + (directory ? "_files -/" : "")) +
            "' \\\n";
      }
    }
    const bool shells = row.names[0] == "shell-integration" || row.names[0] == "completions";
    cases += row.takes_terminals  ? "      '*:terminal:_troupe_terminals'\n"
             : row.takes_terminal ? "      '1:terminal:_troupe_terminals' '*: :_files'\n"
             : shells             ? "      '1:shell:(bash zsh fish)'\n"
                                  : "      '*::: :_normal'\n";
    cases += "    ;;\n";
  }
  return "#compdef troupe\n"
         "# zsh completion for troupe; made by `troupe completions zsh`\n"
         "_troupe_terminals() {\n"
         "  local -a terminals\n"
         "  local option\n"
         "  for option in --name --runtime-dir; do\n"
         "    (( ${+opt_args[$option]} )) && daemon+=($option ${(Q)opt_args[$option]})\n"
         "  done\n"
         "  terminals=(${(f)\"$(troupe completions terminals $daemon 2>/dev/null)\"})\n"
         "  compadd -a terminals\n"
         "}\n"
         "_troupe() {\n"
         "  local -A opt_args\n"
         "  local -a daemon\n"
         "  local -a commands=(\n" +
         commands +
         "  )\n"
         "  while (( CURRENT > 2 )); do\n"
         "    case $words[2] in\n"
         "    --name|--runtime-dir)\n"
         "      (( CURRENT > 3 )) || return 1\n"
         "      daemon+=($words[2] ${(Q)words[3]}) words[2,3]=()\n"
         "      (( CURRENT -= 2 ))\n"
         "      ;;\n"
         "    --name=*|--runtime-dir=*)\n"
         "      daemon+=(${(Q)words[2]}) words[2]=()\n"
         "      (( CURRENT-- ))\n"
         "      ;;\n"
         "    *) break ;;\n"
         "    esac\n"
         "  done\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "# The first call of an autoloaded function runs this file.\n"
         "if [[ $funcstack[1] == _troupe ]]; then\n"
         "  _troupe \"$@\"\n"
         "else\n"
         "  compdef _troupe troupe\n"
         "fi\n";
}

std::string fish(const std::vector<CommandRow>& table) {
  std::string text =
      "# fish completion for troupe; made by `troupe completions fish`\n"
      "function __troupe_terminals\n"
      "    set -l daemon\n"
      "    set -l before\n"
      "    for word in (commandline -opc)\n"
      "        if contains -- \"$before\" --name --runtime-dir\n"
      "            set daemon $daemon $before $word\n"
      "        else if string match -q -r '^--(name|runtime-dir)=' -- $word\n"
      "            set daemon $daemon $word\n"
      "        end\n"
      "        set before $word\n"
      "    end\n"
      "    troupe completions terminals $daemon 2>/dev/null\n"
      "end\n"
      "complete -c troupe -f\n";
  for (const CommandRow& row : table) {
    text += "complete -c troupe -n __fish_use_subcommand -a " + row.names[0] + " -d '" +
            quoted(row.what, "") + "'\n";
  }
  for (const CommandRow& row : table) {
    const std::string here =
        "complete -c troupe -n '__fish_seen_subcommand_from " + joined(row.names, " ") + "'";
    for (const OptionRow& option : row.options) {
      text += here;
      for (const std::string& name : option.names) {
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      const bool directory = option.names[0] == "--cwd" || option.names[0] == "--runtime-dir";
      text += option.value.empty() ? "" : " -r";
      text += directory ? " -a '(__fish_complete_directories)'" : "";
      text += " -d '" + quoted(option.what, "") + "'\n";
    }
    if (row.takes_terminal) {
      text += here + " -a '(__troupe_terminals)'\n";
    } else if (row.names[0] == "shell-integration" || row.names[0] == "completions") {
      text += here + " -a 'bash zsh fish'\n";
    }
  }
  return text;
}

}  // namespace

std::string completions(const CLI::App& app, std::string_view shell) {
  const std::vector<CommandRow> table = table_of(app);
  if (shell == "bash") {
    return bash(table);
  }
  if (shell == "zsh") {
    return zsh(table);
  }
  return shell == "fish" ? fish(table) : std::string{};
}

}  // namespace troupe::client::cli
