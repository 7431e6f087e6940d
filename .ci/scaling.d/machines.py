"""Three machines in one: etcd, and PostgreSQL under Patroni with the sample in docs/scaling/."""

import os
import pwd
import signal
import socket
import subprocess
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

PASSWORD, LIMIT = "a-password", 90.0
POSTGRES = Path("/usr/lib/postgresql/15/bin")


def until(what, condition, limit):
    """Waits until a condition holds, and returns what it answers."""
    begun = time.monotonic()
    while not (answer := condition()):
        assert time.monotonic() - begun < limit, f"not within {limit:.0f} s: {what}"
        time.sleep(0.1)
    return answer


def parents():
    """Returns the parent of each process."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = int((entry / "stat").read_text().rsplit(") ", 1)[1].split()[1])
            except (OSError, IndexError):
                pass  # It has ended meanwhile.
    return found


class Machine:
    """One of three machines."""

    def __init__(self, machines, number):
        self.machines, self.name = machines, f"care-{number}"
        self.http, self.probes, self.rest, self.postgres = (machines.port() for _ in range(4))
        self.directory = machines.directory / self.name
        self.directory.mkdir(mode=0o700)
        if machines.user:
            os.chown(self.directory, machines.user.pw_uid, machines.user.pw_gid)
        self.patroni = self.server = None

    def start(self, hosts):
        text = Path("docs/scaling/patroni.yml").read_text(encoding="utf-8")
        own = {
            "NAME": self.name,
            "ADDRESS:8008": f"127.0.0.1:{self.rest}",
            "ADDRESS:5432": f"127.0.0.1:{self.postgres}",
            "/var/lib/postgresql/15/care": f"{self.directory}/data",
            "/var/lib/postgresql/pgpass.care": f"{self.directory}/pgpass",
            "/var/run/postgresql": str(self.directory),
            "SUPERUSER-PASSWORD": PASSWORD,
            "REPLICATION-PASSWORD": PASSWORD,
            # A server that is not optimised takes a good part of a second to prove a password without showing it.
            "host all postgres,care 10.0.0.0/24 scram-sha-256": "host all postgres,care 127.0.0.1/32 password",
            "10.0.0.0/24": "127.0.0.1/32",
            "[10.0.0.1:2379, 10.0.0.2:2379, 10.0.0.3:2379]": hosts,
            # There is no such device here.
            "mode: required": "mode: off",
        }
        for sample, value in own.items():
            assert sample in text, f"the sample lacks {sample}"
            text = text.replace(sample, value)
        path = self.directory / "patroni.yml"
        path.write_text(text, encoding="utf-8")
        if self.machines.user:
            os.chown(path, self.machines.user.pw_uid, self.machines.user.pw_gid)
        self.patroni = self.machines.start(f"{self.name}.patroni", ["patroni", str(path)], as_user=True)

    def is_primary(self):
        try:
            with urlopen(f"http://127.0.0.1:{self.rest}/primary", timeout=5) as answer:
                return answer.status == 200
        except (URLError, OSError):
            return False

    def kill(self):
        """Kills Patroni, and then PostgreSQL with all its processes, as a loss of power would."""
        self.patroni.kill()
        self.patroni.wait(10)
        try:
            server = int((self.directory / "data/postmaster.pid").read_text().split()[0])
            # The number of a server that has ended may be another process's by now.
            if str(self.directory) not in Path(f"/proc/{server}/cmdline").read_text():
                return
            # Stopped first, so that it starts no other while its children are looked for.
            os.kill(server, signal.SIGSTOP)
        except (OSError, IndexError, ValueError):
            return  # It does not run.
        for process, parent in parents().items():
            if parent == server:
                os.kill(process, signal.SIGKILL)
        os.kill(server, signal.SIGKILL)


class Machines:
    """All of them, with all that they run. They are gone when the block ends."""

    def __init__(self, directory):
        self.directory, self.taken, self.started = directory, [], []
        self.user = next((user for user in pwd.getpwall() if user.pw_name == "postgres"), None)
        self.user = (self.user or pwd.getpwnam("nobody")) if os.geteuid() == 0 else None
        self.all = [Machine(self, number) for number in (1, 2, 3)]
        self.client, self.peer, self.balancer = (self.port() for _ in range(3))
        for listener in self.taken:
            listener.close()

    def port(self):
        """Returns a free port. It stays taken until all are chosen, so that none is chosen twice."""
        listener = socket.socket()
        listener.bind(("127.0.0.1", 0))
        self.taken.append(listener)
        return listener.getsockname()[1]

    def start(self, name, command, as_user=False, **environment):
        user = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if as_user and self.user else {}
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.directory), "LC_ALL": "C.UTF-8"} | environment
        with open(self.directory / f"{name}.log", "ab") as log:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, cwd="/" if user else None, **user
            )
        self.started.append(process)
        return process

    def primary(self):
        return next((machine for machine in self.all if machine.is_primary()), None)

    def bootstrap(self):
        """Starts etcd and PostgreSQL, and makes the database. Returns the primary."""
        client, peer = (f"http://127.0.0.1:{port}" for port in (self.client, self.peer))
        urls = ["--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer]
        cluster = ["--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}"]
        self.start("etcd", ["etcd", "--data-dir", str(self.directory / "etcd"), *urls, *cluster])
        for machine in self.all:
            machine.start(f"[127.0.0.1:{self.client}]")
        primary = until("there is a primary", self.primary, LIMIT)
        until("a synchronous standby and another one stream", lambda: self.standbys(primary) == ["async", "sync"], LIMIT)
        self.query(primary, "-v", f"password={PASSWORD}", "-f", "docs/scaling/care.sql")
        return primary

    def standbys(self, primary):
        states = "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming' ORDER BY 1"
        try:
            return self.query(primary, "-c", states).split()
        except subprocess.CalledProcessError:
            return []

    def query(self, machine, *arguments):
        address = f"postgres://postgres@127.0.0.1:{machine.postgres}/postgres"
        command = [POSTGRES / "psql", "-XAtq", "-v", "ON_ERROR_STOP=1", *arguments, address]
        environment = {"PGPASSWORD": PASSWORD}
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=60).stdout

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error:
            for log in sorted(self.directory.glob("*.log")):
                print(f"== {log.name}", log.read_text(errors="replace")[-3000:], sep="\n")
        for machine in self.all:
            if machine.patroni:
                machine.kill()
        for process in self.started:
            process.kill()
            process.wait(10)
