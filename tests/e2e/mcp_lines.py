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

    def send(self, message):
        text = message if isinstance(message, str) else json.dumps(message)
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def line(self):
        """The next message that is not a notification."""
        deadline = time.monotonic() + PATIENCE
        while True:
            while b"\n" not in self.buffer:
                assert select.select([self.process.stdout], [], [], deadline - time.monotonic())[0], "no answer"
                read = os.read(self.process.stdout.fileno(), 65536)
                assert read, "the server has ended"
                self.buffer += read
            text, _, self.buffer = self.buffer.partition(b"\n")
            message = json.loads(text)
            if "id" in message:
                return message

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
        assert self.process.stdout.read() == b"", "nothing but answers"

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.close() if kind is None else self.process.kill()


def legacy(daemon):
    server = Server(daemon)
    server.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}})
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    return server
