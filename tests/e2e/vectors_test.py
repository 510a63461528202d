# SPDX-License-Identifier: MIT
"""The golden values of octowright-terminal that are about whole programs: what an MCP client writes and
reads, what a wait sees, and what is reported. docs/octowright-vectors.md says what is different and why."""

import json
import os
import re
import socket
import time

from harness import PATIENCE, eventually, main
from mcp_lines import Server, legacy

with open(os.path.join(os.path.dirname(__file__), "..", "data", "octowright_vectors.json"), encoding="utf-8") as source:
    VECTORS = json.load(source)
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def modern(params=None, version=None):
    meta = MODERN | ({"io.modelcontextprotocol/protocolVersion": version} if version else {})
    return {"_meta": meta} | (params or {})


def cat(server, text, label):
    """A terminal that printed `text` and waits."""
    launched = server.call("terminal_launch", command="/bin/sh", label=label,
                           args=["-c", 'stty raw -echo; printf "%s" "$TEXT"; exec cat'], env={"TEXT": text})
    return launched["instance_id"]


def test_wait_for_matches_what_the_vectors_say(daemon):
    assert len(VECTORS["wait_for"]) == 9
    with legacy(daemon) as server:
        for vector in VECTORS["wait_for"]:
            name = vector["id"]
            asked = {key: vector[key] for key in ("prompt", "text", "timeout") if key in vector}
            terminal = cat(server, vector.get("screen", "x"), name)
            if "error" in vector:
                refused = server.call("terminal_wait_for", instance_id=terminal, **asked)
                assert refused["ok"] is False and vector["error"] in refused["error"]["message"].replace(
                    "prompt (a regular expression), text, idle or exit", "prompt or text"), refused
                continue
            # The screen is there before the wait, as it is in the vectors. A line that ends is no prompt to
            # wait for, so what was printed is waited for by its first character.
            first = re.sub("\x1b\\[[0-9;]*m", "", vector["screen"])[0]
            assert server.call("terminal_wait_for", instance_id=terminal, since="oldest", text=first, timeout=20)["matched"]
            server.call("terminal_wait_for", instance_id=terminal, since="oldest", idle=0.2, timeout=20)
            wanted = {"timeout-zero": True, "no-multiline-flag": True}.get(name, vector.get("cpp_wanted", vector["matched"]))
            waited = server.call("terminal_wait_for", instance_id=terminal, since="oldest",
                                 **{"timeout": 20 if wanted else 0.5} | asked)
            assert waited["matched"] is wanted, (name, waited)
            if name == "stale-match":  # what is old matches only where it is asked for
                fresh = server.call("terminal_wait_for", instance_id=terminal, since="now", timeout=0.3, **asked)
                assert fresh["matched"] is False and fresh["timed_out"] is True, fresh


def has(wanted, message):
    return all(message.get(key) == value for key, value in wanted.items())


def test_the_wire_of_the_legacy_era_is_that_of_the_vectors(daemon):
    rows = VECTORS["mcp_wire"]["legacy"]
    assert len(rows) == 8
    for row in rows:
        with Server(daemon) as server:
            if not row.get("first_message") and row.get("in", {}).get("method") != "initialize":
                server.ask("initialize", {"protocolVersion": "2025-11-25"})
            if "in_raw" in row:
                server.send(row["in_raw"])
                assert server.ask("ping")["result"] == {}, "the connection stays usable and nothing else was said"
            elif "cancel_in_flight" in row:
                terminal = cat(server, "x", "cancelled")
                server.send({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
                    "name": "terminal_wait_for", "arguments": {"instance_id": terminal, "text": "never", "timeout": 40}}})
                server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
                assert server.ask("ping")["result"] == {}
                # Had the wait an answer still to come, the terminal's end would bring it.
                assert server.call("terminal_close", instance_id=terminal)["closed"] is True
                assert server.ask("ping")["result"] == {}
            else:
                server.send(row["in"])
                answer = server.line()
                assert answer["id"] == row["in"]["id"], answer
                if "error_code" in row:
                    assert answer["error"]["code"] == row["error_code"], answer
                elif "result" in row:
                    assert answer["result"] == row["result"], answer
                else:
                    assert has(row.get("result_has", {}), answer["result"]), answer
                    assert row["in"]["method"] != "tools/list" or answer["result"]["tools"]


def test_the_wire_of_the_modern_era_is_that_of_the_vectors(daemon):
    wire = VECTORS["mcp_wire"]
    rows = wire["modern"]
    assert len(rows) == 10
    assert set(MODERN) == set(wire["modern_meta_required"])
    for row in rows:
        with Server(daemon) as server:
            if not row.get("first_message"):
                opened = server.ask("server/discover", modern())["result"]
                assert opened["resultType"] == "complete"
            params = modern(version=row.get("meta_version"))
            if "meta" in row:
                params = {"_meta": row["meta"]} if row["meta"] is not None else {}
            if row["method"] == "tools/call":
                params |= {"name": "terminal_list", "arguments": {}}
            answer = server.ask(row["method"], params)
            if "error_code" in row:
                assert answer["error"]["code"] == row["error_code"], (row, answer)
                assert answer["error"].get("data") == row.get("error_data", answer["error"].get("data"))
            elif "result_keys" in row:
                assert set(row["result_keys"]) <= set(answer["result"]), (row, answer)
            else:
                wanted, result = dict(row["result"]), answer["result"]
                meta, tools = wanted.pop("_meta"), wanted.pop("capabilities")
                assert has(wanted, result), (wanted, result)
                assert set(meta) <= set(result["_meta"]) and set(tools) <= set(result["capabilities"])
    # What a request may carry besides is no reason to refuse it.
    optional = {name: {"name": "c", "version": "1"} if name.endswith("clientInfo") else "x"
                for name in wire["modern_meta_optional"]}
    with Server(daemon) as server:
        assert "result" in server.ask("server/discover", {"_meta": MODERN | optional})
        assert "result" in server.ask("tools/list", {"_meta": MODERN | optional})


def test_the_first_lines_of_the_sdks_and_their_end_are_understood(daemon):
    wire = VECTORS["mcp_wire"]
    for opening in wire["client_first_lines"].values():
        with Server(daemon) as server:
            method = "initialize" if opening.startswith("initialize") else "server/discover"
            ident = 0 if method == "initialize" else "server-discover-probe-1"
            assert method in opening and str(ident) in opening
            params = {"protocolVersion": "2025-11-25"} if method == "initialize" else modern()
            server.send({"jsonrpc": "2.0", "id": ident, "method": method, "params": params})
            assert server.line()["id"] == ident
    numbers = wire["sdk_numbers"]
    for version in numbers["v1_supported"]:
        with Server(daemon) as server:
            assert server.ask("initialize", {"protocolVersion": version})["result"]["protocolVersion"] == version
    with legacy(daemon) as server:
        tools = server.ask("tools/list")["result"]
        assert len(json.dumps(tools)) < numbers["stdio_max_line_buffer_bytes"]
        terminal = cat(server, "x", "waits")
        begin = time.monotonic()
        # Longer than the SDK waits for an answer, and without progress.
        waited = server.call("terminal_wait_for", instance_id=terminal, text="never", timeout=0.2)
        assert waited["timed_out"] is True and time.monotonic() - begin < numbers["default_request_timeout_ms"] / 1000
        server.send({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {
            "name": "terminal_wait_for", "arguments": {"instance_id": terminal, "text": "never", "timeout": 600}}})
        begin = time.monotonic()
        server.process.stdin.close()  # what an SDK does first, and then it has two seconds
        assert server.process.wait(PATIENCE) == 0 and time.monotonic() - begin < 2
        given_up = server.line()
        assert given_up["id"] == 9 and given_up["result"]["structuredContent"]["error"]["code"] == "cancelled", given_up
        server.process.stdin = open(os.devnull, "wb")  # pylint: disable=consider-using-with


def test_spans_and_counters_have_the_names_of_the_vectors(daemon):
    names = VECTORS["telemetry"]
    spans = os.path.join(daemon.directory, "spans.jsonl")
    daemon.env |= {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"file://{spans}", "OTEL_BSP_SCHEDULE_DELAY": "10",
                   "TROUPE_METRICS": "unix:metrics.sock"}
    with legacy(daemon) as server:
        terminal = cat(server, "x", "told")
        server.call("terminal_send_input", instance_id=terminal, text="hunter2")
        server.call("terminal_close", instance_id=terminal)

    def written():
        if not os.path.exists(spans):
            return []
        with open(spans, encoding="utf-8") as file:
            batches = [json.loads(line) for line in file]
        return [span for batch in batches for resource in batch["resourceSpans"]
                for scope in resource["scopeSpans"] for span in scope["spans"]]

    eventually(lambda: {span["name"] for span in written()} == set(names["spans"]), "all spans")
    for span in written():
        attributes = {attribute["key"]: attribute["value"] for attribute in span["attributes"]}
        assert set(attributes) == set(names["span_attributes"]), span
        assert attributes["instance_id"]["stringValue"] == terminal
    with open(spans, encoding="utf-8") as file:
        assert "hunter2" not in file.read()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(os.path.join(daemon.directory, "default", "metrics.sock"))
        connection.sendall(b"GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n")
        page = b"".join(iter(lambda: connection.recv(65536), b"")).decode()
    for counter in names["counters"]:
        for label in names["labels"]:
            series = re.findall(rf'^{counter}\{{[^}}]*{label}="pty"[^}}]*\}} (\d+)$', page, re.M)
            assert sum(map(int, series)) == 1, (counter, label, series)


def test_what_is_no_request_is_refused_and_hurts_nobody(daemon):
    deep = "[" * 100_000 + "]" * 100_000
    with legacy(daemon) as server:
        for line, id in [
            ('{"jsonrpc":"2.0","id":"x","method":7}', "x"),
            ('{"jsonrpc":"2.0","id":"y"}', "y"),
            ('{"id":6}', 6),
            ('[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None),
            ('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}' % deep, None),
            ('{"jsonrpc":"2.0","id":%s,"method":"ping"}' % deep, None),
        ]:
            server.send(line)
            refused = server.line()
            assert refused["id"] == id and refused["error"]["code"] == -32600, refused
        for arguments in ["x", [1]]:
            refused = server.ask("tools/call", {"name": "terminal_list", "arguments": arguments})
            assert refused["error"]["code"] == -32602, refused
        # Answers to what nobody asked, and what is no JSON-RPC, are passed over.
        for line in ['{"jsonrpc":"2.0","id":5,"result":{}}', "no JSON", '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1]}}']:
            server.send(line)
        assert server.ask("ping")["result"] == {}


def test_list_changed_is_told_and_a_subscription_is_made_anew_after_a_restart(daemon):
    with legacy(daemon) as server:
        terminal = server.call("terminal_launch", command="/bin/cat")["instance_id"]
        uri = next(resource["uri"] for resource in server.ask("resources/list")["result"]["resources"]
                   if terminal in resource["uri"] and "screen" in resource["uri"])
        server.ask("resources/subscribe", {"uri": uri})
        server.call("terminal_keys", instance_id=terminal, keys=["ctrl+d"])
        server.call("terminal_wait_for", instance_id=terminal, exit=True, timeout=PATIENCE)
        daemon.ok("restart", str(int(terminal, 16)))
        server.ask("resources/subscribe", {"uri": uri})
        server.notes.clear()
        server.call("terminal_send_input", instance_id=terminal, text="again\n")
        server.until("notifications/resources/updated")
        # It would have gone on without that, too.
        server.call("terminal_keys", instance_id=terminal, keys=["ctrl+d"])
        server.call("terminal_wait_for", instance_id=terminal, exit=True, timeout=PATIENCE)
        daemon.ok("restart", str(int(terminal, 16)))
        server.ask("resources/read", {"uri": uri})
        server.notes.clear()
        server.call("terminal_send_input", instance_id=terminal, text="once more\n")
        server.until("notifications/resources/updated")
        server.notes.clear()
        server.call("terminal_close", instance_id=terminal, force=True)
        server.until("notifications/resources/list_changed")


if __name__ == "__main__":
    main(globals())
