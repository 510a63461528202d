# bash completion for troupe; made by `troupe completions bash`
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
_troupe() {
  local command='' options='' terminals='' quote fixed at
  local -a words daemon=()
  COMPREPLY=()
  _troupe_read_line
  local last=$((${#words[@]} - 1))
  local word=${words[last]} before=${words[last-1]}
  for ((at = 1; at < last; at++)); do
    case ${words[at]} in
    --name|--runtime-dir) daemon+=("${words[at]}" "${words[at+1]}"); ((at++)) ;;
    --name=*|--runtime-dir=*) daemon+=("${words[at]}") ;;
    --) return ;;
    -*) ;;
    *) [[ -n $command ]] || command=${words[at]} ;;
    esac
  done
  case $before in
  --cwd|--runtime-dir)
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$word")
    return
    ;;
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
    _troupe_offer < <(troupe completions terminals "${daemon[@]}" 2>/dev/null)
  fi
}
complete -F _troupe troupe
