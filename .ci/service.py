"""Restarts a server under load, on a socket that outlives it, behind the proxy of docs/nginx.conf."""

import json
import os
import socket
import ssl
import subprocess
import sys
import threading
import time
from http.client import HTTPSConnection

SERVER, NGINX, DIRECTORY = sys.argv[1:]
CLIENTS, RESTARTS, PAUSE = 8, 3, 2.0
TLS = ssl.create_default_context()
TLS.check_hostname, TLS.verify_mode = False, ssl.CERT_NONE
HEADERS = {"api_key": "a-key", "Content-Type": "application/json"}


def listening(backlog):
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(backlog)
    return listener


def start(listener):
    """Starts a server as systemd does: the socket is its file 3, and two variables say so."""
    os.dup2(listener.fileno(), 3)
    log = open(f"{DIRECTORY}/server.log", "ab")
    script = 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"'
    command = ["sh", "-c", script, "sh", SERVER, "--database", f"{DIRECTORY}/care.db", "--api-key", "a-key"]
    process = subprocess.Popen(command, pass_fds=(3,), stdout=subprocess.PIPE, stderr=log)
    line = process.stdout.readline().decode()
    assert line.startswith(f"listening on http://127.0.0.1:{listener.getsockname()[1]}/"), line
    return process


def proxy(port):
    with open("docs/nginx.conf", encoding="utf-8") as sample:
        site = sample.read()
    free = listening(1)
    own = free.getsockname()[1]
    free.close()
    site = site.replace("127.0.0.1:8000", f"127.0.0.1:{port}").replace("listen 443 ", f"listen 127.0.0.1:{own} ")
    folders = "".join(f"{name}_temp_path {name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(f"{DIRECTORY}/nginx.conf", "w", encoding="utf-8") as conf:
        conf.write(f"pid nginx.pid; daemon off; error_log nginx.log warn; events {{}}\nhttp {{ {folders}\n{site}\n}}\n")
    return subprocess.Popen([NGINX, "-p", DIRECTORY, "-e", "nginx.log", "-c", "nginx.conf"]), own


def client(port, over, failures, registered, answered):
    connection = HTTPSConnection("127.0.0.1", port, context=TLS, timeout=30)

    def ask(method, path, body=None):
        connection.request(method, "/1.0.0" + path, body, HEADERS)
        answer = connection.getresponse()
        text = answer.read()
        answered.append(answer.status)
        return answer.status, text

    while not over.is_set():
        try:
            status, text = ask("POST", "/patient", "{}")
            if status != 201:
                failures.append(("POST", status, text[:200]))
                continue
            number = json.loads(text)["patientId"]
            registered.append(number)
            for method, path, body in (
                ("GET", f"/patient/{number}", None),
                ("PUT", "/patient", json.dumps({"patientId": number, "age": 30})),
                ("GET", "/patient?limit=5", None),
            ):
                status, text = ask(method, path, body)
                if status != 200:
                    failures.append((method, status, text[:200]))
        except Exception as error:  # Whatever a client sees but an answer is a failure.
            failures.append((type(error).__name__, str(error)))
            connection.close()


listener = listening(4096)
server = start(listener)
nginx, port = proxy(listener.getsockname()[1])
try:
    for attempt in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
            break
        except OSError:
            assert attempt < 99, "nginx does not listen"
            time.sleep(0.1)
    over, failures, registered, answered = threading.Event(), [], [], []
    arguments = (port, over, failures, registered, answered)
    clients = [threading.Thread(target=client, args=arguments) for _ in range(CLIENTS)]
    for thread in clients:
        thread.start()
    gaps = []
    for _ in range(RESTARTS):
        time.sleep(PAUSE)
        since = time.monotonic()
        server.terminate()
        assert server.wait(15) == 0, "it does not end as it should"
        server = start(listener)
        gaps.append(time.monotonic() - since)
    time.sleep(PAUSE)
    over.set()
    for thread in clients:
        thread.join(60)
    assert not failures, f"{len(failures)} of {len(answered)} requests failed: {failures[:5]}"
    assert len(registered) > 100, f"only {len(registered)} were registered"
    # What was acknowledged is there, and was done once.
    connection = HTTPSConnection("127.0.0.1", port, context=TLS, timeout=30)
    stored, after = [], ""
    while True:
        connection.request("GET", f"/1.0.0/patient?limit=500{after}", headers=HEADERS)
        page = json.loads(connection.getresponse().read())
        stored += [item["patientId"] for item in page["items"]]
        if "next" not in page:
            break
        after = f"&after={page['next']}"
    assert sorted(registered) == sorted(stored), (len(registered), len(stored))
    longest = max(gaps)
    print(f"{RESTARTS} restarts behind nginx, {len(answered)} requests, 0 failed; the longest took {longest:.1f} s")
finally:
    nginx.terminate()
    server.terminate()
    nginx.wait(15)
    server.wait(15)
