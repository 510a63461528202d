# SPDX-License-Identifier: MIT
"""The completions in the real shells: what a person types, a tab, and the words that the shell makes of it."""

import os
import shutil
import subprocess

from harness import TROUPE, Person, main

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "completions")
UGLY = "it's \"quoted\" $HOME `x` back\\slash & all!"
TITLES = ["my title", "a:b:c", "user@host: ~/src", "[*] x=1", "#1;x", "\u00e9t\u00e9 2", 'say "hi"', "the 'end'", UGLY]

# What is typed, and the title that is meant. Each runs in bash and in zsh.
TYPED = [
    ("my", "my title"), ("my\\ ", "my title"), ("my\\ ti", "my title"), ('"my', "my title"), ("'my ti", "my title"), ('my" t', "my title"),
    ("a", "a:b:c"), ("a:", "a:b:c"), ("a:b:", "a:b:c"), ('"a":', "a:b:c"), ("'a:'b", "a:b:c"), ("a:'b:'", "a:b:c"), ("'my title'", "my title"),
    ("'a:b", "a:b:c"), ('"a:', "a:b:c"),
    ("us", "user@host: ~/src"), ("user@", "user@host: ~/src"), ("user@h", "user@host: ~/src"),
    ("user@host:\\ ", "user@host: ~/src"), ('"user@host: ~', "user@host: ~/src"),
    ("\\[", "[*] x=1"), ("'[*] x=", "[*] x=1"), ("\\#1", "#1;x"), ("\u00e9", "\u00e9t\u00e9 2"), ("'\u00e9t", "\u00e9t\u00e9 2"),
    ("sa", 'say "hi"'), ('"say', 'say "hi"'), ("'say \"", 'say "hi"'), ("th", "the 'end'"), ("'th", "the 'end'"), ('"the \'', "the 'end'"),
    ("it", UGLY), ('"it', UGLY), ("'it", UGLY), ("it\\'s\\ \\\"q", UGLY), ("\"it's \\\"quo", UGLY),
]


def environment():
    return {"PATH": os.path.dirname(TROUPE) + ":" + os.environ["PATH"], "LC_ALL": "C.UTF-8", "PS1": "$ ", "HISTFILE": "/dev/null"}


def terminals(daemon, titles=None):
    for title in titles or TITLES:
        daemon.ok("new", "-d", "--title", title, "--", "/bin/sh", "-c", "exec cat")


def completes(daemon, command, setup, typed):
    """Types each line of `typed` with a tab into a shell whose function `told` shows the words that it gets."""
    shell = Person(daemon, command=command, cols=400, **environment())
    try:
        for line in setup + ["told() { printf '%s|' \"$@\"; echo; }", "echo rea''dy"]:
            shell.type(line.encode() + b"\n")
        shell.until(b"ready")
        for words, wanted in typed:
            del shell.screen[:]
            shell.type(f"told {words}\t\n".encode())
            shell.until(f"{wanted}|\r\n".encode(), f"{command[0]}: {words!r} as {wanted!r}")
    finally:
        shell.close()


def in_bash(daemon, typed):
    completes(daemon, ["bash", "--norc", "--noprofile", "-i"], [f". '{SCRIPTS}/troupe.bash'", "complete -F _troupe told"], typed)


def in_zsh(daemon, typed):
    completes(daemon, ["zsh", "-f", "-i"],
              [f"fpath=('{SCRIPTS}' $fpath)", "autoload -Uz compinit && compinit -u -D", "compdef _troupe told"], typed)


def has(shell):
    if shutil.which(shell):
        return True
    print(f"skipped: no {shell}")
    return False


def in_fish(daemon, line):
    words = ["fish", "--no-config", "-c", f"source '{SCRIPTS}/troupe.fish'; complete -C $argv[1]", line]
    return subprocess.run(words, capture_output=True, text=True, check=True, env=daemon.env | environment(), timeout=30).stdout.splitlines()


def test_bash_completes_titles_with_blanks_quotes_and_colons(daemon):
    terminals(daemon)
    in_bash(daemon, [(f"attach {word}", f"attach|{title}") for word, title in TYPED])


def test_zsh_completes_titles_with_blanks_quotes_and_colons(daemon):
    if has("zsh"):
        terminals(daemon)
        in_zsh(daemon, [(f"attach {word}", f"attach|{title}") for word, title in TYPED])


def test_fish_completes_titles_with_blanks_quotes_and_colons(daemon):
    if has("fish"):
        terminals(daemon)
        for word, title in [("my", "my title"), ("a:b", "a:b:c"), ("user@host:\\ ", "user@host: ~/src"), ("'my ti", "my title"),
                            ("it\\'s", UGLY), ("\u00e9", "\u00e9t\u00e9 2")]:
            assert in_fish(daemon, f"troupe attach {word}") == [title], in_fish(daemon, f"troupe attach {word}")


def test_completions_ask_the_daemon_that_the_line_names(daemon):
    daemon.ok("--name", "other", "new", "-d", "--title", "elsewhere", "--", "/bin/sh", "-c", "exec cat")
    try:
        for option in ("--name other", "--name=other"):
            told = option.replace(" ", "|")
            in_bash(daemon, [(f"show {option} else", f"show|{told}|elsewhere"), (f"{option} close 1 else", f"{told}|close|1|elsewhere")])
            if has("fish"):
                assert in_fish(daemon, f"troupe show {option} else") == ["elsewhere"]
        if has("zsh"):
            in_zsh(daemon, [("show --name other else", "show|--name|other|elsewhere"),
                            ("--name other show else", "--name|other|show|elsewhere"),
                            ("--name=other close 1 else", "--name=other|close|1|elsewhere")])
    finally:
        daemon.ok("--name", "other", "stop")


def test_completions_of_terminals_name_each_that_can_be_named(daemon):
    assert daemon.run("completions", "terminals").stdout == ""
    terminals(daemon, ["my title", "twice", "twice", "-dash"])
    daemon.ok("rename", "my title", "mine")
    ids = [str(terminal["id"]) for terminal in daemon.json("list")["terminals"]]
    assert sorted(daemon.ok("completions", "terminals").splitlines()) == sorted(ids + ["mine"])


if __name__ == "__main__":
    main(globals())
