# SPDX-License-Identifier: MIT
# troupe shell integration for bash >= 4.4: marks prompts, commands and exit codes (OSC 133, OSC 7).
#   eval "$(troupe shell-integration bash)"      at the end of ~/.bashrc
# Every name it defines begins with __troupe_. Loading it twice is harmless.

[[ $- == *i* ]] || return 0
shopt -q restricted_shell && return 0
((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) || return 0

# Neither an alias nor `set -a` of the user may change what follows; both come back at the end.
case $- in
  *a*) set +a && __troupe_undo='set -a' ;;
  *) __troupe_undo=: ;;
esac
if shopt -q expand_aliases; then
  shopt -u expand_aliases
  __troupe_undo+='; shopt -s expand_aliases'
fi

# The nonce proves to the terminal that a mark is the shell's own: no child may inherit it.
case ${TROUPE_NONCE-} in
  '' | *[!0-9A-Za-z]*) ;;
  *) __troupe_nonce=$TROUPE_NONCE ;;
esac
unset TROUPE_NONCE
: "${__troupe_nonce=}"
__troupe_tail=${__troupe_nonce:+";nonce=$__troupe_nonce"}

# What changes later is in arrays: whatever `set -a` does, bash exports none.
builtin declare -ga __troupe_number __troupe_ran __troupe_url __troupe_url_of
# Loaded again while a command runs, it goes on where it was.
: "${__troupe_number=-1}" # HISTCMD at the prompt; -1 before the first one
: "${__troupe_ran=0}"     # commands since C, while its D is not out
__troupe_url=
__troupe_url_of=
__troupe_mark_a='\[\e]133;A\a\]'
__troupe_mark_b='\[\e]133;B\a\]'
__troupe_mark_p='\[\e]133;P;k=s\a\]' # in PS2: the shell waits for the rest of a command
# PS0 comes before every command, and one input (a paste of several lines) can hold several: the
# first prints E and C, the others E alone, with the input up to there. __troupe_ran counts them.
# One command substitution for the text; the rest costs no process. Without promptvars nothing
# would be expanded, so then the mark is a plain one, and there is one for each command.
__troupe_start=$'\e]133;C'$__troupe_tail$'\a'
__troupe_mark_c='$({ __troupe_command; } 2>/dev/null)'
__troupe_mark_c+='${__troupe_lost[$?]+'
__troupe_mark_c+='${__troupe_lost[9]#"${PROMPT_COMMAND[9999]:=$__troupe_hook_last}"}}'
__troupe_mark_c+='${__troupe_start:$(((__troupe_ran++ > 0 && $? - 9) * 999)):999}'
__troupe_mark_c_plain='\e]133;C\a'
# stderr is where `set -x` writes: what the hooks do stays off the screen.
__troupe_hook_first='{ __troupe_first; } 2>/dev/null'
__troupe_hook_last='{ __troupe_last; } 2>/dev/null'
# Where the hooks are gone from PROMPT_COMMAND, __troupe_command fails with 9, and the expansion
# after it (of nothing otherwise) puts the last one back, which puts back the rest.
__troupe_lost=([9]="$__troupe_hook_last")
__troupe_array=$((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 501))

# Prints 633;E with what was read since the prompt. Only where the history took all of it: what it
# did not take (leading blank, HISTIGNORE) is left to the terminal, which can read its own screen;
# after C an empty E asks it to.
__troupe_command() {
  builtin local LC_ALL=C text=
  __troupe_kept || return 9
  ((__troupe_ran < 100)) || return 0 # reading a long input again and again takes its time
  if ((__troupe_ran)); then
    __troupe_input || text=
    [[ $text == full ]] && return 0
  else
    ((__troupe_number >= 0 && ${HISTCMD-0} == __troupe_number + 1)) && __troupe_input || return 0
  fi
  text=${text:1:4100}
  __troupe_escape
  builtin printf '\e]633;E;%s%s\a' "$text" "${__troupe_nonce:+";$__troupe_nonce"}"
}

# Fails where PROMPT_COMMAND has lost the hooks and can be given one.
__troupe_kept() {
  ((__troupe_array)) && [[ -z ${bash_preexec_imported-}${__bp_imported-} ]] || return 0
  [[ ${PROMPT_COMMAND[*]-} == *"$__troupe_hook_last"* ]] && return 0
  [[ $(builtin declare -p PROMPT_COMMAND) =~ ^declare\ -[a-zA-Z]*r ]]
}

# Sets `text` of the caller to a `:` and the lines that the history has taken since the prompt, or
# to `full` where the last entry is beyond the journal's limit; fails where some are missing. A
# comment has an entry and is no command: where one comes last, the command about to run has none.
__troupe_input() {
  builtin local line before=: tag lines time=$'\2\3' number="${HISTCMD-0}" index="$__troupe_number"
  builtin local blank='[*[:blank:]][[:blank:]]'
  ((index >= 0 && number > index + __troupe_ran)) || return 1
  ((__troupe_ran == 0)) || shopt -q cmdhist || return 1
  builtin mapfile -t lines <<<"$(HISTTIMEFORMAT=$time \builtin history "$((number - index))")"
  builtin printf -v tag '%5d' "$index"
  [[ ${lines[0]} == "$tag"$blank"$time"* ]] || return 1
  text=:
  for line in "${lines[@]}"; do
    if [[ $line == "$tag"$blank"$time"* ]]; then
      line=${line:${#tag}+4}
      # The entry of a here-document ends with a line break of its own.
      [[ -z $before ]] && text=${text%$'\n'}
      ((++index < number)) || [[ $__troupe_ran == 0 || $line != '#'* ]] || return 1
      builtin printf -v tag '%5d' "$index"
    fi
    text+=$line$'\n'
    before=$line
    if ((${#text} > 4100 && index < number)); then
      text=full
      return 0
    fi
  done
  text=${text%$'\n'}
  ((index == number))
}

# Escapes `text` of the caller for 633;E: backslash, semicolon and control characters.
__troupe_escape() {
  builtin local slash=\\ code byte
  text=${text//"$slash"/"$slash$slash"}
  text=${text//";"/"${slash}x3b"}
  [[ $text == *[[:cntrl:]]* ]] || return 0
  for code in {1..31} 127; do
    builtin printf -v code %02x "$code"
    builtin printf -v byte %b "\\x$code"
    text=${text//"$byte"/"${slash}x$code"}
  done
}

# Sets __troupe_url for $PWD.
__troupe_locate() {
  [[ $__troupe_url_of == "$PWD" ]] && return 0
  builtin local LC_ALL=C path="$PWD" host="${HOSTNAME-}" out= index char code
  if [[ $path == *[!A-Za-z0-9/._~-]* ]]; then
    for ((index = 0; index < ${#path}; index++)); do
      char=${path:index:1}
      if [[ $char == [!A-Za-z0-9/._~-] ]]; then
        builtin printf -v code %d "'$char"
        builtin printf -v char '%%%02X' "$((code & 255))"
      fi
      out+=$char
    done
  else
    out=$path
  fi
  [[ $host == *[!A-Za-z0-9._-]* ]] && host=
  __troupe_url="file://$host$out"
  __troupe_url_of=$PWD
}

# The end of a command, and where the shell is. /dev/tty, because `exec >file` moves stdout.
__troupe_finish() {
  if ((__troupe_ran)); then
    __troupe_ran=0
    builtin printf '\e]133;D;%s%s\a' "$1" "$__troupe_tail" >/dev/tty
  fi
  __troupe_locate
  builtin printf '\e]7;%s\a' "$__troupe_url" >/dev/tty
}

# Runs before every other prompt hook, so that it sees the command's own status.
__troupe_first() {
  builtin local status="$?"
  __troupe_finish "$status"
  # A hook that builds a prompt from itself finds what it left.
  if [[ ${PS1-} == "$__troupe_mark_a"*"$__troupe_mark_b" && ${PS1+"${PS1@a}"} != *r* ]]; then
    PS1=${PS1#"$__troupe_mark_a"}
    PS1=${PS1%"$__troupe_mark_b"}
  fi
  if [[ ${PS2-} == "$__troupe_mark_p"* && ${PS2+"${PS2@a}"} != *r* ]]; then
    PS2=${PS2#"$__troupe_mark_p"}
  fi
  # bash >= 5.1 restores $? for each hook by itself; before that the next one reads ours. `set -e`
  # would end the shell here.
  if ((!__troupe_array)) && [[ $- != *e* ]]; then
    return "$status"
  fi
  return 0
}

# Runs after every other prompt hook, so that prompts which are rebuilt each time keep their marks.
__troupe_last() {
  builtin local status="$?" mark="$__troupe_mark_c" other="$__troupe_mark_c_plain" text name
  __troupe_number=${HISTCMD-0}
  ((__troupe_ran)) && __troupe_finish "$status"
  __troupe_arrange
  text=${PS1-}
  if [[ $text != "$__troupe_mark_a"*"$__troupe_mark_b" && ${PS1+"${PS1@a}"} != *r* ]]; then
    text=${text//"$__troupe_mark_a"/}
    text=${text//"$__troupe_mark_b"/}
    PS1=$__troupe_mark_a$text$__troupe_mark_b
  fi
  if [[ ${PS2-} != "$__troupe_mark_p"* && ${PS2+"${PS2@a}"} != *r* ]]; then
    PS2=$__troupe_mark_p${PS2-}
  fi
  if ! shopt -q promptvars; then
    mark=$__troupe_mark_c_plain other=$__troupe_mark_c
    __troupe_ran=1
  fi
  text=${PS0-}
  if [[ ($text != *"$mark" || $text == *"$other"*) && ${PS0+"${PS0@a}"} != *r* ]]; then
    text=${text//"$mark"/}
    PS0=${text//"$other"/}$mark
  fi
  # A child that took our part of them for its own would print marks.
  for name in PS0 PS1 PS2 PROMPT_COMMAND; do
    [[ ${!name-} == *__troupe_* || ${!name-} == *']133;'* ]] && builtin export -n "$name"
  done
  return 0
}

# Puts the two hooks where they belong, also after others came or PROMPT_COMMAND was set anew.
__troupe_arrange() {
  builtin local first="$__troupe_hook_first" last="$__troupe_hook_last" hook hooks
  hooks=()
  [[ ${PROMPT_COMMAND+"${PROMPT_COMMAND@a}"} == *r* ]] && return 0
  if [[ -n ${bash_preexec_imported-}${__bp_imported-} ]]; then
    __troupe_arrange_preexec
    return 0
  fi
  if ((!__troupe_array)); then
    hook=${PROMPT_COMMAND-}
    [[ $hook == "$first"$'\n'*"$last" && ${hook#"$first"} != *"$first"* ]] && return 0
    hook=${hook#"$first"$'\n'}
    hook=${hook%$'\n'"$last"}
    hook=${hook//"$first"/:}
    hook=${hook//"$last"/:}
    PROMPT_COMMAND=$first$'\n'$hook${hook:+$'\n'}$last
    return 0
  fi
  for hook in "${PROMPT_COMMAND[@]}"; do
    [[ $hook == "$first" || $hook == "$last" ]] && continue
    hook=${hook//"$first"/:}
    hooks+=("${hook//"$last"/:}")
  done
  PROMPT_COMMAND=("$first" "${hooks[@]}" "$last")
}

# bash-preexec takes what runs after its own last hook for the user's command: be hooks of its.
__troupe_arrange_preexec() {
  builtin local hook hooks
  hooks=()
  for hook in "${precmd_functions[@]}"; do
    [[ $hook == __troupe_first || $hook == __troupe_last ]] || hooks+=("$hook")
  done
  precmd_functions=(__troupe_first "${hooks[@]}" __troupe_last)
  hooks=()
  for hook in "${PROMPT_COMMAND[@]}"; do
    [[ $hook == "$__troupe_hook_first" || $hook == "$__troupe_hook_last" ]] && continue
    hook=${hook//"$__troupe_hook_first"/:}
    hooks+=("${hook//"$__troupe_hook_last"/:}")
  done
  if ((__troupe_array)); then
    PROMPT_COMMAND=("${hooks[@]}")
  else
    PROMPT_COMMAND=${hooks[0]-}
  fi
}

eval "$__troupe_undo"
unset __troupe_undo
# Last, because a PROMPT_COMMAND that is readonly ends this file here.
{ __troupe_arrange; } 2>/dev/null
