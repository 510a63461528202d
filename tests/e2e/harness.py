# SPDX-License-Identifier: MIT
"""What the tests of whole programs share: a daemon of their own, and a person at a terminal."""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

TROUPE, TROUPED = sys.argv[1], sys.argv[2]
PATIENCE = 30.0


class Daemon:
    """A standalone daemon in a directory of its own."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="troupe-e2e-")
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("TROUPE_", "OPENCODE_"))}
        self.env |= {"TROUPE_DAEMON": TROUPED, "TROUPE_RUNTIME_DIR": self.directory, "SHELL": "/bin/sh",
                     "HOME": self.directory, "TERM": "xterm-256color", "PS1": "$ "}

    def run(self, *words, stdin=None, timeout=PATIENCE, **env):
        return subprocess.run([TROUPE, *words], input=stdin, stdin=None if stdin else subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=timeout, env=self.env | env)

    def ok(self, *words, **options):
        result = self.run(*words, **options)
        assert result.returncode == 0, f"troupe {' '.join(words)}: {result.returncode} {result.stderr!r}"
        return result.stdout

    def json(self, *words):
        return json.loads(self.ok(*words, "--json"))

    def terminal(self, title):
        return next(t for t in self.json("list")["terminals"] if t["title"] == title)

    def pid(self):
        with open(os.path.join(self.directory, "default", "service.json"), encoding="utf-8") as file:
            return json.load(file)["pid"]

    def close(self):
        self.run("stop")


class Person:
    """A program in a terminal whose keyboard and screen the test is. Answers queries like an xterm."""

    QUERIES = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?62c", b"\x1b[5n": b"\x1b[0n", b"\x1b[?u": b"\x1b[?0u"}

    def __init__(self, daemon, *words, cols=80, rows=24, command=None, **env):
        self.screen = bytearray()
        self.answered = 0
        self.master, self.slave = pty.openpty()
        self.resize(cols, rows)
        self.before = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(
            command or [TROUPE, *words], stdin=self.slave, stdout=self.slave, stderr=self.slave, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), env=daemon.env | env)

    def resize(self, cols, rows):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def pump(self, timeout):
        if not select.select([self.master], [], [], timeout)[0]:
            return
        seen = max(0, len(self.screen) - 8)
        self.screen += os.read(self.master, 65536)
        for query, answer in self.QUERIES.items():
            if query in self.screen[seen:]:
                self.answered += 1
                self.type(answer)

    def until(self, wanted, what=None):
        """Reads until `wanted` is on the screen's stream; returns what came before it."""
        deadline = time.monotonic() + PATIENCE
        while wanted not in self.screen:
            assert time.monotonic() < deadline, f"never saw {what or wanted!r}: {bytes(self.screen[-300:])!r}"
            self.pump(0.2)
        return bytes(self.screen)

    def type(self, data):
        os.write(self.master, data)

    def wait(self):
        """The exit status, with everything that was printed read."""
        deadline = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < deadline, f"did not end: {bytes(self.screen[-300:])!r}"
            self.pump(0.05)
        while select.select([self.master], [], [], 0.05)[0]:
            self.pump(0)
        return self.process.returncode

    def restored(self):
        """Whether the terminal's settings are those of before."""
        return termios.tcgetattr(self.slave) == self.before

    def kill(self, number=signal.SIGKILL):
        self.process.send_signal(number)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)


def eventually(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.02)


def main(namespace):
    """Runs every `test_*` of a module, each with a daemon of its own."""
    failed = 0
    for name, test in [(n, f) for n, f in namespace.items() if n.startswith("test_")]:
        daemon = Daemon()
        try:
            test(daemon)
            print(f"ok {name}", flush=True)
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            print(f"FAILED {name}: {error}", flush=True)
            if not isinstance(error, AssertionError):
                import traceback
                traceback.print_exc()
        finally:
            daemon.close()
    sys.exit(1 if failed else 0)
