"""Kills a server and the primary of the sample in docs/scaling/ under load, and looks for each acknowledged write."""

import json
import re
import ssl
import subprocess
import sys
import threading
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path

from machines import PASSWORD, Machines, until

PROGRAMS, DIRECTORY = Path(sys.argv[1]), Path(sys.argv[2])
CLIENTS, BEFORE, AFTER, LIMIT = 6, 100, 100, 90.0
TLS = ssl.create_default_context()
TLS.check_hostname, TLS.verify_mode = False, ssl.CERT_NONE


class Clinic:
    """The clients, and all that they were told."""

    def __init__(self, port):
        self.port, self.over, self.lock = port, threading.Event(), threading.Lock()
        self.acknowledged, self.moments, self.failures, self.statuses = {}, [], [], {}
        self.threads = [threading.Thread(target=self.client, args=(number,)) for number in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def ask(self, connection, method, path, body=None, **headers):
        headers = {"api_key": "a-key", "Content-Type": "application/json"} | headers
        connection.request(method, "/1.0.0" + path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        with self.lock:
            self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
        return answer.status, text

    def client(self, number):
        """Registers patients, each until it is acknowledged, and reads each through whichever server is next."""
        connection = HTTPSConnection("127.0.0.1", self.port, context=TLS, timeout=30)
        count, registered = 0, None
        while not self.over.is_set():
            name = f"{number}-{count}"
            try:
                if registered is None:
                    key = {"Idempotency-Key": f'"{name}"'}
                    status, text = self.ask(connection, "POST", "/patient", json.dumps({"name": name}), **key)
                    if status == 201:
                        registered = json.loads(text)["patientId"]
                        with self.lock:
                            self.acknowledged[name] = registered
                            self.moments.append(time.monotonic())
                else:
                    status, text = self.ask(connection, "GET", f"/patient/{registered}")
                    if status == 200 and json.loads(text)["name"] == name:
                        count, registered = count + 1, None
                    elif status in (200, 404):
                        self.failures.append((name, registered, status, text[:200]))
                        return
                if status >= 500:
                    time.sleep(0.05)
                elif status not in (200, 201):
                    self.failures.append((name, status, text[:200]))
                    return
            except (OSError, HTTPException):
                # The outcome is open: the same is sent again, under the same key.
                connection.close()
                time.sleep(0.05)

    def more(self, count):
        """Waits until this many further writes are acknowledged."""
        enough = len(self.moments) + count
        until(f"{count} further writes are acknowledged", lambda: len(self.moments) >= enough or self.failures, LIMIT)
        assert not self.failures, self.failures[:5]

    def gap(self, since):
        """Returns the longest time without an acknowledgement that ended after this moment."""
        moments = sorted(self.moments)
        return max(later - earlier for earlier, later in zip(moments, moments[1:]) if later > since)

    def end(self):
        self.over.set()
        for thread in self.threads:
            thread.join(60)

    def stored(self):
        connection = HTTPSConnection("127.0.0.1", self.port, context=TLS, timeout=30)
        stored, after = {}, ""
        while True:
            status, text = self.ask(connection, "GET", f"/patient?limit=500{after}")
            assert status == 200, (status, text[:200])
            page = json.loads(text)
            for item in page["items"]:
                stored.setdefault(item["name"], []).append(item["patientId"])
            if "next" not in page:
                return stored
            after = f"&after={page['next']}"


def probe(port, path):
    """Returns the status of a probe, 0 where nothing answers."""
    try:
        connection = HTTPConnection("127.0.0.1", port, timeout=5)
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, HTTPException):
        return 0


def balancer(machines):
    """Starts HAProxy with the sample, and with the ports of this run in it."""
    text = Path("docs/scaling/haproxy.cfg").read_text(encoding="utf-8")
    text = text.replace("bind :443", f"bind 127.0.0.1:{machines.balancer}")
    text = text.replace("/etc/haproxy/care.pem", f"{DIRECTORY}/care.pem")
    for number, machine in enumerate(machines.all, 1):
        # In the sample each machine has the same ports.
        probed = f"127.0.0.1:{machine.http} port {machine.probes}"
        text = re.sub(rf"(server care-{number}) 10\.0\.0\.{number}:8000", rf"\1 {probed}", text)
        text = text.replace(f"10.0.0.{number}:8000", f"127.0.0.1:{machine.http}")
    path = DIRECTORY / "haproxy.cfg"
    path.write_text(text, encoding="utf-8")
    machines.start("haproxy", ["haproxy", "-db", "-f", str(path)])


def servers(machines):
    """Starts the three servers. The first fills the empty schema."""
    hosts = ",".join(f"127.0.0.1:{machine.postgres}" for machine in machines.all)
    (DIRECTORY / "pgpass").touch(mode=0o600)
    (DIRECTORY / "pgpass").write_text(f"*:*:care:care:{PASSWORD}\n", encoding="utf-8")
    database = ["--database", f"postgres://care@{hosts}/care?auth=plain"]
    for machine in machines.all:
        addresses = ["--bind", f"127.0.0.1:{machine.http}", "--metrics", f"127.0.0.1:{machine.probes}"]
        command = [str(PROGRAMS / "care-server"), *addresses, *database, "--require-synchronous", "--api-key", "a-key"]
        machine.server = machines.start(f"{machine.name}.server", command, PGPASSFILE=f"{DIRECTORY}/pgpass")
        until("a server is ready", lambda: probe(machine.probes, "/ready") == 200, LIMIT)
    return database


with Machines(DIRECTORY) as machines:
    primary = machines.bootstrap()
    database = servers(machines)
    balancer(machines)
    clinic = Clinic(machines.balancer)
    try:
        clinic.more(BEFORE)
        # Writes settle on one server.
        writers = lambda: [machine for machine in machines.all if probe(machine.probes, "/writer") == 200]
        until("there is a writer", lambda: len(writers()) == 1, LIMIT)
        writer = writers()[0]
        killed = time.monotonic()
        writer.server.kill()
        clinic.more(AFTER)
        server_gap = clinic.gap(killed)

        killed = time.monotonic()
        primary.kill()
        successor = until("a standby is promoted", machines.primary, LIMIT)
        promoted = time.monotonic() - killed
        assert successor is not primary
        until("it has a synchronous standby", lambda: "sync" in machines.standbys(successor), LIMIT)
        followed = time.monotonic() - killed
        clinic.more(AFTER)
        primary_gap = clinic.gap(killed)
    finally:
        clinic.end()
    stored = clinic.stored()
    lost = [name for name, number in clinic.acknowledged.items() if stored.get(name) != [number]]
    assert not lost, f"{len(lost)} of {len(clinic.acknowledged)} acknowledged writes are not there once: {lost[:5]}"
    verify = [str(PROGRAMS / "care-admin"), "verify", *database]
    environment = {"PGPASSFILE": f"{DIRECTORY}/pgpass"}
    verified = subprocess.run(verify, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert verified.returncode == 0, verified.stderr
    print(
        f"{len(clinic.acknowledged)} writes acknowledged, 0 lost; answers by status: {dict(sorted(clinic.statuses.items()))}\n"
        f"a server killed: nothing acknowledged for {server_gap:.1f} s\n"
        f"the primary killed: Patroni promotes after {promoted:.1f} s, the next synchronous standby is there after "
        f"{followed:.1f} s, nothing acknowledged for {primary_gap:.1f} s"
    )
