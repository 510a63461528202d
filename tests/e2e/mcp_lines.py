# SPDX-License-Identifier: MIT
"""troupe-mcp, and a client that writes its lines itself."""

import json
import os
import select
import subprocess
import sys
import time

from harness import PATIENCE

MCP = sys.argv[3]


class Server:
    """The program under test; to be used with `with`."""

    def __init__(self, daemon, **env):
        self.process = subprocess.Popen([MCP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=daemon.env | env)
        self.buffer = b""
        self.last_id = 1000
        self.notes = []  # methods of the notifications that came

    def send(self, message):
        text = message if isinstance(message, str) else json.dumps(message)
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def message(self, deadline):
        while b"\n" not in self.buffer:
            assert select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0], "no answer"
            read = os.read(self.process.stdout.fileno(), 65536)
            assert read, "the server has ended"
            self.buffer += read
        text, _, self.buffer = self.buffer.partition(b"\n")
        message = json.loads(text)
        if isinstance(message, dict) and "id" not in message:
            self.notes.append(message["method"])
        return message

    def line(self):
        """The next message that is not a notification."""
        deadline = time.monotonic() + PATIENCE
        while True:
            message = self.message(deadline)
            if isinstance(message, list) or "id" in message:
                return message

    def until(self, method):
        """Reads on until this notification has come."""
        deadline = time.monotonic() + PATIENCE
        while method not in self.notes:
            self.message(deadline)

    def ask(self, method, params=None):
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method} | ({} if params is None else {"params": params}))
        answer = self.line()
        assert answer["id"] == self.last_id, answer
        return answer

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]["structuredContent"]

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(PATIENCE) == 0
        for rest in (self.buffer + self.process.stdout.read()).splitlines():
            assert "id" not in json.loads(rest), "nothing but answers, and notifications"

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.close() if kind is None else self.process.kill()


def legacy(daemon):
    server = Server(daemon)
    server.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}})
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return server
