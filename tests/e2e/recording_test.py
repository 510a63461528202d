# SPDX-License-Identifier: MIT
"""Recordings when things go wrong: a disk that is really full, and a daemon that is killed."""

import json
import os
import re
import signal
import socket
import subprocess

from harness import TROUPED, eventually, main

# A file system of its own, as root or as anybody who may have namespaces.
MOUNTS = (["unshare", "-m"], ["unshare", "-Urm"])
ON_SMALL_DISK = 'mount -t tmpfs -o size=1m none "$1" && shift && exec "$@"'


class Disk:
    """A daemon that records to a disk of 1 MiB: a few batches of rows."""

    def __init__(self, daemon, prefix):
        self.mount = os.path.join(daemon.directory, "disk")
        self.log = os.path.join(daemon.directory, "log")
        os.mkdir(self.mount)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [*prefix, "sh", "-c", ON_SMALL_DISK, "sh", self.mount, TROUPED, "--standalone", "--name", "default",
                 "--runtime-dir", daemon.directory, "--log-level", "warn", "--metrics", "unix:metrics.sock"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=daemon.env | {"TROUPE_RECORDINGS_DIR": f"{self.mount}/recordings"})
        registration = os.path.join(daemon.directory, "default", "service.json")
        eventually(lambda: os.path.exists(registration) or self.process.poll() is not None, "the daemon's start")
        assert self.process.poll() is None, self.logged()
        self.metrics = os.path.join(daemon.directory, "default", "metrics.sock")

    def seen(self, path):
        """The path of a file on that disk from outside of the daemon's namespace."""
        return f"/proc/{self.process.pid}/root{path}"

    def logged(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read()

    def metric(self, name):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(30)
            connection.connect(self.metrics)
            connection.sendall(b"GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n")
            page = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
        return int(re.search(rf"^{name} (\d+)$", page, re.M).group(1))


def small_disk(daemon):
    for prefix in MOUNTS:
        probe = [*prefix, "sh", "-c", 'mount -t tmpfs -o size=64k none "$1"', "sh", daemon.directory]
        if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
            return Disk(daemon, prefix)
    return None


def rows_of(path):
    """The rows up to the last whole one, and whether there is half a one behind them."""
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    return [json.loads(line) for line in lines[:-1]], lines[-1] != b""


def output_of(rows):
    return "".join(row["data"] for row in rows if row["action"] == "terminal_output")


def gone(pid):
    """Whether its last thread has ended, and with it its last write."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def numbered(count):
    return "".join(f"{n}\r\n" for n in range(1, count + 1))


# REC-18
def test_a_full_disk_ends_the_recording_and_is_told_everywhere(daemon):
    disk = small_disk(daemon)
    if disk is None:
        print("skipped: no file system can be mounted here (neither root's rights nor user namespaces); "
              "what a failing write does is tested with RLIMIT_FSIZE in tests/integration/service", flush=True)
        return
    daemon.ok("new", "-d", "--record", "--title", "t", "--", "/bin/sh", "-c", "seq 1 300000; exec cat")
    eventually(lambda: daemon.terminal("t")["recording_error"], "the recording's failure in the list")
    terminal = daemon.terminal("t")
    assert "No space left on device" in terminal["recording_error"], terminal
    assert terminal["recording"] is None and terminal["last_recording"].startswith(disk.mount), terminal

    # The terminal never noticed.
    daemon.ok("wait", "t", "--text", "300000", "--from", "oldest", "--timeout", "20")
    daemon.ok("send", "t", "alive", "--enter")
    daemon.ok("wait", "t", "--text", "alive", "--from", "oldest", "--timeout", "20")

    status = daemon.run("record", "t", "--status")
    assert status.returncode == 0 and "it failed: " in status.stderr and "No space left" in status.stderr, status
    assert "a recording stopped: " in disk.logged() and "could not begin" not in disk.logged() and "No space left" in disk.logged(), disk.logged()
    assert disk.metric("troupe_recordings_failed_total") == 1
    dropped = disk.metric("troupe_recording_dropped_rows_total")
    assert dropped > 0

    # What is there is whole: rows without a gap, and their text the beginning of what was printed.
    path = disk.seen(terminal["last_recording"])
    rows, cut = rows_of(path)
    assert not cut and [row["seq"] for row in rows] == list(range(len(rows)))
    assert f"{len(rows)} rows" in status.stderr, (status.stderr, len(rows))
    printed = output_of(rows)
    assert printed and numbered(300000).startswith(printed), printed[-80:]
    assert daemon.ok("play", path, "--max-idle", "0ms").splitlines() == printed.replace("\r", "").splitlines()

    # Nothing fits; then room is made, and the next recording works.
    filler = disk.seen(f"{disk.mount}/filler")
    try:
        with open(filler, "wb", buffering=0) as file:
            while True:
                file.write(bytes(512))
    except OSError:
        pass
    again = daemon.run("record", "t")
    assert again.returncode != 0 and "No space left" in again.stderr, again
    assert "a recording could not begin: " in disk.logged(), disk.logged()
    assert disk.metric("troupe_recordings_failed_total") == 2
    os.unlink(filler)
    os.unlink(path)
    second = daemon.ok("record", "t").strip()
    assert daemon.terminal("t")["recording_error"] is None
    daemon.ok("send", "t", "works again", "--enter")
    daemon.ok("wait", "t", "--text", "works again", "--from", "oldest", "--timeout", "20")
    daemon.ok("record", "t", "--stop")
    rows, _ = rows_of(disk.seen(second))
    assert rows[-1]["action"] == "terminal_stop" and "works again" in output_of(rows)


def test_a_recording_that_is_refused_is_logged_as_one_that_did_not_begin(daemon):
    log = os.path.join(daemon.directory, "log")
    with open(log, "wb") as file:
        process = subprocess.Popen([TROUPED, "--standalone", "--name", "default", "--runtime-dir", daemon.directory],
                                   stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=daemon.env)
    registration = os.path.join(daemon.directory, "default", "service.json")
    eventually(lambda: os.path.exists(registration), "the daemon's start")
    daemon.ok("new", "-d", "--title", "t", "--", "cat")
    refused = daemon.run("record", "t", "-o", log)
    assert refused.returncode == 1 and "exists" in refused.stderr, refused
    daemon.ok("stop")
    assert process.wait(30) == 0
    with open(log, encoding="utf-8") as file:
        logged = file.read()
    assert "a recording could not begin: " in logged and "stopped" not in logged, logged


# REC-15
def test_a_killed_daemon_leaves_a_recording_that_can_be_read_to_its_last_row(daemon):
    directory = os.path.join(daemon.directory, "recordings")
    daemon.run("daemon", TROUPE_RECORDINGS_DIR=directory)
    # Endless, so that the daemon is in the middle of it whenever it dies.
    flood = "i=0; while :; do i=$((i+1)); echo $i; done"
    for title in ("a", "b"):
        daemon.ok("new", "-d", "--record", "--title", title, "--", "/bin/sh", "-c", flood)
    paths = [daemon.terminal(title)["recording"] for title in ("a", "b")]
    eventually(lambda: all(os.path.exists(path) and os.stat(path).st_size > 200_000 for path in paths), "enough rows")
    pid = daemon.pid()
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: gone(pid), "the daemon's end")
    for path in paths:
        rows, _ = rows_of(path)
        assert [row["seq"] for row in rows] == list(range(len(rows)))
        assert rows[-1]["action"] == "terminal_output", rows[-1]
        printed = output_of(rows)
        assert len(printed) > 20_000 and numbered(printed.count("\n") + 1).startswith(printed), printed[-80:]
        played = daemon.run("play", path, "--max-idle", "0ms")
        assert played.returncode == 0 and played.stdout.split() == printed.split(), played.stderr
        text = daemon.run("export", path, "--format", "text")
        assert text.returncode == 0 and printed.split()[-1] in text.stdout, text.stderr
        for version in (2, 3):
            lines = daemon.ok("export", path, "--format", f"asciicast-v{version}").splitlines()
            assert json.loads(lines[0])["version"] == version
            assert "".join(json.loads(line)[2] for line in lines[1:]) == printed


if __name__ == "__main__":
    main(globals())
