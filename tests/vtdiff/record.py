#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Records what a program writes to a terminal: record.py COLSxROWS FILE KEYS PROGRAM [ARG…]

KEYS are typed one by one once the program has been quiet for a moment (Python escapes; "" for none).
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios


def main() -> None:
    size, path, keys, *command = sys.argv[1:]
    cols, rows = map(int, size.split("x"))
    pending = keys.encode().decode("unicode_escape").encode("latin-1")
    child, master = pty.fork()
    if child == 0:
        os.environ |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "COLUMNS": str(cols), "LINES": str(rows)}
        os.execvp(command[0], command)
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
    out = bytearray()
    while True:
        ready, _, _ = select.select([master], [], [], 0.4)
        if ready:
            try:
                data = os.read(master, 65536)
            except OSError:
                break
            if not data:
                break
            out += data
        elif pending:
            os.write(master, pending[:1])
            pending = pending[1:]
        else:
            break
    os.close(master)
    with open(path, "wb") as file:
        file.write(out)


main()
