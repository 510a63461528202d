# SPDX-License-Identifier: MIT
# A login shell ignores --rcfile, so it is started as `bash --posix -l` with ENV naming this file.
# First everything that the posix start changed is put back, then the files of a login shell are
# read in bash's own order, then the integration.
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
if [[ -r /etc/profile ]]; then
  source /etc/profile
fi
if [[ -r ~/.bash_profile ]]; then
  source ~/.bash_profile
elif [[ -r ~/.bash_login ]]; then
  source ~/.bash_login
elif [[ -r ~/.profile ]]; then
  source ~/.profile
fi
