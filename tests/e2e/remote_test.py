# SPDX-License-Identifier: MIT
"""SSH terminals as an agent gets them, against an OpenSSH server of the test's own."""

import os
import pwd
import signal
import socket
import subprocess

from harness import TROUPED, eventually, main
from mcp_lines import legacy

USER = pwd.getpwuid(os.getuid()).pw_name
# A home of its own, as root or as anybody who may have namespaces: libssh asks the password file for it.
MOUNTS = (["unshare", "-m"], ["unshare", "-Urm"])
OTHER_HOME = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'


class Sshd:
    """Lets `user` and `locked` in, whose passphrase is "open sesame"."""

    def __init__(self, directory):
        self.directory = directory
        os.makedirs("/run/sshd", exist_ok=True)
        for name, passphrase in (("host", ""), ("user", ""), ("locked", "open sesame")):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", self.path(name)], check=True)
        with open(self.path("authorized"), "w", encoding="utf-8") as file:
            file.write(self.text("user.pub") + self.text("locked.pub"))
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        with open(self.path("known"), "w", encoding="utf-8") as file:
            file.write(f"[127.0.0.1]:{self.port} {self.text('host.pub')}")
        with open(self.path("config"), "w", encoding="utf-8") as file:
            file.write(f"""Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self.path("host")}
AuthorizedKeysFile {self.path("authorized")}\nSetEnv HOME={directory}\nStrictModes no\nUsePAM no\nPermitRootLogin yes
PasswordAuthentication no\nKbdInteractiveAuthentication no\nPidFile none\nPrintMotd no\nPrintLastLog no\nLogLevel DEBUG1
""")
        self.log = open(self.path("log"), "wb")  # pylint: disable=consider-using-with
        self.process = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", self.path("config")], stderr=self.log)
        eventually(lambda: "Server listening" in self.text("log"), "the server's start")

    def path(self, name):
        return os.path.join(self.directory, name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def to(self, **more):
        return {"kind": "ssh", "host": "127.0.0.1", "port": self.port, "user": USER, "known_hosts": self.path("known")} | more

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def sees(server, terminal, text):
    return server.call("terminal_wait_for", instance_id=terminal, since="oldest", text=text, timeout=30)["matched"]


def test_an_unknown_host_is_refused_before_anything_is_said_to_it(daemon):
    with Sshd(daemon.directory) as sshd, legacy(daemon) as server:
        with open(sshd.path("empty"), "w", encoding="utf-8"):
            pass
        fingerprint = subprocess.run(["ssh-keygen", "-l", "-f", sshd.path("host.pub")], capture_output=True, text=True,
                                     check=True).stdout.split()[1]
        for known_hosts in (sshd.path("empty"), "/nonexistent/known_hosts"):
            refused = server.call("terminal_launch", **sshd.to(known_hosts=known_hosts, key_path=sshd.path("user"),
                                                               password="hunter2"))
            assert refused["ok"] is False and fingerprint in refused["error"]["message"], refused
            assert "hunter2" not in str(refused)
        refused = server.call("terminal_launch", **sshd.to(known_hosts=None, key_path=sshd.path("user")))
        assert "known_hosts" in refused["error"]["message"], refused
        # Both connections are over, and neither came to naming a user.
        eventually(lambda: sshd.text("log").count("Connection closed by") + sshd.text("log").count("Connection reset by") +
                   sshd.text("log").count("Received disconnect") >= 2, "the ends of both connections")
        assert "userauth-request" not in sshd.text("log"), sshd.text("log")
        assert server.call("terminal_list")["terminals"] == []


def test_a_passphrase_is_asked_for_in_the_terminal_and_recorded_nowhere(daemon):
    with Sshd(daemon.directory) as sshd, legacy(daemon) as server:
        launched = server.call("terminal_launch", **sshd.to(key_path=sshd.path("locked"), command="echo in; exec cat"))
        terminal = launched["instance_id"]
        assert sees(server, terminal, "Enter passphrase for key")
        server.call("terminal_send_input", instance_id=terminal, text="mistyped", enter=True)
        server.call("terminal_wait_for", instance_id=terminal, text="Enter passphrase for key", timeout=30)
        server.call("terminal_send_input", instance_id=terminal, text="open sesame", enter=True)
        assert sees(server, terminal, "in\n")
        server.call("terminal_close", instance_id=terminal)
        eventually(lambda: "terminal_stop" in sshd.text(launched["log_path"]), "the recording's end")
        rows = sshd.text(launched["log_path"])
        assert "sesame" not in rows and "mistyped" not in rows and rows.count('"keys":"***"') == 2, rows


def test_an_agent_lets_in(daemon):
    with Sshd(daemon.directory) as sshd:
        daemon.env["SSH_AUTH_SOCK"] = sshd.path("agent")
        started = subprocess.run(["ssh-agent", "-s", "-a", sshd.path("agent")], capture_output=True, text=True, check=True)
        agent = int(started.stdout.split("SSH_AGENT_PID=")[1].split(";")[0])
        try:
            subprocess.run(["ssh-add", "-q", sshd.path("user")], env=daemon.env, check=True)
            with legacy(daemon) as server:
                launched = server.call("terminal_launch", **sshd.to(command="echo through the agent; exec cat"))
                assert sees(server, launched["instance_id"], "through the agent"), launched
                assert server.call("terminal_list")["terminals"][0]["title"] == "127.0.0.1"
        finally:
            os.kill(agent, signal.SIGTERM)


def mount_prefix(directory):
    home = pwd.getpwuid(os.getuid()).pw_dir
    for prefix in MOUNTS:
        command = [*prefix, "sh", "-c", OTHER_HOME, "sh", directory, home]
        if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0:
            return command
    return None


def test_a_configuration_is_honoured_where_it_is_asked_for(daemon):
    prefix = mount_prefix(daemon.directory)
    if prefix is None:
        print("skipped: no directory can be mounted here, and libssh reads the configuration of the person's own home",
              flush=True)
        return
    with Sshd(daemon.directory) as sshd:
        os.makedirs(sshd.path(".ssh"), mode=0o700)
        with open(sshd.path(".ssh/config"), "w", encoding="utf-8") as file:
            file.write(f"Host box\n  HostName 127.0.0.1\n  Port {sshd.port}\n  User {USER}\n"
                       f"  IdentityFile {sshd.path('user')}\n  UserKnownHostsFile {sshd.path('known')}\n")
        daemon.env |= {"PATH": os.environ["PATH"]}
        with subprocess.Popen([*prefix, TROUPED, "--standalone", "--name", "default", "--runtime-dir", daemon.directory],
                              env=daemon.env, stdin=subprocess.DEVNULL) as running:
            eventually(lambda: os.path.exists(os.path.join(daemon.directory, "default", "service.json")), "the daemon")
            with legacy(daemon) as server:
                box = {"kind": "ssh", "host": "box", "command": "echo as configured; exec cat"}
                launched = server.call("terminal_launch", use_ssh_config=True, **box)
                assert "instance_id" in launched, launched
                assert sees(server, launched["instance_id"], "as configured")
                # Without being asked nothing of it counts.
                refused = server.call("terminal_launch", known_hosts=sshd.path("known"), **box)
                assert "cannot resolve box" in refused["error"]["message"], refused
                # A host that its files do not know is refused as ever.
                os.truncate(sshd.path("known"), 0)
                refused = server.call("terminal_launch", use_ssh_config=True, **box)
                assert refused["ok"] is False and "SHA256:" in refused["error"]["message"], refused
            daemon.close()
            running.wait(30)


if __name__ == "__main__":
    main(globals())
