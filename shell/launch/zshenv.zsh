# SPDX-License-Identifier: MIT
# The .zshenv of a ZDOTDIR that stands in front of the user's. It puts the user's ZDOTDIR back at
# once, so zsh itself reads every later file (.zprofile, .zshrc, .zlogin) from where it belongs.
if [[ -n ${TROUPE_SHELL_ZDOTDIR+set} ]]; then
  builtin export ZDOTDIR=$TROUPE_SHELL_ZDOTDIR
else
  builtin unset ZDOTDIR
fi
builtin unset TROUPE_SHELL_ZDOTDIR
if [[ -n ${TROUPE_SHELL_NO_RCS+set} ]]; then  # it was asked for with -f, which would skip this file
  builtin unset TROUPE_SHELL_NO_RCS
  builtin unsetopt rcs
elif [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then
  builtin source "${ZDOTDIR-$HOME}/.zshenv"
fi
[[ -o interactive ]] || builtin return 0
