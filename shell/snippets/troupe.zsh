# SPDX-License-Identifier: MIT
# troupe shell integration for zsh: marks prompts, commands and exit codes (OSC 133, OSC 7).
#   eval "$(troupe shell-integration zsh)"      at the end of ~/.zshrc
# Every name it defines begins with __troupe_. Loading it twice is harmless.

'builtin' 'typeset' '-ga' '__troupe_undo'
__troupe_undo=()
# Aliases of the user must not change what follows; they come back at the end.
[[ -o aliases ]] && __troupe_undo=(aliases)
'builtin' 'setopt' 'no_aliases'

# The nonce proves to the terminal that a mark is the shell's own: no child may inherit it.
case ${TROUPE_NONCE-} in
  '' | *[^0-9A-Za-z]*) ;;
  *) builtin typeset -g +x __troupe_nonce=$TROUPE_NONCE ;;
esac
builtin unset TROUPE_NONCE
builtin typeset -g +x __troupe_nonce=${__troupe_nonce-}
builtin typeset -g +x __troupe_tail=${__troupe_nonce:+";nonce=$__troupe_nonce"}

# Loaded again while a command runs, it goes on where it was.
builtin typeset -gi +x __troupe_ran # a command has started (C is out) and its D is not
builtin typeset -g +x __troupe_url= __troupe_url_of=
builtin typeset -g +x __troupe_eol __troupe_eol_set
builtin typeset -g +x __troupe_eol_mark=$'%{\e]133;D;%?'$__troupe_tail$'\a%}'
builtin typeset -g +x __troupe_mark_a=$'%{\e]133;A\a%}' __troupe_mark_b=$'%{\e]133;B\a%}'
builtin typeset -g +x __troupe_mark_p=$'%{\e]133;P;k=s\a%}' # in PS2: waits for the rest
builtin typeset -ga precmd_functions preexec_functions

# Escapes `text` of the caller for 633;E: backslash, semicolon and control characters.
__troupe_escape() {
  builtin local slash=\\ code byte
  text=${text//"$slash"/"$slash$slash"}
  text=${text//";"/"${slash}x3b"}
  [[ $text == *[[:cntrl:]]* ]] || return 0
  for code in {1..31} 127; do
    builtin printf -v code %02x $code
    builtin printf -v byte %b "\\x$code"
    text=${text//"$byte"/"${slash}x$code"}
  done
}

# Sets __troupe_url for $PWD. The caller has no_multibyte, so it counts bytes.
__troupe_locate() {
  [[ $__troupe_url_of == "$PWD" ]] && return 0
  builtin local path_=$PWD host=${HOST-} out= char
  builtin local -i index code
  if [[ $path_ == *[^A-Za-z0-9/._~-]* ]]; then
    for ((index = 1; index <= $#path_; index++)); do
      char=$path_[index]
      if [[ $char == [^A-Za-z0-9/._~-] ]]; then
        ((code = #char))
        builtin printf -v char '%%%02X' $((code & 255))
      fi
      out+=$char
    done
  else
    out=$path_
  fi
  [[ $host == *[^A-Za-z0-9._-]* ]] && host=
  __troupe_url="file://$host$out"
  __troupe_url_of=$PWD
}

# The line was read and is about to run.
__troupe_preexec() {
  builtin emulate -L zsh -o no_multibyte -o no_xtrace
  builtin local text=${${1:-$3}[1,4100]}
  __troupe_escape
  {
    builtin print -rn -- $'\e]633;E;'$text${__troupe_nonce:+";$__troupe_nonce"}$'\a'
    builtin print -rn -- $'\e]133;C'$__troupe_tail$'\a'
  } >/dev/tty 2>/dev/null
  __troupe_ran=1
  # zsh ends an unfinished line of output (PROMPT_SP) before any hook runs. The mark that it prints
  # there carries D, so that neither it nor the fill counts as the command's output.
  if [[ -n $__troupe_eol && ${PROMPT_EOL_MARK-} == "$__troupe_eol" ]]; then
    : # still there, because the hook that takes it away was dropped
  elif [[ ${(t)PROMPT_EOL_MARK} == *export* ]]; then
    __troupe_eol=
  else
    __troupe_eol_set=${+PROMPT_EOL_MARK}
    __troupe_eol=$__troupe_eol_mark${PROMPT_EOL_MARK-'%B%S%#%s%b'}
    builtin typeset -g PROMPT_EOL_MARK=$__troupe_eol
  fi
  __troupe_arrange
}

# Runs before every other prompt hook, so that it sees the command's own status.
__troupe_first() {
  builtin local -i last=$? done_=0
  [[ -o promptsp && -o promptcr && -n $__troupe_eol && ${PROMPT_EOL_MARK-} == "$__troupe_eol" ]] &&
    done_=1
  builtin emulate -L zsh -o no_multibyte -o no_xtrace
  if [[ -n $__troupe_eol && ${PROMPT_EOL_MARK-} == "$__troupe_eol" ]]; then
    if [[ $__troupe_eol_set == 1 ]]; then
      builtin typeset -g PROMPT_EOL_MARK=${PROMPT_EOL_MARK#"$__troupe_eol_mark"}
    else
      builtin unset PROMPT_EOL_MARK
    fi
  fi
  __troupe_eol=
  # A hook that builds a prompt from itself finds what it left.
  if [[ ${PS1-} == "$__troupe_mark_a"*"$__troupe_mark_b" && ${(t)PS1} != *readonly* ]]; then
    PS1=${${PS1#"$__troupe_mark_a"}%"$__troupe_mark_b"}
  fi
  [[ ${PS2-} == "$__troupe_mark_p"* && ${(t)PS2} != *readonly* ]] && PS2=${PS2#"$__troupe_mark_p"}
  __troupe_locate
  {
    ((__troupe_ran && !done_)) && builtin print -rn -- $'\e]133;D;'$last$__troupe_tail$'\a'
    builtin print -rn -- $'\e]7;'$__troupe_url$'\a'
  } >/dev/tty 2>/dev/null
  __troupe_ran=0
}

# Runs after every other prompt hook, so that prompts which are rebuilt each time keep their marks.
__troupe_last() {
  builtin local percent=
  [[ -o promptpercent ]] && percent=1
  builtin emulate -L zsh -o no_xtrace
  builtin local text=${PS1-}
  if [[ -n $percent && $text != "$__troupe_mark_a"*"$__troupe_mark_b" ]] ||
    [[ -z $percent && $text == *("$__troupe_mark_a"|"$__troupe_mark_b")* ]]; then
    text=${text//"$__troupe_mark_a"/}
    text=${text//"$__troupe_mark_b"/}
    [[ -n $percent ]] && text=$__troupe_mark_a$text$__troupe_mark_b
    PS1=$text
  fi
  text=${${PS2-}#"$__troupe_mark_p"}
  [[ -n $percent ]] && text=$__troupe_mark_p$text
  [[ $text == "${PS2-}" || ${(t)PS2} == *readonly* ]] || PS2=$text
  __troupe_arrange
}

# Puts the hooks where they belong, also after others came or the lists were set anew.
__troupe_arrange() {
  if [[ ${precmd_functions[1]-} != __troupe_first || ${precmd_functions[-1]-} != __troupe_last ]]; then
    precmd_functions=(__troupe_first "${(@)precmd_functions:#__troupe_(first|last)}" __troupe_last)
  fi
  if [[ ${preexec_functions[-1]-} != __troupe_preexec ]]; then
    preexec_functions=("${(@)preexec_functions:#__troupe_preexec}" __troupe_preexec)
  fi
  return 0
}

__troupe_arrange
((${#__troupe_undo})) && 'builtin' 'setopt' $__troupe_undo
'builtin' 'unset' '__troupe_undo'
