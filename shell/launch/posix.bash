# SPDX-License-Identifier: MIT
# A login shell ignores --rcfile, and with --rcfile a bash may read its system-wide file, which
# --norc forbids. These are started with --posix, whose start-up file is the one that ENV names:
# this one, which puts everything back that the posix start changed.
if [[ -n ${TROUPE_SHELL_ENV+set} ]]; then
  export ENV=$TROUPE_SHELL_ENV
else
  unset ENV
fi
unset TROUPE_SHELL_ENV TROUPE_SHELL_FILE
set +o posix
shopt -u inherit_errexit
[[ ${HISTFILE-} == ~/.sh_history ]] && HISTFILE=~/.bash_history
[[ ${MAILCHECK-} == 600 ]] && MAILCHECK=60
