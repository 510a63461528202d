# SPDX-License-Identifier: MIT
"""`troupe new` and `troupe attach` as a person uses them, in a terminal."""

import os
import re
import signal
import termios

from harness import TROUPE, Person, eventually, main

RESET = {"mouse": b"\x1b[?1002l", "paste": b"\x1b[?2004l", "cursor": b"\x1b[?25h", "alternate": b"\x1b[?1049l",
         "keyboard": b"\x1b[<"}
SET_MODES = r"printf '\033[?1049h\033[?1002h\033[?2004h\033[?25l\033[>1uSET'; exec cat"


def detached(daemon, script, title="t", size="80x24"):
    return daemon.ok("new", "-d", "--title", title, "--size", size, "--", "/bin/sh", "-c", script).strip()


def test_new_starts_a_shell_and_ends_with_its_status(daemon):
    person = Person(daemon, "new")
    person.until(b"Ctrl-]")
    person.type(b"echo in-$((40+2))\r")
    person.until(b"in-42")
    person.type(b"exit 5\r")
    assert person.wait() == 5
    assert person.restored(), "terminal settings"
    assert daemon.json("list")["terminals"] == [], "an exited shell that was seen to its end is closed"
    person.close()


def test_detaching_leaves_the_program_and_attaching_shows_it_again(daemon):
    person = Person(daemon, "new", "--title", "mine", "--", "/bin/sh")
    person.until(b"$ ")
    person.type(b"echo remember-$((1+1))\r")
    person.until(b"remember-2")
    person.type(b"\x1d")
    assert person.wait() == 0
    assert b"detached" in person.screen and person.restored()
    again = Person(daemon, "attach", "mine")
    again.until(b"remember-2")
    again.type(b"\x1b[93;133u")  # the key as the kitty protocol sends it with num lock on
    assert again.wait() == 0
    assert daemon.terminal("mine")["lifecycle"]["status"] == "running"
    person.close()
    again.close()


# C-1, C-11
def test_every_mode_is_undone_on_detach_signal_and_kill(daemon):
    """C-1, C-11"""
    for number in (None, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGSEGV):
        detached(daemon, SET_MODES, f"m{number}")
        person = Person(daemon, "attach", f"m{number}")
        person.until(b"SET")
        before = len(person.screen)
        if number is None:
            person.type(b"\x1d")
        else:
            person.kill(number)
        status = person.wait()
        expected = {None: 0, signal.SIGTERM: 143, signal.SIGHUP: 129}.get(number, -int(number or 0))
        assert status == expected, f"status {status} after {number}"
        for what, sequence in RESET.items():
            eventually(lambda: person.pump(0) or sequence in person.screen[before:], f"{what} undone after {number}")
        eventually(person.restored, f"terminal settings after {number}")
        person.close()


def test_the_window_sizes_the_terminal_only_while_it_controls(daemon):
    detached(daemon, "exec cat", size="100x30")
    person = Person(daemon, "attach", "t", cols=90, rows=20)
    eventually(lambda: person.pump(0) or (daemon.terminal("t")["cols"], daemon.terminal("t")["rows"]) == (90, 20),
               "the terminal takes the window's size")
    person.resize(70, 15)
    person.kill(signal.SIGWINCH)
    eventually(lambda: person.pump(0) or daemon.terminal("t")["cols"] == 70, "it follows the window")
    second = Person(daemon, "attach", "t", cols=50, rows=10)
    second.until(b"watching")
    second.resize(40, 9)
    second.kill(signal.SIGWINCH)
    second.type(b"not typed\r")
    second.until(b"\a")
    assert daemon.terminal("t")["cols"] == 70
    assert "not typed" not in daemon.ok("show", "t")
    person.type(b"\x1d")
    assert person.wait() == 0
    eventually(lambda: second.pump(0) or daemon.terminal("t")["cols"] == 40, "control falls to the one who stayed")
    second.type(b"now typed\r")
    eventually(lambda: second.pump(0) or "now typed" in daemon.ok("show", "t"), "its keys arrive")
    person.close()
    second.close()


# C-7
def test_observing_never_writes_or_sizes(daemon):
    """C-7"""
    detached(daemon, "echo seen; exec cat", size="100x30")
    person = Person(daemon, "attach", "t", "--observe", cols=60, rows=20)
    person.until(b"seen")
    person.type(b"typed\r")
    person.resize(50, 10)
    person.kill(signal.SIGWINCH)
    person.type(b"more\r\x1d")
    assert person.wait() == 0
    info = daemon.terminal("t")
    assert (info["cols"], info["rows"]) == (100, 30)
    assert daemon.ok("show", "t") == "seen\n"
    person.close()


def test_takeover_takes_control(daemon):
    detached(daemon, "exec cat")
    first = Person(daemon, "attach", "t")
    first.until(b"Ctrl-]")
    second = Person(daemon, "attach", "t", "--takeover", cols=66, rows=22)
    second.until(b"Ctrl-]")
    eventually(lambda: first.pump(0) or second.pump(0) or daemon.terminal("t")["cols"] == 66, "its size counts")
    second.type(b"from second\r")
    second.until(b"from second")
    first.until(b"[troupe: another client took control, watching only", "the notice")
    first.until(b"(watching only)", "the window's title")
    before = len(first.screen)
    first.type(b"x")
    first.until(b"\a")
    eventually(lambda: first.pump(0) or b"[troupe: watching only: another" in first.screen[before:], "the reminder")
    assert "x" not in daemon.ok("show", "t")
    second.type(b"\x1d")
    assert second.wait() == 0
    before = len(first.screen)
    first.type(b"mine again\r")
    eventually(lambda: first.pump(0) or "mine again" in daemon.ok("show", "t"), "control is back")
    assert b"[troupe:" not in first.screen[before:], "the notice is gone with its reason"
    first.close()
    second.close()


def test_no_query_is_answered_twice(daemon):
    script = ("stty raw -echo; printf READY; "
              r"while read -r -n1 x 2>/dev/null || x=$(dd bs=1 count=1 2>/dev/null); do "
              r"""printf '\033[6n\033[c\033[5n\033[?uASKED'; dd bs=1 count=6 2>/dev/null | od -c; done""")
    detached(daemon, script)
    person = Person(daemon, "attach", "t")
    person.until(b"READY")
    person.type(b"g")
    person.until(b"ASKED")
    assert person.answered == 0, "a query reached the outer terminal"
    person.close()


def test_a_paste_passes_whole_even_with_the_key_in_it(daemon):
    detached(daemon, r"stty raw -echo; printf '\033[?2004hREADY'; exec od -An -c -w1 -v")
    person = Person(daemon, "attach", "t")
    person.until(b"READY")
    person.type(b"\x1b[200~a\x1db\x1b[201~" + b"z" * 20 + b"END")
    person.until(b"035", "the key inside a paste, as od shows it")
    assert person.process.poll() is None
    person.type(b"\x1d")
    assert person.wait() == 0
    person.close()


def test_attaching_to_what_ended_shows_its_last_screen(daemon):
    detached(daemon, "echo last words; exit 3")
    eventually(lambda: daemon.terminal("t")["lifecycle"]["status"] == "exited", "exit")
    person = Person(daemon, "attach", "t")
    assert person.wait() == 3
    assert b"last words" in person.screen and person.restored()
    person.close()


# C-1, C-6, C-11
def test_a_stopped_attach_gives_the_window_back_and_takes_it_again(daemon):
    """C-1, C-6, C-11"""
    detached(daemon, SET_MODES, "m")
    shell = Person(daemon, command=["bash", "--norc", "--noprofile", "-i"])
    shell.until(b"$ ")
    shell.type(TROUPE.encode() + b" attach m\r")
    shell.until(b"SET")
    children = f"/proc/{shell.process.pid}/task/{shell.process.pid}/children"
    with open(children, encoding="utf-8") as file:
        attach = int(file.read().split()[0])
    before = len(shell.screen)
    os.kill(attach, signal.SIGTSTP)
    eventually(lambda: shell.pump(0) or b"Stopped" in shell.screen[before:], "the shell is told")
    for what, sequence in RESET.items():
        assert sequence in shell.screen[before:], f"{what} undone"
    assert b"\x1b[23;0t" in shell.screen[before:], "the title is back"
    lines = termios.tcgetattr(shell.slave)[3]
    shell.type(b"echo mine-$((1+1)); stty -a\r")
    eventually(lambda: shell.pump(0) or b"mine-2" in shell.screen[before:], "the shell has its window")
    eventually(lambda: shell.pump(0) or b"isig icanon" in shell.screen[before:], f"no raw mode: {lines:x}")
    before = len(shell.screen)
    shell.type(b"fg\r")
    for what in (b"\x1b[?1002h", b"\x1b[?2004h", b"\x1b[?25l", b"SET", b"\x1b[22;0t"):
        eventually(lambda: shell.pump(0) or what in shell.screen[before:], f"{what!r} after fg")
    shell.type(b"typed-on\r")
    eventually(lambda: shell.pump(0) or "typed-on" in daemon.ok("show", "m"), "its keys arrive again")
    shell.type(b"\x1d")
    shell.until(b"detached from m")
    shell.type(b"stty sane; exit 7\r")
    assert shell.wait() == 7
    shell.close()


def test_the_end_of_the_daemon_is_told(daemon):
    detached(daemon, "exec cat")
    person = Person(daemon, "attach", "t")
    person.until(b"Ctrl-]")
    daemon.ok("stop")
    assert person.wait() == 1
    assert b"error" in person.screen and person.restored()
    person.close()


def test_a_chosen_key_detaches_and_the_default_is_then_input(daemon):
    detached(daemon, "stty raw -echo; printf READY; exec od -An -c -w1 -v")
    person = Person(daemon, "attach", "t", "--detach-key", "ctrl-a")
    person.until(b"READY")
    assert re.search(rb"Ctrl-A", bytes(person.screen))
    person.type(b"\x1d" * 40)
    person.until(b"035")
    person.type(b"\x01")
    assert person.wait() == 0
    person.close()


if __name__ == "__main__":
    main(globals())
