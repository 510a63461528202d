# SPDX-License-Identifier: MIT
# Given to bash as --rcfile: first what it would have read itself, then the integration.
if [[ -z ${TROUPE_SHELL_RC+set} ]]; then
  TROUPE_SHELL_RC=~/.bashrc
fi
if [[ -r $TROUPE_SHELL_RC ]]; then
  source "$TROUPE_SHELL_RC"
fi
unset TROUPE_SHELL_RC
