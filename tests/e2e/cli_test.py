# SPDX-License-Identifier: MIT
"""The command line against the real daemon, as scripts and agents use it."""

import json
import os
import re
import signal
import subprocess
import threading
import time

from harness import TROUPE, Person, eventually, main


def detached(daemon, script, title="t"):
    return daemon.ok("new", "-d", "--title", title, "--", "/bin/sh", "-c", script).strip()


def integrated_shell(daemon, title="sh", shell="/bin/bash"):
    terminal = daemon.ok("new", "-d", "--title", title, "--integrate", "--", shell).strip()
    daemon.ok("wait", terminal, "--pattern", "[$#>] ", "--from", "oldest", "--timeout", "20")
    return terminal


def test_new_starts_a_daemon_once_and_list_shows_the_terminal(daemon):
    assert daemon.run("list").returncode == 1, "list starts no daemon"
    terminal = detached(daemon, "exec cat", "first")
    pid = daemon.pid()
    detached(daemon, "exec cat", "second")
    assert daemon.pid() == pid
    listing = daemon.ok("list")
    assert terminal in listing and "first" in listing and "second" in listing
    assert f"{pid}" in daemon.ok("status")
    assert daemon.json("status")["pid"] == pid


def test_many_starts_at_once_make_one_daemon(daemon):
    results = []
    threads = [threading.Thread(target=lambda n=n: results.append(daemon.run("new", "-d", "--title", f"t{n}", "--", "cat")))
               for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [r.returncode for r in results] == [0] * 6, [r.stderr for r in results]
    assert len(daemon.json("list")["terminals"]) == 6


def test_terminals_are_named_by_id_hex_id_title_and_beginning(daemon):
    terminal = detached(daemon, "echo marker; exec cat", "building")
    detached(daemon, "exec cat", "builder")
    for name in (terminal, f"{int(terminal):012x}", "building", "buildin"):
        eventually(lambda: "marker" in daemon.ok("show", name), f"show {name}")
    ambiguous = daemon.run("show", "build")
    assert ambiguous.returncode == 1 and terminal in ambiguous.stderr
    missing = daemon.run("show", "nothing")
    assert missing.returncode == 1 and missing.stderr.startswith("error: ")


def test_a_given_title_stays_and_a_label_names_too(daemon):
    daemon.ok("new", "-d", "--title", "mine", "--label", "tagged", "--", "/bin/sh", "-c", "printf '\\033]2;theirs\\007marker'; exec cat")
    for name in ("mine", "tagged"):
        eventually(lambda: "marker" in daemon.ok("show", name), f"show {name}")
    assert daemon.run("show", "theirs").returncode == 1
    assert "mine" in daemon.ok("list") and "theirs" not in daemon.ok("list")


def test_words_behind_dashes_are_the_commands(daemon):
    shell = integrated_shell(daemon, "build")
    # With a word before the dashes and with none; an option there is none of ours.
    assert daemon.ok("run", "build", "--", "printf", "%s", "--json").strip() == "--json"
    assert daemon.ok("run", "--terminal", shell, "--", "printf", "%s", "-h").strip() == "-h"
    assert daemon.ok("run", "--", "printf", "%s", "--").strip() == "--"
    daemon.ok("new", "-d", "--title", "c", "cat", "--", "-n", "")
    assert daemon.terminal("c")["command"] == ["cat", "-n", ""]
    for words, hint in [(["run", "build", "ls", "-la"], True), (["list", "-x"], False), (["list", "--", "x"], False)]:
        refused = daemon.run(*words)
        assert refused.returncode == 2 and refused.stderr.startswith(f"error: not expected: {words[-1]} ("), refused.stderr
        assert ("behind `--`" in refused.stderr) == hint, refused.stderr


def test_send_keys_paste_and_show(daemon):
    # Without the tty's echo: it comes before or after what cat prints, as it likes.
    detached(daemon, "stty -echo; echo up; exec cat")
    daemon.ok("wait", "t", "--text", "up", "--from", "oldest", "--timeout", "20")
    daemon.ok("send", "t", "one\\n", "--ack")
    daemon.ok("send", "t", "--enter", "two")
    daemon.ok("keys", "t", "t", "h", "r", "e", "e", "enter")
    daemon.ok("paste", "t", "four")
    daemon.ok("send", "t", "-", stdin="five\\n")
    eventually(lambda: "fourfive" in daemon.ok("show", "t"), "everything typed")
    assert daemon.ok("show", "t").split() == ["up", "one", "two", "three", "fourfive"]
    assert daemon.run("keys", "t", "nosuchkey").returncode == 1


def test_environment_and_directory_are_those_of_the_caller(daemon):
    daemon.ok("daemon")
    detached_env = daemon.run("new", "-d", "--title", "env", "--cwd", "/usr", "--env", "B=2", "--", "/bin/sh", "-c",
                              "echo A=$A B=$B; pwd; exec cat", A="1")
    assert detached_env.returncode == 0
    eventually(lambda: daemon.ok("show", "env") == "A=1 B=2\n/usr\n", "environment and directory")


def test_resize_rename_signal_restart_and_close(daemon):
    terminal = detached(daemon, "trap 'echo got-int' INT; echo up; while :; do sleep 0.1; done")
    daemon.ok("resize", "t", "99x31")
    assert (daemon.terminal("t")["cols"], daemon.terminal("t")["rows"]) == (99, 31)
    daemon.ok("rename", "t", "renamed")
    daemon.ok("wait", "renamed", "--text", "up", "--from", "oldest", "--timeout", "20")
    daemon.ok("signal", "renamed", "INT", "--target", "session")
    daemon.ok("wait", "renamed", "--text", "got-int", "--from", "oldest", "--timeout", "20")
    daemon.ok("rename", "renamed")
    assert daemon.terminal("t")["user_title"] is None
    daemon.ok("signal", "t", "KILL", "--target", "session")
    assert daemon.run("wait", "t", "--timeout", "20").returncode == 137
    daemon.ok("restart", "t")
    assert daemon.terminal("t")["lifecycle"]["status"] == "running"
    daemon.ok("close", terminal)
    assert daemon.json("list")["terminals"] == []
    assert terminal in daemon.ok("list", "--ended")


# C-8
def test_wait_gives_the_exit_status_text_and_time(daemon):
    """C-8"""
    detached(daemon, "exit 7", "seven")
    assert daemon.run("wait", "seven", "--timeout", "20").returncode == 7
    detached(daemon, "echo one; sleep 0.3; echo match-me 42; exec cat", "text")
    result = daemon.run("wait", "text", "--pattern", "match-me [0-9]+$", "--from", "oldest", "--timeout", "20")
    assert (result.returncode, result.stdout) == (0, "match-me 42\n"), result
    assert daemon.run("wait", "text", "--text", "never", "--timeout", "0.2").returncode == 124
    assert daemon.run("wait", "text", "--idle", "100ms", "--timeout", "20").returncode == 0
    assert daemon.run("wait", "text", "--pattern", "(", "--timeout", "1").returncode == 1
    assert daemon.run("wait", "text", "--timeout", "nonsense").returncode == 2


def test_show_rows_counts_from_the_last_row_that_is_not_blank(daemon):
    detached(daemon, "seq 1 5; exec cat", "few")
    detached(daemon, "seq 1 100; exec cat", "many")
    for title, last in (("few", "5"), ("many", "100")):
        daemon.ok("wait", title, "--text", f"{last}\n", "--from", "oldest", "--timeout", "20")
    assert daemon.ok("show", "few", "--rows", "2") == "4\n5\n"
    assert daemon.ok("show", "few", "--rows", "2", "--ansi") == "4\n5\n"
    assert daemon.ok("show", "few", "--rows", "65535").split() == [str(n) for n in range(1, 6)]
    assert daemon.ok("show", "many", "--rows", "50").split() == [str(n) for n in range(51, 101)]
    assert daemon.json("show", "few", "--rows", "2")["lines"] == ["", ""], "the daemon's reply as it is"
    assert daemon.run("show", "few", "--rows", "0").returncode == 2


def test_history_since_and_search(daemon):
    detached(daemon, "seq 1 200; exec cat")
    daemon.ok("wait", "t", "--text", "200", "--from", "oldest", "--timeout", "20")
    assert daemon.ok("history", "t").split() == [str(n) for n in range(1, 201)]
    since = daemon.run("history", "t", "--since", "now")
    assert since.stdout == ""
    cursor = since.stderr.split()[-1]
    daemon.ok("send", "t", "fresh\\n", "--ack")
    daemon.ok("wait", "t", "--text", "fresh\n", "--from", cursor, "--timeout", "20")
    assert "fresh" in daemon.ok("history", "t", "--since", cursor)
    assert daemon.run("history", "t", "--since", "1:2:3").returncode == 2
    found = daemon.ok("search", "t", "--regex", "^19[0-9]$")
    assert [line.split("\t")[1] for line in found.splitlines()] == [str(n) for n in range(190, 200)]
    assert daemon.run("search", "t", "nowhere").returncode == 1


# C-13
def test_record_export_and_play(daemon):
    directory = os.path.join(daemon.directory, "recordings")
    env = {"TROUPE_RECORDINGS_DIR": directory}
    daemon.run("daemon", **env)
    terminal = detached(daemon, "read line; printf '\\033[31mred\\033[0m <b>\\n'; sleep 0.3; printf 'end\\n'; exec cat", "rec")
    assert daemon.run("record", "rec", "--status").returncode == 1
    path = daemon.ok("record", "rec").strip()
    assert path.startswith(f"{directory}/") and path.endswith(".jsonl"), path
    assert (os.stat(path).st_mode & 0o777, os.stat(directory).st_mode & 0o777) == (0o600, 0o700)
    assert daemon.run("record", "rec").returncode == 1, "one at a time"
    assert daemon.json("record", "rec", "--status")["active"] is True
    daemon.ok("send", "rec", "secret-looking", "--enter")
    daemon.ok("wait", "rec", "--text", "end", "--from", "oldest", "--timeout", "20")
    stopped = daemon.run("record", "rec", "--stop")
    assert stopped.stdout.strip() == path and "rows" in stopped.stderr, stopped
    last = [t for t in daemon.json("list")["terminals"] if str(t["id"]) == terminal][0]
    assert (last["recording"], last["last_recording"]) == (None, path)

    text = daemon.ok("export", path, "--format", "text")
    assert text.endswith("red <b>\nend\n"), text
    for version in (2, 3):
        lines = [json.loads(line) for line in daemon.ok("export", path, "--format", f"asciicast-v{version}").splitlines()]
        assert lines[0]["version"] == version
        assert "".join(e[2] for e in lines[1:] if e[1] == "o").endswith("end\r\n")
        assert not [e for e in lines[1:] if e[1] == "i"]
    assert '[' in daemon.ok("export", path) and '"i"' in daemon.ok("export", path, "--input")
    page = os.path.join(daemon.directory, "page.html")
    daemon.ok("export", path, "--format", "html", "-o", page)
    with open(page, encoding="utf-8") as file:
        assert "&lt;b&gt;" in file.read()
    assert os.stat(page).st_mode & 0o777 == 0o600
    assert daemon.run("export", path, "--format", "html", "-o", page).returncode == 1, "replaces nothing"
    assert daemon.run("export", path, "--format", "gif").returncode == 2
    assert daemon.run("export", f"{path}.none").returncode == 1

    begin = time.monotonic()
    played = daemon.ok("play", path, "--max-idle", "10ms")
    assert "\x1b[31mred\x1b[0m <b>\n" in played and played.endswith("end\n"), "line ends as Python reads them"
    assert time.monotonic() - begin < 10
    assert daemon.run("play", path, "--speed", "0").returncode == 2

    named = os.path.join(daemon.directory, "own.jsonl")
    assert daemon.run("record", "rec", "-o", named, "--redact", "some").returncode == 2
    assert daemon.ok("record", "rec", "-o", named, "--redact", "all").strip() == named
    daemon.ok("send", "rec", "masked", "--enter", "--ack")
    daemon.ok("wait", "rec", "--text", "masked", "--from", "oldest", "--timeout", "20")
    daemon.ok("record", "rec", "--stop")
    with open(named, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    assert [r.get("keys") for r in rows if r["action"] == "terminal_input"] == ["***"]


def test_what_is_no_recording_is_not_exported(daemon):
    path = os.path.join(daemon.directory, "junk.jsonl")
    row = '{"action":"terminal_output","data":"x"}\n'
    for content, code, said in (("", 1, f"{path}: no recording"), ("junk\n\n{}\n", 1, f"{path}:1: no recording"),
                                ("half a line", 1, f"{path}:1: no recording"), (f"junk\n{row}", 0, "1 lines are no rows"),
                                (row + row[:20], 0, "ends within a row")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        done = daemon.run("export", path)
        assert done.returncode == code and said in done.stderr and bool(done.stdout) == (code == 0), done
        cast = os.path.join(daemon.directory, "junk.cast")
        assert daemon.run("export", path, "-o", cast).returncode == code and os.path.exists(cast) == (code == 0)
        if code == 0:
            os.unlink(cast)
        assert daemon.run("play", path).returncode == code


def test_new_can_record_from_the_first_byte(daemon):
    directory = os.path.join(daemon.directory, "recordings")
    daemon.run("daemon", TROUPE_RECORDINGS_DIR=directory)
    daemon.ok("new", "-d", "--record", "--title", "r", "--", "/bin/sh", "-c", "printf first; exit 5")
    assert daemon.run("wait", "r", "--timeout", "20").returncode == 5
    eventually(lambda: daemon.terminal("r")["last_recording"], "the recording's end")
    path = daemon.terminal("r")["last_recording"]
    assert daemon.ok("play", path) == "first"
    with open(path, encoding="utf-8") as file:
        assert json.loads(file.readlines()[-1])["exit_code"] == 5


# C-12
def test_play_undoes_what_it_shows_and_asks_nothing(daemon):
    """C-12"""
    path = os.path.join(daemon.directory, "r.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for n, (action, fields) in enumerate([
                ("terminal_start", {"cols": 80, "rows": 24}),
                ("terminal_output", {"data": "\x1b[?1049h\x1b[?1000hshown\x1b[6n\x1b[c"}),
                ("terminal_output", {"data": "never"})]):
            file.write(json.dumps({"ts": f"2026-09-01T12:0{n * n}:00Z", "seq": n, "t": 60.0 * n * n * n, "action": action} | fields) + "\n")
    person = Person(daemon, "play", path, "--max-idle", "10ms", "--speed", "100")
    assert person.wait() == 0
    assert person.answered == 0 and b"shown" in person.screen
    assert person.screen.rfind(b"\x1b[?1049l") > person.screen.find(b"shown") > 0
    assert b"\x1b[?1000l" in person.screen and person.restored()
    person.close()
    person = Person(daemon, "play", path, "--max-idle", "3s", "--speed", "2")
    person.until(b"shown")
    person.type(b"\x03")
    assert person.wait() == 130
    assert b"never" not in person.screen and person.restored()
    person.close()


def test_run_gives_output_and_code_of_a_shell(daemon):
    integrated_shell(daemon)
    result = daemon.run("run", "sh", "printf hello; (exit 3)")
    assert (result.returncode, result.stdout) == (3, "hello\n"), result
    assert daemon.ok("run", "sh", "echo", "two words", "$HOME") == "two words $HOME\n"
    assert daemon.run("run", "--timeout", "0.3", "sh", "sleep 2").returncode == 124
    assert daemon.run("output", "sh", "--wait", "20").returncode == 0
    journal = daemon.json("journal", "sh")
    assert [r["command"] for r in journal["records"]][0] == "printf hello; (exit 3)"
    assert daemon.ok("output", "sh", "0") == "hello\n"
    assert daemon.ok("journal", "sh", "--next-index").strip() == "3"
    parsed = json.loads(daemon.run("run", "sh", "echo json", "--json").stdout)
    assert (parsed["text"], parsed["record"]["exit_code"]) == ("json\n", 0)


def test_run_of_several_lines_is_one_command(daemon):
    integrated_shell(daemon)
    rows = [("echo a\necho b", 0, "a\nb\n"), ("cat <<E\nx\nE\nfalse", 1, "x\n"), ("sleep .1\nfalse", 1, ""),
            ("echo 1\necho 2\necho 3", 0, "1\n2\n3\n"), (" echo s\necho s", 0, "s\ns\n")]
    for text, code, output in rows:
        result = daemon.run("run", "sh", text)
        assert (result.returncode, result.stdout) == (code, output), (text, result)
    records = daemon.json("journal", "sh")["records"]
    assert [r["command"].lstrip() for r in records] == [text.lstrip() for text, _, _ in rows], records
    assert [r["exit_code"] for r in records] == [code for _, code, _ in rows]
    assert all(r["trusted"] and not r["incomplete"] for r in records), records


def test_run_names_what_was_cut_and_how_to_go_on(daemon):
    terminal = integrated_shell(daemon)
    result = daemon.run("run", "--max-bytes", "100", "sh", "seq 1 1000")
    assert result.returncode == 0 and "cut after" in result.stderr
    text, step = result.stdout, result.stderr
    while "go on with: " in step:
        words = step.split("go on with: ")[1].split()[1:]
        page = daemon.run(*words)
        assert page.returncode == 0
        text, step = text + page.stdout, page.stderr
    assert text.split() == [str(n) for n in range(1, 1001)], f"pages of {terminal}"


def test_a_command_that_ends_the_shell_gives_the_shell_s_status(daemon):
    for title, line, status, how in (("a", "exit 3", 3, "exited 3"), ("b", "exec true", 0, "exited 0"),
                                     ("c", "kill -9 $BASHPID", 137, "killed SIGKILL"),
                                     ("d", "exec sh -c 'echo last; exit 5'", 5, "exited 5")):
        integrated_shell(daemon, title)
        result = daemon.run("run", title, line)
        assert (result.returncode, result.stderr) == (status, f"note: the shell itself ended: {how}\n"), f"{line}: {result}"
        late = daemon.run("output", title, "--wait", "20")
        assert late.returncode == 1 and "the shell itself ended" in late.stderr, late
    assert result.stdout == "last\n"


def test_a_run_of_nothing_is_wrong_usage(daemon):
    integrated_shell(daemon)
    for words in (["sh", ""], ["sh", " \t"], ["sh", "# x"], ["--terminal", "sh", "  # x"], ["--new", ""], ["--", "# x"]):
        result = daemon.run("run", *words)
        assert (result.returncode, result.stdout) == (2, "") and "empty or a comment" in result.stderr, f"{words}: {result}"
    assert len(daemon.json("list")["terminals"]) == 1
    assert daemon.ok("run", "sh", "# a comment\necho more") == "more\n"


def test_a_run_that_leaves_a_line_open_is_told_so_at_once(daemon):
    terminal = integrated_shell(daemon)
    for line in ("echo $(echo open", 'echo "abc'):
        result = daemon.run("run", "sh", line)
        assert result.returncode == 1 and "waits for the rest of a command line" in result.stderr, result
        daemon.ok("keys", terminal, "ctrl+c")
        eventually(lambda: daemon.run("run", "sh", "echo", "after", "--timeout", "20").stdout == "after\n", "the shell is usable again")


def test_pages_that_end_inside_a_line_concatenate(daemon):
    integrated_shell(daemon)
    line = "".join(f"{n:05d}" for n in range(60))  # wraps at 80 columns
    result = daemon.run("run", "--max-bytes", "100", "sh", f"echo {line}; echo end")
    text, step, pages = result.stdout, result.stderr, 1
    while "go on with: " in step:
        assert step.startswith("note: "), "stderr is not between the pages here"
        page = daemon.run(*step.split("go on with: ")[1].split()[1:], "--max-bytes", "100")
        text, step, pages = text + page.stdout, page.stderr, pages + 1
    assert (text, pages > 2) == (f"{line}\nend\n", True), text
    cut = daemon.run("output", "sh", "0", "--max-bytes", "100").stdout
    assert cut and not cut.endswith("\n"), "cut inside the line"
    both = subprocess.run([TROUPE, "output", "sh", "0", "--max-bytes", "100"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env=daemon.env, check=False).stdout
    assert both.startswith(f"{cut}\nnote: cut after "), both

    detached(daemon, f"echo {line}; echo end; exec cat", "plain")
    daemon.ok("wait", "plain", "--text", "end", "--from", "oldest", "--timeout", "20")
    text, cursor = "", "oldest"
    while not text.endswith("end\n"):
        page = daemon.run("history", "plain", "--since", cursor, "--max-bytes", "90")
        assert page.returncode == 0 and page.stdout, page
        text, cursor = text + page.stdout, page.stderr.split()[-1]
    assert text == f"{line}\nend\n", text


def test_run_without_a_terminal_makes_one_and_closes_it(daemon):
    result = daemon.run("run", "--", "sh", "-c", "echo alone; exit 4")
    assert (result.returncode, result.stdout) == (4, "alone\n"), result
    assert daemon.json("list")["terminals"] == []
    assert daemon.run("run", "echo one word line; exit 6").returncode == 6
    assert daemon.run("run", "--timeout", "0.3", "--", "sleep", "50").returncode == 124
    long = daemon.run("run", "seq 1 50000", "--max-bytes", "100000000")
    assert long.stdout.split()[-1] == "50000"


def test_an_interrupted_run_closes_its_terminal(daemon):
    daemon.ok("daemon")
    process = subprocess.Popen([TROUPE, "run", "--", "sleep", "1000"], stdout=subprocess.DEVNULL, env=daemon.env)
    eventually(lambda: len(daemon.json("list")["terminals"]) == 1, "the terminal")
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
    eventually(lambda: daemon.json("list")["terminals"] == [], "its end")


def test_a_closed_terminal_is_told_with_how_and_when_it_ended(daemon):
    recorded = daemon.ok("new", "-d", "--title", "rec", "--record", "--", "/bin/sh", "-c", "exit 3").strip()
    killed = detached(daemon, "exec sleep 1000", "plain")
    daemon.run("wait", "rec", "--timeout", "20")
    daemon.ok("close", "rec", "plain")
    eventually(lambda: daemon.ok("list", "--ended").count("\n") == 3, "the ledger")
    for words in (["show"], ["history"], ["close"], ["run", "--terminal"]):
        result = daemon.run(*words, recorded, *(["true"] if words[0] == "run" else []))
        assert result.returncode == 1, result
        assert re.search(rf"^error: rec \({recorded}\) has ended at \d{{4}}-.* ago: exited 3, .*troupe play (\S+)`",
                         result.stderr), result
        path = re.search(r"troupe play ([^`]+)`", result.stderr).group(1)
        assert os.path.isfile(path), path
    by_title = daemon.run("show", "plain")
    assert by_title.returncode == 1 and f"plain ({killed}) has ended" in by_title.stderr, by_title
    assert "killed " in by_title.stderr and "--ended" in by_title.stderr, by_title
    assert "no terminal is named nothing" in daemon.run("show", "nothing").stderr
    person = Person(daemon, "attach", recorded)
    person.until(b"has ended")
    assert person.wait() == 1
    person.close()


def test_numbers_times_and_sizes_are_refused_alike_and_before_any_daemon(daemon):
    number, time_text, size = "a whole number from ", "a time is a number of seconds", "a size is COLUMNSxROWS, each from 1 to 65535"
    for words, text in ((["show", "t", "--rows"], number + "1 to 65535"), (["history", "t", "--rows"], number + "1 to"),
                        (["history", "t", "--max-bytes"], number), (["search", "t", "x", "--limit"], number),
                        (["journal", "t", "--limit"], number), (["journal", "t", "--from"], number),
                        (["output", "t", "--max-bytes"], number), (["output", "t", "--wait"], time_text),
                        (["run", "--max-bytes"], number), (["run", "--timeout"], time_text),
                        (["wait", "t", "--timeout"], time_text), (["wait", "t", "--idle"], time_text),
                        (["wait", "t", "--max-bytes"], number), (["play", "f", "--max-idle"], time_text),
                        (["new", "-d", "--size"], size), (["resize", "t"], size)):
        for value in ("-5", "abc", "1e99", "", "99999999999999999999") + (("0x0", "80x", "80x65536") if text == size else ()):
            if value == "-5" and words == ["resize", "t"]:
                continue  # looks like an option there
            result = daemon.run(*words, value, *(["true"] if words[0] == "run" else []))
            assert result.returncode == 2, f"{words} {value!r}: {result}"
            name = words[-1] if words[-1].startswith("--") else "SIZE"
            assert result.stderr.startswith(f"error: {name}: ") and text in result.stderr, f"{words} {value!r}: {result}"
    assert daemon.run("show", "t", "--rows", "0").returncode == 2
    assert os.listdir(daemon.directory) == []


def test_list_has_a_column_for_labels_where_there_are_any(daemon):
    detached(daemon, "exec cat", "plain")
    assert "LABEL" not in daemon.ok("list")
    daemon.ok("new", "-d", "--title", "two", "--label", "my word", "--", "cat")
    lines = daemon.ok("list").splitlines()
    at = lines[0].index("LABEL")
    assert [line[at:].split("  ")[0].strip() for line in lines] == ["LABEL", "-", "my word"], lines
    assert daemon.terminal("two")["label"] == "my word"


def from_a_deleted_directory(daemon, *words):
    gone = os.path.join(daemon.directory, "gone")
    os.mkdir(gone)
    command = f'cd "{gone}" && rmdir "{gone}" && exec "$@"'
    return subprocess.run(["/bin/sh", "-c", command, "sh", TROUPE, *words], capture_output=True, text=True, env=daemon.env,
                          check=False)


def test_a_deleted_working_directory_is_named(daemon):
    named = f"the working directory {os.path.join(daemon.directory, 'gone')} is gone"
    for words in (["new", "-d"], ["new", "-d", "--cwd", "sub"], ["run", "--", "pwd"]):
        result = from_a_deleted_directory(daemon, *words)
        assert result.returncode == 2 and named in result.stderr, result
    elsewhere = from_a_deleted_directory(daemon, "new", "-d", "--cwd", "/", "--runtime-dir", "sub")
    assert elsewhere.returncode == 1 and "the working directory is gone" in elsewhere.stderr, elsewhere
    assert os.listdir(daemon.directory) == [], "nothing was started"
    detached(daemon, "exec cat")
    for words in (["record", "t", "-o", "t.jsonl"], ["export", "/nowhere.jsonl", "-o", "t.cast"]):
        result = from_a_deleted_directory(daemon, *words)
        assert result.returncode == 2 and named in result.stderr, result
    assert daemon.run("record", "t", "--status").returncode == 1, "nothing is recorded"


def test_a_signal_is_told_by_name_real_time_name_or_number(daemon):
    for word, told in [("SEGV", "SIGSEGV"), ("sigxcpu", "SIGXCPU"), ("RTMIN+1", "SIG35"), ("36", "SIG36")]:
        title = f"for {word}"
        detached(daemon, "exec sleep 1000", title)
        daemon.ok("signal", title, word, "--target", "session")
        assert daemon.run("wait", title, "--timeout", "20").stdout == f"killed {told}\n"
    detached(daemon, "exec sleep 1000")
    for word in ("", "RTMIN+99", "65", "SIGNOTHING"):
        result = daemon.run("signal", "t", word)
        assert result.returncode == 2 and "RTMIN+N, or a number from 1 to 64" in result.stderr, result


def test_a_shell_that_does_not_tell_of_an_open_line_is_told_for(daemon):
    terminal = integrated_shell(daemon, "fish", "/usr/bin/fish")
    for line, flags, told in (('echo "abc', [], "a quote is open"), ("echo (echo open", ["--timeout", "0.5"], "a closing quote")):
        result = daemon.run("run", *flags, "fish", line)
        assert result.returncode == 124 and told in result.stderr, result
        keys = re.search(r"`troupe (keys \d+ ctrl\+c)`", result.stderr).group(1)
        assert terminal in keys
        daemon.ok(*keys.split())
        eventually(lambda: daemon.run("run", "fish", "echo", "fine", "--timeout", "5").stdout == "fine\n", "the shell is usable again")


def test_ctrl_c_ends_a_run_and_leaves_the_command(daemon):
    terminal = integrated_shell(daemon)
    for flags in ([], ["--takeover"]):
        process = subprocess.Popen([TROUPE, "run", *flags, "sh", "sleep 1000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=daemon.env)
        eventually(lambda: daemon.terminal("sh")["foreground_process"] == "sleep", "the command runs")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out) == (130, ""), (process.returncode, out, err)
        assert f"the command goes on in sh; `troupe show {terminal}`" in err and f"troupe keys {terminal} ctrl+c" in err, err
        assert daemon.terminal("sh")["foreground_process"] == "sleep"
        daemon.ok("keys", terminal, "ctrl+c")
        eventually(lambda: daemon.terminal("sh")["foreground_process"] != "sleep", "the command's end")


def test_refusals_say_what_helps(daemon):
    terminal = daemon.ok("new", "-d", "--title", "p", "--protected", "--", "cat").strip()
    result = daemon.run("close", "p")
    assert result.returncode == 1 and f"p is protected; `troupe close --force {terminal}`" in result.stderr, result
    person = Person(daemon, "attach", "p")
    person.until(b"Ctrl-]")
    result = daemon.run("resize", "p", "90x30")
    assert result.returncode == 1 and f"`troupe attach --takeover {terminal}`" in result.stderr, result
    person.type(b"\x1d")
    person.wait()
    person.close()


def test_watch_is_byte_exact_and_ends_with_the_terminal(daemon):
    detached(daemon, r"stty -echo; printf 'one\033[6n'; sleep 0.2; printf two; exit 3")
    result = daemon.run("watch", "t")
    assert (result.returncode, result.stdout) == (0, "one\x1b[6ntwo"), result
    assert "exited: 3" in result.stderr


def test_list_goes_on_with_watch_and_prints_what_changed(daemon):
    terminal = detached(daemon, "exec cat", "first")
    watching = subprocess.Popen([TROUPE, "list", "--watch", "--json"], stdout=subprocess.PIPE, text=True, env=daemon.env)
    table = subprocess.Popen([TROUPE, "list", "--watch"], stdout=subprocess.PIPE, text=True, env=daemon.env)

    def until(holds):
        for line in watching.stdout:
            if holds(json.loads(line)["terminals"]):
                return
        raise AssertionError("the list has ended")

    def titles(terminals):
        return [t["title"] for t in terminals]

    until(lambda terminals: titles(terminals) == ["first"])
    other = detached(daemon, "read line; exit 3", "second")
    until(lambda terminals: titles(terminals) == ["first", "second"])
    daemon.ok("rename", terminal, "mine")
    until(lambda terminals: titles(terminals) == ["mine", "second"])
    daemon.ok("send", other, "\\r")
    until(lambda terminals: terminals[1]["lifecycle"] == {"status": "exited", "exit_code": 3})
    daemon.ok("restart", other)
    until(lambda terminals: terminals[1]["lifecycle"] == {"status": "running"})
    daemon.ok("close", other, terminal)
    until(lambda terminals: terminals == [])
    watching.send_signal(signal.SIGINT)
    assert watching.wait(20) == -signal.SIGINT
    daemon.ok("stop")
    text = table.communicate(timeout=20)[0]
    assert table.returncode == 1, "a list that goes on ends with the daemon"
    assert "\n\nID" in text and "mine" in text and text.endswith("\nno terminals; try `troupe new`\n"), text
    daemon.ok("new", "-d", "--", "cat")
    for words in (["--json"], []):
        left = subprocess.Popen([TROUPE, "list", "--watch", *words], stdout=subprocess.PIPE, env=daemon.env)
        left.stdout.readline()
        left.stdout.close()
        daemon.ok("new", "-d", "--", "cat")
        eventually(lambda left=left: left.poll() is not None, "a list that nobody reads ends with the next change")
        assert left.returncode == 0
    refused = daemon.run("list", "--watch", "--ended")
    assert (refused.returncode, refused.stdout) == (2, "")


def test_wrong_usage_is_told_and_starts_nothing(daemon):
    for words in (["nonsense"], ["list", "--nonsense"], ["show"], ["resize", "t", "axb"], ["--name", "a/b", "list"],
                  ["new", "-d", "--size", "0x0"], ["new", "-d", "--env", "novalue"], ["new"], ["--name"],
                  ["new", "-d", "--cwd", "/nonexistent"], ["completions", "tcsh"]):
        result = daemon.run(*words)
        assert result.returncode in (1, 2), f"{words}: {result.returncode}"
        assert result.stderr.startswith("error: "), f"{words}: {result.stderr!r}"
        assert result.stdout == "", f"{words}: {result.stdout!r}"
    assert os.listdir(daemon.directory) == []


def test_output_that_cannot_be_written_is_an_error(daemon):
    path = os.path.join(daemon.directory, "r.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        for action, fields in (("terminal_start", {"cols": 80, "rows": 24}), ("terminal_output", {"data": "text"})):
            file.write(json.dumps({"ts": "2026-09-01T12:00:00Z", "seq": 1, "t": 0.0, "action": action} | fields) + "\n")
    detached(daemon, "echo up; exec cat")
    daemon.ok("wait", "t", "--text", "up", "--from", "oldest", "--timeout", "20")
    for words in (["list"], ["list", "--json"], ["version"], ["status"], ["show", "t"], ["history", "t"], ["search", "t", "up"],
                  ["export", path], ["completions", "bash"], ["shell-integration", "bash"], ["new", "-d", "--", "cat"],
                  ["run", "--", "echo", "hi"]):
        with open("/dev/full", "w", encoding="utf-8") as full:
            result = subprocess.run([TROUPE, *words], stdout=full, stderr=subprocess.PIPE, text=True, env=daemon.env, check=False)
        assert result.returncode == 1 and result.stderr.startswith("error: cannot write: "), f"{words}: {result}"
        assert result.stderr.count("cannot write") == 1, f"{words}: {result}"
        reader, writer = os.pipe()
        os.close(reader)
        result = subprocess.run([TROUPE, *words], stdout=writer, stderr=subprocess.PIPE, text=True, env=daemon.env, check=False)
        os.close(writer)
        assert (result.returncode, result.stderr) == (0, ""), f"a reader that went away, {words}: {result}"
        result = subprocess.run(["/bin/sh", "-c", 'exec "$0" "$@" >&-', TROUPE, *words], stderr=subprocess.PIPE, text=True,
                                env=daemon.env, check=False)
        assert (result.returncode, result.stderr) == (1, "error: cannot write: Bad file descriptor\n"), f"closed, {words}: {result}"
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = subprocess.run([TROUPE, "run", "--", "sh", "-c", "echo hi; exit 3"], stdout=full, stderr=subprocess.PIPE,
                                env=daemon.env, check=False)
    assert result.returncode == 3, "the command's own failure comes first"


def test_words_of_other_commands_are_plain_arguments(daemon):
    detached(daemon, "exec cat")
    daemon.ok("send", "t", "stop", "--enter")
    daemon.ok("wait", "t", "--text", "stop", "--from", "oldest", "--timeout", "20")
    assert daemon.ok("list"), "the daemon is still there"


def test_help_shows_examples(daemon):
    for words in (["--help"], ["attach", "--help"], ["run", "--help"]):
        assert "Examples:" in daemon.ok(*words)
    assert "Ctrl-]" in daemon.ok("attach", "--help")


def test_console_creates_runs_and_takes_its_daemon_along(daemon):
    script = "create /bin/sh\nlist\nrun echo from-$((6*7))\nresize 90x20\nshow\nsend exit 9\\n\nwait 20\nreplay\nkill\nnonsense\nquit\n"
    result = daemon.run("console", stdin=script)
    assert result.returncode == 0, result
    assert "from-42" in result.stdout and "exited 9" in result.stdout
    assert "unknown command nonsense" in result.stderr
    assert [n for n in os.listdir(daemon.directory) if n.startswith("console")] == []


def test_stop_ends_everything(daemon):
    detached(daemon, "exec sleep 1000")
    pid = daemon.terminal("t")["pid"]
    assert "1 terminal ended" in daemon.ok("stop")
    eventually(lambda: not os.path.exists(f"/proc/{pid}"), "the program's end")
    assert daemon.run("status").returncode == 1


if __name__ == "__main__":
    main(globals())
