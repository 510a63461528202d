# bash completion for troupe; made by `troupe completions bash`
_troupe() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local command='' options='' terminals='' at
  local -a daemon=()
  for ((at = 1; at < COMP_CWORD; at++)); do
    case ${COMP_WORDS[at]} in
    --name|--runtime-dir) daemon+=("${COMP_WORDS[at]}" "${COMP_WORDS[at+1]}"); ((at++)) ;;
    --) return ;;
    -*) ;;
    *) [[ -n $command ]] || command=${COMP_WORDS[at]} ;;
    esac
  done
  case $before in
  --cwd|--runtime-dir) mapfile -t COMPREPLY < <(compgen -d -- "$word"); return ;;
  esac
  if [[ -z $command ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'new attach list ls rename resize signal restart close show history search watch wait send keys paste run journal output record export play shell-integration completions status stop daemon version console up down mcp --help --version --name --runtime-dir' -- "$word")
    return
  fi
  case $command in
    new)
      options='--help -h --detached -d --cwd --env --daemon-env --size --title --label --integrate --record --protected --keep --detach-key --json --name --runtime-dir'
      ;;
    attach)
      options='--help -h --observe --takeover --detach-key --name --runtime-dir'
      terminals=yes
      ;;
    list|ls)
      options='--help -h --ended --watch --json --name --runtime-dir'
      ;;
    rename)
      options='--help -h --name --runtime-dir'
      terminals=yes
      ;;
    resize)
      options='--help -h --name --runtime-dir'
      terminals=yes
      ;;
    signal)
      options='--help -h --target --name --runtime-dir'
      terminals=yes
      ;;
    restart)
      options='--help -h --json --name --runtime-dir'
      terminals=yes
      ;;
    close)
      options='--help -h --force --json --name --runtime-dir'
      terminals=yes
      ;;
    show)
      options='--help -h --rows --ansi --json --name --runtime-dir'
      terminals=yes
      ;;
    history)
      options='--help -h --rows --all --ansi --since --max-bytes --json --name --runtime-dir'
      terminals=yes
      ;;
    search)
      options='--help -h --regex --ignore-case -i --limit --json --name --runtime-dir'
      terminals=yes
      ;;
    watch)
      options='--help -h --name --runtime-dir'
      terminals=yes
      ;;
    wait)
      options='--help -h --timeout --text --pattern --idle --output --exit --from --max-bytes --json --name --runtime-dir'
      terminals=yes
      ;;
    send)
      options='--help -h --enter --raw --ack --takeover --json --name --runtime-dir'
      terminals=yes
      ;;
    keys)
      options='--help -h --ack --takeover --json --name --runtime-dir'
      terminals=yes
      ;;
    paste)
      options='--help -h --ack --takeover --json --name --runtime-dir'
      terminals=yes
      ;;
    run)
      options='--help -h --terminal --new --timeout --max-bytes --takeover --json --name --runtime-dir'
      ;;
    journal)
      options='--help -h --from --limit --next-index --json --name --runtime-dir'
      terminals=yes
      ;;
    output)
      options='--help -h --wait --after --from --max-bytes --json --name --runtime-dir'
      terminals=yes
      ;;
    record)
      options='--help -h --output -o --redact --stop --status --json --name --runtime-dir'
      terminals=yes
      ;;
    export)
      options='--help -h --format --output -o --input --name --runtime-dir'
      ;;
    play)
      options='--help -h --speed --max-idle --name --runtime-dir'
      ;;
    shell-integration)
      options='--help -h --name --runtime-dir'
      ;;
    completions)
      options='--help -h --name --runtime-dir'
      ;;
    status)
      options='--help -h --json --name --runtime-dir'
      ;;
    stop)
      options='--help -h --yes -y --json --name --runtime-dir'
      ;;
    daemon)
      options='--help -h --foreground --name --runtime-dir'
      ;;
    version)
      options='--help -h --name --runtime-dir'
      ;;
    console)
      options='--help -h --name --runtime-dir'
      ;;
    up)
      options='--help -h --replace --keep --check --json --name --runtime-dir'
      ;;
    down)
      options='--help -h --force --json --name --runtime-dir'
      ;;
    mcp)
      options='--help -h --name --runtime-dir'
      ;;
  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [[ $command == shell-integration || $command == completions ]]; then
    mapfile -t COMPREPLY < <(compgen -W 'bash zsh fish' -- "$word")
  elif [[ -n $terminals ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(troupe list "${daemon[@]}" 2>/dev/null | awk 'NR > 1 { print $1; print $NF }')" -- "$word")
  fi
}
complete -F _troupe troupe
