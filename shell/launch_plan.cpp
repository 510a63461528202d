// SPDX-License-Identifier: MIT
#include "shell/launch_plan.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "shell/snippet.hpp"
#include "shell/texts.hpp"

namespace troupe::shell {

namespace {

using Args = std::vector<std::string>;

constexpr std::string_view rc_path = "bash/rc.bash";
constexpr std::string_view login_path = "bash/login.bash";
constexpr std::string_view bare_path = "bash/bare.bash";
constexpr std::string_view zdotdir_path = "zsh";
constexpr std::string_view zshenv_path = "zsh/.zshenv";
constexpr std::string_view fish_path = "fish/troupe.fish";

std::string joined(std::string_view first, std::string_view second) {
  return std::string(first).append(second);
}

std::string in_directory(const std::string& directory, std::string_view path) {
  return joined(directory, "/").append(path);
}

std::string_view base_name(std::string_view program) {
  return program.substr(program.rfind('/') + 1);
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// `-il` and the like: a dash, then only letters of `letters`.
bool is_short_options(std::string_view arg, std::string_view letters) {
  return arg.size() >= 2 && arg.front() == '-' &&
         arg.find_first_not_of(letters, 1) == std::string_view::npos;
}

/// Bash's options as far as they leave an interactive shell.
struct BashOptions {
  bool login = false;
  bool norc = false;
  bool noprofile = false;
  std::optional<std::string> rcfile;
  Args kept;  ///< without --rcfile and its argument
};

std::optional<BashOptions> bash_options(const Args& args) {
  BashOptions options;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (is_one_of(arg, {"--rcfile", "--init-file"})) {
      if (++i == args.size()) {
        return std::nullopt;
      }
      options.rcfile = args[i];
      continue;
    }
    if (arg == "--login" || is_short_options(arg, "il")) {
      options.login = options.login || arg == "--login" || arg.find('l') != std::string::npos;
    } else if (!is_one_of(arg, {"--noediting", "--verbose", "--norc", "--noprofile"})) {
      return std::nullopt;
    }
    options.norc = options.norc || arg == "--norc";
    options.noprofile = options.noprofile || arg == "--noprofile";
    options.kept.push_back(arg);
  }
  return options;
}

LaunchPlan bash_plan(const LaunchRequest& request, const std::string& directory) {
  LaunchPlan result{false, request.args, {}};
  std::optional<BashOptions> options = bash_options(request.args);
  if (!options || request.env.count("POSIXLY_CORRECT") != 0) {
    return result;
  }
  result.integrated = true;
  if (options->login || options->norc) {
    const bool bare = options->login ? options->noprofile : options->norc;
    // The order is bash's: long options stand before short ones.
    result.args.insert(result.args.begin(), "--posix");
    if (const auto env = request.env.find("ENV"); env != request.env.end()) {
      result.env["TROUPE_SHELL_ENV"] = env->second;
    }
    // Bash expands ENV like a double-quoted string; what a variable expands to is taken as it is.
    result.env["ENV"] = "$TROUPE_SHELL_FILE";
    result.env["TROUPE_SHELL_FILE"] = in_directory(directory, bare ? bare_path : login_path);
    return result;
  }
  if (options->rcfile) {
    result.env["TROUPE_SHELL_RC"] = *options->rcfile;
  }
  result.args = {"--rcfile", in_directory(directory, rc_path)};
  result.args.insert(result.args.end(), options->kept.begin(), options->kept.end());
  return result;
}

/// Zsh's options as far as they leave an interactive shell.
struct ZshOptions {
  bool no_rcs = false;
  Args kept;  ///< without those that say so
};

std::optional<ZshOptions> zsh_options(const Args& args) {
  ZshOptions options;
  for (std::string arg : args) {
    if (arg == "--no-rcs") {
      options.no_rcs = true;
      continue;
    }
    if (is_short_options(arg, "ilf") && arg.find('f') != std::string::npos) {
      options.no_rcs = true;
      arg.erase(std::remove(arg.begin(), arg.end(), 'f'), arg.end());
      if (arg == "-") {
        continue;
      }
    }
    if (!is_one_of(arg, {"--login", "--interactive"}) && !is_short_options(arg, "il")) {
      return std::nullopt;
    }
    options.kept.push_back(arg);
  }
  return options;
}

LaunchPlan zsh_plan(const LaunchRequest& request, const std::string& directory) {
  const std::optional<ZshOptions> options = zsh_options(request.args);
  if (!options) {
    return {false, request.args, {}};
  }
  LaunchPlan result{true, options->kept, {}};
  if (const auto own = request.env.find("ZDOTDIR"); own != request.env.end()) {
    result.env["TROUPE_SHELL_ZDOTDIR"] = own->second;
  }
  if (options->no_rcs) {
    result.env["TROUPE_SHELL_NO_RCS"] = "1";
  }
  result.env["ZDOTDIR"] = in_directory(directory, zdotdir_path);
  return result;
}

/// In fish's single quotes only the quote and the backslash are special.
std::string fish_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') {
      quoted += '\\';
    }
    quoted += c;
  }
  return quoted + "'";
}

LaunchPlan fish_plan(const LaunchRequest& request, const std::string& directory) {
  LaunchPlan result{false, request.args, {}};
  for (const std::string& arg : request.args) {
    if (!is_one_of(arg, {"--login", "--interactive", "--private", "--no-config"}) &&
        !is_short_options(arg, "ilPN")) {
      return result;
    }
  }
  result.integrated = true;
  result.args.insert(result.args.begin(),
                     {"--features", "no-mark-prompt", "--init-command",
                      joined("source ", fish_quoted(in_directory(directory, fish_path)))});
  return result;
}

}  // namespace

std::vector<IntegrationFile> integration_files() {
  return {
      {std::string(rc_path), joined(texts::launch_rc_bash, texts::snippets_troupe_bash)},
      {std::string(login_path), joined(joined(texts::launch_posix_bash, texts::launch_login_bash),
                                       texts::snippets_troupe_bash)},
      {std::string(bare_path), joined(texts::launch_posix_bash, texts::snippets_troupe_bash)},
      {std::string(zshenv_path),
       joined(joined(texts::launch_zshenv_zsh, texts::snippets_troupe_zsh),
              texts::launch_zshenv_end_zsh)},
      {std::string(fish_path), std::string(texts::snippets_troupe_fish)},
  };
}

LaunchPlan plan(const LaunchRequest& request, const std::string& integration_dir) {
  const std::optional<Shell> shell = shell_named(base_name(request.program));
  if (!shell || integration_dir.empty() || integration_dir.front() != '/') {
    return {false, request.args, {}};
  }
  switch (*shell) {
    case Shell::bash:
      return bash_plan(request, integration_dir);
    case Shell::zsh:
      return zsh_plan(request, integration_dir);
    case Shell::fish:
      return fish_plan(request, integration_dir);
  }
  return {false, request.args, {}};
}

}  // namespace troupe::shell
