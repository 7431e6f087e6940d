"""Runs the container image in an archive as a container would: in namespaces of its own, with a read-only root, as the
image's user and without any right. Kills and starts it a hundred times under load, and looks for what it acknowledged."""

import ctypes
import fcntl
import json
import os
import random
import re
import socket
import statistics
import struct
import subprocess
import sys
import tarfile
import threading
import time
from http.client import HTTPConnection, HTTPException

ARCHIVE, DIRECTORY, COMMIT = sys.argv[1:]
ROOT, VOLUME = f"{DIRECTORY}/root", f"{DIRECTORY}/volume"
USER = 65532
KILLS, CLIENTS = 100, 4
# The longest time from a start to the first answer, in seconds: the median of all starts.
START = 0.1
# A host that the container's runtime names in /etc/hosts.
KNOWN = "known.example.org"
VARIABLES = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "SQLITE_TMPDIR": "/data",
    "CARE_DATABASE": "/data/care.db",
    "CARE_BIND": "0.0.0.0:8000",
    "CARE_METRICS": "127.0.0.1:9000",
}
KEY = {"api_key": "a-key"}
LIBC = ctypes.CDLL(None, use_errno=True)
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38


def unpacked():
    """Unpacks the layers, and returns the image's configuration."""
    os.mkdir(ROOT)
    with tarfile.open(ARCHIVE) as archive:
        manifest = json.load(archive.extractfile("manifest.json"))[0]
        for layer in manifest["Layers"]:
            with tarfile.open(fileobj=archive.extractfile(layer)) as files:
                files.extractall(ROOT, numeric_owner=True)
        return json.load(archive.extractfile(manifest["Config"]))


def judge(image):
    config = image["config"]
    assert dict(variable.split("=", 1) for variable in config["Env"]) == VARIABLES, config["Env"]
    assert config["User"] == f"{USER}:{USER}" and config["StopSignal"] == "SIGTERM", config
    assert config["Volumes"] == {"/data": {}}, config
    assert config["Healthcheck"]["Test"] == ["CMD", "/usr/bin/care-admin", "ready"], config
    assert config["Labels"]["org.opencontainers.image.revision"] == COMMIT, config["Labels"]
    with open(f"{DIRECTORY}/inspected.json", encoding="utf-8") as inspected:
        said = inspected.read() + json.dumps(image)
    assert not re.search(r"password|secret|token|api.?key", said, re.I), said
    found = {os.path.relpath(f"{place}/{name}", ROOT) for place, _, names in os.walk(ROOT) for name in names}
    assert found == {"usr/bin/care-server", "usr/bin/care-admin", "usr/share/doc/care/care.cdx.json"}, found
    data = os.stat(f"{ROOT}/data")
    assert (data.st_uid, data.st_gid, data.st_mode & 0o777) == (USER, USER, 0o700), data


def mount(*arguments):
    subprocess.run(["mount", *arguments], check=True)


def settle():
    """Names a host, makes the root read-only, puts the volume in its place, and starts the namespace's loopback."""
    os.mkdir(f"{ROOT}/etc")
    with open(f"{ROOT}/etc/hosts", "w", encoding="utf-8") as hosts:
        hosts.write(f"127.0.0.1 {KNOWN}\n")
    mount("--make-rprivate", "/")
    mount("--bind", ROOT, ROOT)
    os.mkdir(VOLUME, 0o700)
    os.chown(VOLUME, USER, USER)
    mount("--bind", VOLUME, f"{ROOT}/data")
    mount("-o", "remount,bind,ro", ROOT)
    with socket.socket() as any_socket:
        up = struct.pack("16sh", b"lo", 0x41)
        fcntl.ioctl(any_socket, 0x8914, up)


def contain():
    """Makes the process one of the container: in its root, as its user, without a right, and never to get one."""
    os.chroot(ROOT)
    os.chdir("/")
    for right in range(41):
        LIBC.prctl(PR_CAPBSET_DROP, right, 0, 0, 0)
    os.setgroups([])
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)
    LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def run(*command, **variables):
    log = open(f"{DIRECTORY}/log", "ab")
    env = {**VARIABLES, **variables}
    return subprocess.Popen(command, env=env, preexec_fn=contain, stdout=subprocess.DEVNULL, stderr=log)


def finished(*command, **variables):
    """Returns the exit code of a command in the container, and what it says."""
    env = {**VARIABLES, **variables}
    ended = subprocess.run(
        command, env=env, preexec_fn=contain, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60
    )
    return ended.returncode, ended.stdout


def ask(connection, method, path, body=None):
    connection.request(method, "/1.0.0" + path, body, {**KEY, "Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, answer.read()


def started():
    """Starts the server, and returns it with the time to its first answer, in seconds."""
    begun = time.monotonic()
    server = run("/usr/bin/care-server", CARE_API_KEY=KEY["api_key"])
    while time.monotonic() - begun < 30 and server.poll() is None:
        try:
            connection = HTTPConnection("127.0.0.1", 8000, timeout=10)
            assert ask(connection, "GET", "/key")[0] == 200
            return server, time.monotonic() - begun
        except (OSError, HTTPException):
            time.sleep(0.001)
    raise SystemExit("the server does not start:\n" + open(f"{DIRECTORY}/log", encoding="utf-8").read())


def load(client, over, acknowledged):
    """Registers patients until the end, whatever becomes of the server, and notes those that were acknowledged."""
    count, connection = 0, None
    while not over.is_set():
        count += 1
        name = f"Patient {client}-{count}"
        try:
            connection = connection or HTTPConnection("127.0.0.1", 8000, timeout=10)
            status, text = ask(connection, "POST", "/patient", json.dumps({"name": name}))
            assert status == 201, (status, text)
            acknowledged.append((json.loads(text)["patientId"], name))
        except (OSError, HTTPException):
            connection = None
            time.sleep(0.002)


def kept():
    """Returns all patients of the server, number and name."""
    connection, found, path = HTTPConnection("127.0.0.1", 8000, timeout=30), {}, "/patient?limit=500"
    while path:
        status, text = ask(connection, "GET", path)
        assert status == 200, (status, text)
        page = json.loads(text)
        found.update((item["patientId"], item["name"]) for item in page["items"])
        path = page.get("next") and f"/patient?limit=500&after={page['next']}"
    return found


def kill_and_start():
    over, acknowledged, drawn, times = threading.Event(), [], random.Random(1), []
    clients = [threading.Thread(target=load, args=(client, over, acknowledged)) for client in range(CLIENTS)]
    for client in clients:
        client.start()
    for _ in range(KILLS):
        server, took = started()
        times.append(took)
        time.sleep(drawn.uniform(0.02, 0.12))
        server.kill()
        server.wait(timeout=30)
    over.set()
    for client in clients:
        client.join(timeout=60)
    server, _ = started()
    found = kept()
    lost = [(number, name) for number, name in acknowledged if found.get(number) != name]
    assert not lost, f"{len(lost)} of {len(acknowledged)} patients are lost: {lost[:5]}"
    assert len(acknowledged) >= KILLS, f"only {len(acknowledged)} patients were acknowledged"
    assert finished("/usr/bin/care-admin", "ready") == (0, "ready\n")
    code, said = finished("/usr/bin/care-admin", "verify")
    assert code == 0 and "agree" in said, said
    code, said = finished("/usr/bin/care-admin", "keys", "issue", "--name", "reader", "--scope", "patient:read")
    assert code == 0, said
    server.terminate()
    assert server.wait(timeout=15) == 0
    code, said = finished("/usr/bin/care-admin", "ready")
    assert code == 1 and "no server answers at 127.0.0.1:9000" in said, said
    print(f"killed and started {KILLS} times, {len(acknowledged)} acknowledged patients are there")
    median = statistics.median(times)
    print(f"first answer after {min(times) * 1000:.0f} to {max(times) * 1000:.0f} ms, median {median * 1000:.0f} ms")
    assert median < START, times


def resolve():
    """A name of a database fails in a sentence where nothing knows it; one that the container's files know is found."""
    for program in (["/usr/bin/care-server"], ["/usr/bin/care-admin", "stats"]):
        for host, reason in (
            ("db.example.org", "failed to lookup address information"),
            (KNOWN, "onnection refused"),
            ("127.0.0.1", "onnection refused"),
        ):
            code, said = finished(*program, "--database", f"postgres://care@{host}:1/care?sslmode=disable")
            assert code == 1 and said.count("\n") == 1 and host in said and reason in said, said


judge(unpacked())
settle()
kill_and_start()
resolve()
