# SPDX-License-Identifier: MIT
"""What of troupe-mcp no client library drives: ids of listens, batches, the end of input."""

import json
import os
import socket
import subprocess
import threading
import time

from harness import PATIENCE, main
from mcp_lines import MCP, Server, legacy

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
CANCELLED = "notifications/cancelled"


def request(id, method, **params):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def modern(id, method, **params):
    return request(id, method, _meta=META, **params)


def notice(method, **params):
    return {"jsonrpc": "2.0", "method": method, "params": params}


def call(id, tool, **arguments):
    return request(id, "tools/call", name=tool, arguments=arguments)


def with_batches(daemon):
    server = Server(daemon)
    agreed = server.ask("initialize", {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}})
    assert agreed["result"]["protocolVersion"] == "2025-03-26"
    return server


def rest(server):
    """Ends the input; everything that is still said, until the server has ended by itself."""
    server.process.stdin.close()
    text = server.buffer + server.process.stdout.read()
    assert server.process.wait(PATIENCE) == 0
    server.buffer = b""
    return [json.loads(line) for line in text.splitlines()]


def answers(messages):
    return {message["id"]: message for message in messages if "id" in message}


def test_a_listen_has_the_id_of_its_request_and_ends_as_it_should(daemon):
    server = Server(daemon)
    for id in ("a", 7):
        server.send(modern(id, "subscriptions/listen", notifications={"resourcesListChanged": True}))
    told = [server.message(time.monotonic() + PATIENCE) for _ in range(2)]
    assert [(m["method"], m["params"]["_meta"][SUBSCRIPTION]) for m in told] == [
        ("notifications/subscriptions/acknowledged", "a"), ("notifications/subscriptions/acknowledged", 7)], told
    server.send(modern(7, "subscriptions/listen", notifications={}))
    used = server.line()
    assert (used["id"], used["error"]["message"]) == (7, "id is in use"), used
    server.send(notice(CANCELLED, requestId="a"))
    for id, wrong in ((10, {}), (11, {"notifications": {"resourceSubscriptions": "x"}})):
        server.send(modern(id, "subscriptions/listen", **wrong))
        refused = server.line()
        assert (refused["id"], refused["error"]["code"]) == (id, -32602), refused
    server.send(modern(12, "resources/subscribe", uri="troupe://terminal/00000000beef/screen"))
    assert server.line()["error"]["code"] == -32601
    daemon.ok("new", "-d", "--", "cat")
    changed = server.message(time.monotonic() + PATIENCE)
    assert changed["method"] == "notifications/resources/list_changed", changed
    assert changed["params"]["_meta"][SUBSCRIPTION] == 7, "the cancelled one hears nothing"
    last = answers(rest(server))
    assert list(last) == [7], last
    assert last[7]["result"]["resultType"] == "complete"
    assert last[7]["result"]["_meta"][SUBSCRIPTION] == 7
    assert last[7]["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "troupe"


def test_a_listen_is_no_method_of_the_legacy_era(daemon):
    with legacy(daemon) as server:
        assert server.ask("subscriptions/listen", {"notifications": {}})["error"]["code"] == -32601


def test_errors_of_resources_name_the_terminal_as_the_caller_does(daemon):
    with legacy(daemon) as server:
        for method in ("resources/read", "resources/subscribe"):
            for view in ("screen", "journal"):
                error = server.ask(method, {"uri": f"troupe://terminal/00000000beef/{view}"})["error"]
                assert error["code"] == -32002 and error["message"].startswith("terminal 00000000beef not found"), error


def test_an_id_under_way_is_refused_and_the_first_request_goes_on(daemon):
    with legacy(daemon) as server:
        terminal = server.call("terminal_launch", command="/bin/cat")["instance_id"]
        server.send(call(1, "terminal_wait_for", instance_id=terminal, since="oldest", text="typed", timeout=PATIENCE))
        for message in (request(1, "ping"), call(1, "terminal_list"), request(1, "resources/list"), request(1, "tools/list")):
            server.send(message)
            refused = server.line()
            assert (refused["id"], refused["error"]["code"]) == (1, -32600), refused
        server.call("terminal_send_input", instance_id=terminal, text="typed", enter=True)
        assert server.line()["result"]["structuredContent"]["matched"]
        # What asks the daemon for a resource is under way too.
        read = request(2, "resources/read", uri=f"troupe://terminal/{terminal}/screen")
        server.send(json.dumps(read) + "\n" + json.dumps(request(2, "ping")))
        refused, first = server.line(), server.line()
        assert refused["error"]["code"] == -32600 and "typed" in first["result"]["contents"][0]["text"], (refused, first)
        assert server.ask("ping")["result"] == {} and "result" in server.ask("resources/list")
        server.call("terminal_close", instance_id=terminal)


def test_a_closed_standard_output_is_an_error(daemon):
    ended = subprocess.run(["/bin/sh", "-c", 'exec "$0" >&-', MCP], input=json.dumps(request(1, "resources/list")) + "\n",
                           stderr=subprocess.PIPE, text=True, env=daemon.env, timeout=PATIENCE, check=False)
    assert (ended.returncode, ended.stderr) == (1, "error: cannot write: Bad file descriptor\n"), ended


def test_a_batch_is_answered_when_all_of_it_is(daemon):
    with with_batches(daemon) as server:
        terminal = server.call("terminal_launch", command="/bin/cat")["instance_id"]
        server.send([call(1, "terminal_list"), call("w", "terminal_wait_for", instance_id=terminal, text="never", timeout=50),
                     call(2, "terminal_wait_for", instance_id=terminal, since="oldest", text="typed", timeout=PATIENCE),
                     notice("notifications/initialized"), request(3, "no/such")])
        server.send(request(4, "ping"))
        assert server.line()["id"] == 4, "a batch holds nobody up"
        server.send([call(5, "terminal_send_input", instance_id=terminal, text="typed", enter=True), notice(CANCELLED, requestId="w")])
        got = [server.line(), server.line()]  # in any order
        by_ids = {tuple(sorted(map(str, answers(batch)))): answers(batch) for batch in got}
        assert set(by_ids) == {("1", "2", "3"), ("5",)}, by_ids
        first = by_ids[("1", "2", "3")]
        assert first[2]["result"]["structuredContent"]["matched"] and first[3]["error"]["code"] == -32601
        server.call("terminal_close", instance_id=terminal)


def test_the_last_line_needs_no_line_end(daemon):
    server = legacy(daemon)
    server.process.stdin.write(json.dumps(call(1, "terminal_launch", command="/bin/cat", label="last")).encode())
    last = answers(rest(server))
    assert last[1]["result"]["structuredContent"]["instance_id"], last
    assert "last" in daemon.ok("list", "--json")


def test_what_is_under_way_at_the_end_of_input_is_finished_and_waits_are_not(daemon):
    server = legacy(daemon)
    shell = server.call("terminal_launch", env={"PS1": "$ "})["instance_id"]
    cat = server.call("terminal_launch", command="/bin/cat")["instance_id"]
    server.call("terminal_run", instance_id=shell, command="true")
    for message in (call(1, "terminal_wait_for", instance_id=cat, text="never", timeout=50),
                    call(2, "terminal_output", instance_id=shell, wait=True, timeout=50),
                    call(3, "terminal_run", instance_id=shell, command="sleep 0.2; echo done"),
                    call(4, "terminal_wait_for", instance_id=cat, text="never", timeout=50)):
        server.send(message)
    last = answers(rest(server))
    assert sorted(last) == [1, 2, 3, 4], last
    assert last[3]["result"]["structuredContent"]["output"] == "done\n"
    for id in (1, 4):
        assert last[id]["result"]["structuredContent"]["error"]["code"] == "cancelled", last[id]
    # What never ends is given up.
    server = legacy(daemon)
    server.send(call(5, "terminal_run", instance_id=shell, command="sleep 600", timeout=50))
    last = answers(rest(server))
    assert last[5]["result"]["structuredContent"]["error"]["code"] == "timeout", last
    for terminal in (shell, cat):
        daemon.ok("close", "--force", terminal)


class SlowRevisions:
    """Between the clients of a daemon and its socket: asked for the present revision, it takes a second."""

    def __init__(self, daemon):
        self.file = os.path.join(daemon.directory, "default", "service.json")
        with open(self.file, encoding="utf-8") as file:
            registered = json.load(file)
        self.behind, self.token = registered["socket"], registered["token"]
        self.listener = socket.socket(socket.AF_UNIX)
        registered["socket"] = os.path.join(daemon.directory, "slow")
        self.listener.bind(registered["socket"])
        self.listener.listen()
        os.rename(self.file, self.file + ".kept")
        with open(os.open(self.file, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
            json.dump(registered, file)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client = self.listener.accept()[0]
            daemon = socket.socket(socket.AF_UNIX)
            daemon.connect(self.behind)
            threading.Thread(target=self.requests, args=(client, daemon), daemon=True).start()
            threading.Thread(target=self.answers, args=(client, daemon), daemon=True).start()

    def requests(self, client, daemon):
        with client.makefile("rb") as frames:
            while len(size := frames.read(4)) == 4:
                # The token in each, because the first may come late.
                asked = json.loads(frames.read(int.from_bytes(size, "big"))) | {"token": self.token}
                payload = json.dumps(asked).encode()
                frame = len(payload).to_bytes(4, "big") + payload
                inner = asked.get("request", asked)
                if inner.get("op") == "terminals_wait" and "revision" not in inner:
                    threading.Timer(1.0, daemon.sendall, [frame]).start()
                else:
                    daemon.sendall(frame)
        daemon.shutdown(socket.SHUT_WR)

    @staticmethod
    def answers(client, daemon):
        try:
            while read := daemon.recv(65536):
                client.sendall(read)
        except OSError:
            pass  # the client has left

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.rename(self.file + ".kept", self.file)


def test_what_changes_right_after_the_first_list_is_told(daemon):
    daemon.ok("new", "-d", "--title", "first", "--", "cat")
    with SlowRevisions(daemon), legacy(daemon) as server:
        listed = server.ask("resources/list")["result"]["resources"]
        assert len({r["uri"].split("/")[3] for r in listed}) == 1, listed
        daemon.ok("new", "-d", "--title", "second", "--", "cat")
        server.until("notifications/resources/list_changed")


if __name__ == "__main__":
    main(globals())
