# SPDX-License-Identifier: MIT
# Behind posix.bash, for a login shell: its files in bash's own order.
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
