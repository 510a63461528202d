# SPDX-License-Identifier: MIT
"""`troupe up` and `troupe down` against the real daemon."""

import json
import os
import re
import signal
import socket
import subprocess
import threading
import time

from harness import PATIENCE, TROUPE, main


class Stage:
    """A daemon, and a directory for scenario files."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.directory = self.daemon.directory
        self.daemon.env["MARK"] = "inherited"

    def file(self, text, name="s.yaml"):
        path = os.path.join(self.directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def up(self, text, *flags, **env):
        return self.daemon.run("up", *flags, self.file(text), **env)

    def group(self, name):
        terminals = self.daemon.json("list")["terminals"]
        return [t["title"] for t in terminals if t["group_id"] == f"scenario:{name}"]

    def screen(self, title):
        return self.daemon.ok("show", title)


THREE = """
name: three
description: a database and what stands on it
defaults:
  env: {SHARED: one}
  cols: 100
participants:
  - role: web
    needs: [db]
    options:
      command: [/bin/sh, -c, 'echo "web $SHARED $MINE $MARK $(pwd)"; stat -c %n made-by-db; exec cat']
      env: {MINE: two}
      rows: 30
    ready: made-by-db
  - persona: nobody
    role: db
    kind: terminal
    options: {command: "sleep 0.2; touch made-by-db; echo listening on 5432; exec cat"}
    ready: {regex: 'listening on [0-9]+', timeout: 20}
  - name: migrations
    needs: [db]
    options: {command: 'exit 3'}
    ready: {exit: 3}
"""


def test_participants_start_in_order_and_are_closed_again(stage):
    result = stage.up(THREE)
    assert result.returncode == 0, result.stderr
    assert result.stderr.index("db: up") < result.stderr.index("web: started"), result.stderr
    assert "scenario three is up: 3 terminals" in result.stderr
    assert sorted(stage.group("three")) == ["db", "migrations", "web"]
    info = stage.daemon.terminal("web")
    assert (info["cols"], info["rows"]) == (100, 30), info
    assert stage.daemon.terminal("db")["profile"] == "nobody"
    assert f"web one two inherited {stage.directory}" in stage.screen("web").replace("\n", "")
    down = stage.daemon.run("down", "three")
    assert down.returncode == 0 and "closed 3 terminals" in down.stderr, down.stderr
    assert stage.group("three") == []
    order = [line.split(":")[0] for line in down.stderr.splitlines() if ": closed" in line][:3]
    assert order[-1] == "db", down.stderr


def test_json_tells_every_event_and_the_terminals(stage):
    result = stage.up(THREE, "--json")
    assert result.returncode == 0 and result.stderr == "", result.stderr
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert [e["event"] for e in events if e.get("participant") == "db"] == ["started", "ready", "participant_up"]
    last = events[-1]
    assert last["event"] == "up" and last["ok"] and last["scenario"] == "three", last
    by_name = {t["participant"]: t for t in last["terminals"]}
    assert by_name["db"]["persona"] == "nobody" and by_name["db"]["id"] == stage.daemon.terminal("db")["id"]
    down = [json.loads(line) for line in stage.daemon.ok("down", "--json", stage.file(THREE)).splitlines()]
    assert down[-1] == {"event": "down", "scenario": "three", "ok": True, "closed": 3, "left": 0}, down


def test_a_directory_that_is_missing_is_named_before_anything_starts(stage):
    text = """
name: nowhere
participants:
  - {role: here, options: {command: cat}}
  - {role: there, options: {command: cat, cwd: not/here}}
"""
    for flags in ([], ["--check"]):
        result = stage.up(text, *flags)
        assert result.returncode == 2, result
        assert f"s.yaml:5: there's cwd: {stage.directory}/not/here is not a directory" in result.stderr, result.stderr
    made = """
name: made
participants:
  - {role: maker, options: {command: 'mkdir made'}, ready: {exit: 0}}
  - {role: user, needs: [maker], options: {command: 'pwd; exec cat', cwd: made}, ready: /made}
  - {role: lost, needs: [user], options: {command: cat, cwd: lost}}
"""
    result = stage.up(made)
    assert result.returncode == 1 and "user: ready" in result.stderr, result.stderr
    assert f"s.yaml:6: lost: cwd: {stage.directory}/lost is not a directory" in result.stderr, result.stderr
    assert stage.group("made") == []


def test_check_compiles_regular_expressions(stage):
    text = """
name: regexes
participants:
  - role: one
    options: {command: cat}
    ready: {regex: 'fine (a|b)'}
    steps:
      - wait: {regex: 'open ('}
"""
    result = stage.up(text, "--check")
    assert result.returncode == 2 and re.search(r"s.yaml:8: .*regex is an invalid pattern: ", result.stderr), result.stderr


def test_a_participant_keeps_its_name_whatever_its_program_calls_itself(stage):
    text = r"""
name: named
participants:
  - role: one
    options: {command: "printf '\\033]2;mine\\007'; sleep 0.3; printf '\\033]2;later\\007ready'; exec cat"}
    ready: ready
"""
    result = stage.up(text)
    assert result.returncode == 0, result.stderr
    assert stage.group("named") == ["one"]
    assert stage.screen("one") == "ready\n"
    assert stage.daemon.run("down", "named").returncode == 0
    assert stage.group("named") == []


def test_a_failure_closes_what_was_started(stage):
    text = """
name: broken
participants:
  - {role: good, options: {command: cat}}
  - role: bad
    needs: [good]
    options: {command: 'echo some trouble; exit 7'}
    ready: {needle: never printed}
  - {role: after, needs: [bad], options: {command: cat}}
"""
    result = stage.up(text)
    assert result.returncode == 1, result
    assert "s.yaml:8: bad: ready: the program ended before it happened" in result.stderr, result.stderr
    assert "bad is exited 7" in result.stderr and "| some trouble" in result.stderr, result.stderr
    assert "after: started" not in result.stderr
    assert stage.group("broken") == []
    result = stage.up(text, "--keep")
    assert result.returncode == 1 and stage.group("broken") == ["good", "bad"], result.stderr


def test_a_program_that_does_not_exist_is_told(stage):
    result = stage.up("name: n\nparticipants:\n- {role: a, options: {command: /no/such/program}}\n")
    assert result.returncode == 1 and "s.yaml:3: a: " in result.stderr and "/no/such/program" in result.stderr, result
    assert stage.group("n") == []


def test_a_condition_that_does_not_come_ends_in_time(stage):
    result = stage.up("name: n\nparticipants:\n- {role: a, options: {command: cat}, ready: {needle: x, timeout: 200ms}}\n")
    assert result.returncode == 124 and "did not happen in time" in result.stderr, result
    assert stage.group("n") == []


def test_a_scenario_is_up_once_and_replaced_on_demand(stage):
    text = "name: once\nparticipants:\n- {role: a, options: {command: cat}}\n"
    assert stage.up(text).returncode == 0
    first = stage.daemon.terminal("a")["id"]
    again = stage.up(text)
    assert again.returncode == 1 and "is up already" in again.stderr, again.stderr
    assert stage.daemon.terminal("a")["id"] == first
    assert stage.up(text, "--replace").returncode == 0
    assert stage.daemon.terminal("a")["id"] != first and stage.group("once") == ["a"]
    short = "name: short\nparticipants:\n- {role: b, options: {command: 'true'}, ready: {exit: 0}}\n"
    assert stage.up(short).returncode == 0
    assert stage.up(short).returncode == 0, "what has ended is not in the way"
    assert stage.group("short") == ["b"]


def test_steps_type_wait_and_press_keys(stage):
    text = r"""
name: steps
macros:
  greet:
    - {send: 'read -r line; echo "got <$line>"', enter: true}
    - {send: hello, enter: true}
    - wait: {needle: 'got <hello>', timeout: 10}
participants:
  - role: shell
    options: {command: [/bin/sh]}
    ready: {needle: '$ ', timeout: 10}
    steps:
      - macro: greet
      - {send: 'sed -u s/^/read:/', enter: true}
      - keys: [x, y, enter]
      - wait: {regex: 'read:xy$', timeout: 10}  # behind a prompt where the keys came before sed
      - keys: ctrl+c
      - wait: {needle: '$ ', timeout: 10}
      - {send: "echo $((40 + 2))\n"}
      - wait: {needle: "42", timeout: 10}
      - wait: {idle: 100ms, timeout: 10}
"""
    result = stage.up(text)
    assert result.returncode == 0, result.stderr
    assert "42" in stage.screen("shell")
    assert "shell: wait (line 7) done" in result.stderr, result.stderr


def test_run_and_ready_commands_need_their_status(stage):
    text = """
name: runs
participants:
  - role: shell
    options: {command: [bash], integrate: true}
    ready: {command: 'test -d /', timeout: 20}
    steps:
      - {run: 'cd / && pwd', timeout: 20}
      - {run: 'false', expect: 1, timeout: 20}
      - {run: '(exit 9)', expect: any, timeout: 20}
      - {run: '(exit 5)', timeout: 20}
"""
    result = stage.up(text)
    assert result.returncode == 1, result.stderr
    assert "s.yaml:11: shell: run: the command ended with status 5 instead of status 0" in result.stderr, result.stderr


def test_a_command_that_ends_its_shell_has_the_status_of_the_shell(stage):
    text = """
name: ends
participants:
  - role: shell
    options: {command: [bash], integrate: true}
    ready: {command: 'exit 3', timeout: 20}
"""
    result = stage.up(text)
    assert result.returncode == 1, result.stderr
    assert "s.yaml:6: shell: ready: the program ended with status 3 instead of status 0" in result.stderr, result.stderr


def test_a_run_that_is_not_whole_is_told_at_once_also_before_the_first_prompt(stage):
    with open(os.path.join(stage.directory, "rc"), "w") as rc:
        rc.write("sleep 0.5\n")  # what is typed meanwhile waits for the first prompt
    for ready in ("", "    ready: {command: 'true', timeout: 20}\n"):
        text = f"""
name: open
participants:
  - role: shell
    options: {{command: [bash, --rcfile, rc], integrate: true}}
{ready}    steps:
      - {{run: "echo 'a", timeout: 60}}
"""
        begin = time.monotonic()
        result = stage.up(text)
        assert result.returncode == 1, result.stderr
        assert "run: the shell waits for the rest of a command line (an open quote" in result.stderr, result.stderr
        assert time.monotonic() - begin < 30, result.stderr


def test_a_secret_is_typed_and_never_shown(stage):
    text = r"""
name: secrets
participants:
  - role: login
    options:
      command: [/bin/sh, -c, 'printf "Password: "; read -r p; test "$p" = "$EXPECTED" && echo welcome; echo "$p"; sleep 0.1; exit 4']
    ready: {needle: 'Password: '}
    steps:
      - password_env: TEST_SECRET
      - wait: {needle: welcome, timeout: 10}
      - wait: {needle: never, timeout: 10}
"""
    result = stage.up(text, TEST_SECRET="hunter2", EXPECTED="hunter2")
    assert result.returncode == 1 and "s.yaml:11: login: wait: the program ended" in result.stderr, result.stderr
    assert "hunter2" not in result.stderr + result.stdout
    unset = stage.up(text)
    assert unset.returncode == 2 and "s.yaml:9: the environment variable" in unset.stderr, unset.stderr
    assert "TEST_SECRET" not in unset.stderr


def test_faults_of_the_file_are_told_with_lines_and_nothing_starts(stage):
    result = stage.up("name: n\nparticipants:\n- role: a\n  colour: red\n  options: {cols: '80'}\n")
    assert result.returncode == 2, result
    file = os.path.join(stage.directory, "s.yaml")
    assert result.stderr == f"{file}:4: unknown key colour\n{file}:5: options.cols must be an integer\n", result.stderr
    assert not os.path.exists(os.path.join(stage.directory, "default")), "no daemon was started"
    check = stage.up(THREE, "--check")
    assert check.returncode == 0 and [l.split()[1] for l in check.stdout.splitlines()[1:]] == ["db", "migrations", "web"]
    missing = stage.daemon.run("up", "/no/such.yaml")
    assert missing.returncode == 2 and "cannot be read" in missing.stderr, missing.stderr
    assert stage.daemon.run("up").returncode == 2
    assert stage.daemon.run("down", "nothing").returncode == 0


def test_personas_come_from_their_file(stage):
    stage.file("personas:\n  ops:\n    app:\n      ssh: {host: 127.0.0.1, password: x}\n", "personas.yaml")
    result = stage.up("name: n\nparticipants:\n- {persona: ops, options: {command: cat}}\n")
    assert result.returncode == 2 and "personas.yaml:4: the key password is refused" in result.stderr, result.stderr
    stage.file("personas: {ops: {}}\n", "personas.yaml")
    assert stage.up("name: n\nparticipants:\n- {persona: ops, options: {command: cat}}\n").returncode == 0
    ghost = stage.up("name: m\nparticipants:\n- {persona: ghost}\n")
    assert ghost.returncode == 2 and "has no ghost" in ghost.stderr, ghost.stderr


def test_an_interrupt_closes_what_was_started(stage):
    path = stage.file("name: slow\nparticipants:\n- {role: a, options: {command: cat}}\n"
                      "- {role: b, needs: [a], options: {command: cat}, ready: {needle: never, timeout: 60}}\n")
    process = subprocess.Popen([TROUPE, "up", path], stderr=subprocess.PIPE, text=True, env=stage.daemon.env)
    told = ""
    while "b: started" not in told:
        line = process.stderr.readline()
        assert line, told
        told += line
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    rest = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode == 128 + signal.SIGINT, (process.returncode, rest)
    assert stage.group("slow") == [], rest
    assert time.monotonic() - started < PATIENCE


def test_protected_terminals_need_force(stage):
    text = "name: safe\nparticipants:\n- {role: a, protected: true, options: {command: cat}}\n- {role: b, options: {command: cat}}\n"
    assert stage.up(text).returncode == 0
    refused = stage.daemon.run("down", "safe")
    assert refused.returncode == 1 and stage.group("safe") == ["a"], refused.stderr
    assert stage.daemon.run("down", "--force", "safe").returncode == 0
    assert stage.group("safe") == []


def test_many_participants_start_in_parallel(stage):
    lines = "".join(f"- {{role: r{n}, options: {{command: 'sleep 0.5; echo ok; exec cat'}}, ready: ok}}\n" for n in range(32))
    started = time.monotonic()
    result = stage.up("name: many\nparticipants:\n" + lines)
    assert result.returncode == 0, result.stderr
    print(f"  32 terminals that take 0.5 s each: {time.monotonic() - started:.2f} s")
    assert len(stage.group("many")) == 32


def test_telnet_is_a_kind_like_the_others(stage):
    with socket.create_server(("127.0.0.1", 0)) as server:
        def serve():
            peer = server.accept()[0]
            with peer:
                peer.sendall(b"welcome\r\nname: ")
                got = b""
                while b"anna" not in got:
                    got += peer.recv(4096)
                peer.sendall(b"hello anna\r\n")
                while peer.recv(4096):
                    pass
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        result = stage.up(f"""
name: bbs
participants:
  - role: caller
    kind: telnet
    options: {{host: 127.0.0.1, port: {server.getsockname()[1]}}}
    ready: {{regex: 'name: $', timeout: 20}}
    steps:
      - {{send: anna, enter: true}}
      - wait: {{needle: hello anna, timeout: 20}}
""")
        assert result.returncode == 0, result.stderr
        assert stage.daemon.terminal("caller")["kind"] == "telnet"
        assert stage.daemon.run("down", "bbs").returncode == 0
        thread.join(PATIENCE)
        assert not thread.is_alive(), "the connection was not closed"


def test_ssh_without_the_host_key_fails_and_tells_why(stage):
    hosts = stage.file("", "known_hosts")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    result = stage.up(f"""
name: remote
participants:
  - role: far
    kind: ssh
    options: {{host: 127.0.0.1, port: {port}, user: me, known_hosts: {hosts}, password_env: FAR_SECRET}}
    ready: {{needle: never, timeout: 20}}
""", FAR_SECRET="hunter2")
    assert result.returncode == 1 and "far: " in result.stderr, result.stderr
    assert "hunter2" not in result.stderr + result.stdout
    assert stage.group("remote") == []


def test_an_unknown_key_is_found_before_anything_starts(stage):
    text = "name: keys\nparticipants:\n  - role: a\n    steps:\n      - keys: ctrl+c hyper+q\n"
    for flags in (["--check"], []):
        result = stage.up(text, *flags)
        assert result.returncode == 2 and 's.yaml:5: steps.keys has an unknown key "hyper+q"' in result.stderr, result
    assert stage.daemon.run("list").returncode == 1, "no daemon was started"


def test_an_order_that_cannot_be_written_is_an_error(stage):
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = subprocess.run([TROUPE, "up", "--check", stage.file(THREE)], stdout=full, stderr=subprocess.PIPE, text=True,
                                env=stage.daemon.env, check=False)
    assert result.returncode == 1 and "error: cannot write: " in result.stderr, result


def test_mcp_becomes_the_server_for_the_same_daemon(stage):
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                          "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
    result = stage.daemon.run("mcp", stdin=request + "\n")
    assert result.returncode == 0, result
    assert json.loads(result.stdout.splitlines()[0])["result"]["protocolVersion"] == "2025-06-18", result


if __name__ == "__main__":
    main({name: lambda daemon, test=test: test(Stage(daemon)) for name, test in list(globals().items())
          if name.startswith("test_")})
