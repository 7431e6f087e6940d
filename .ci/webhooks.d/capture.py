"""Runs a server with the demo clinic, a relay and a receiver, and writes the messages that come to a file, one in a line:
the secrets, the headers, and the body in base64."""

import base64
import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading
import time
import urllib.request

PROGRAMS, DIRECTORY = map(pathlib.Path, sys.argv[1:])
KEY = "strangers"
# Messages of the past, of what happens meanwhile, and of the relay's own.
LEAST = 200

got, lock = [], threading.Lock()


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        with lock:
            got.append({"headers": dict(self.headers.items()), "body": base64.b64encode(body).decode()})
        self.send_response(204)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def until(what, holds):
    started = time.monotonic()
    while not holds():
        assert time.monotonic() < started + 60, what
        time.sleep(0.05)


def relay(*arguments):
    said = subprocess.run(
        [PROGRAMS / "care-relay", *arguments, "--state", DIRECTORY / "relay.db"],
        check=True, capture_output=True, text=True, timeout=30,
    )
    return said.stdout.strip()


receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{receiver.server_port}/hook"
running = []
try:
    server = subprocess.Popen(
        [PROGRAMS / "care-server", "--demo", "--bind", "127.0.0.1:0", "--database", DIRECTORY / "care.db", "--api-key", KEY],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )
    running.append(server)
    base = server.stdout.readline().removeprefix("listening on ").strip()
    secrets = [relay("add", "strangers", "--url", url, "--allow-net", "127.0.0.0/8", "--from", "0")]
    secrets.append(relay("rotate", "strangers"))
    environment = {**os.environ, "CARE_KEY": KEY}
    running.append(
        subprocess.Popen(
            [PROGRAMS / "care-relay", "run", "--care", base, "--state", DIRECTORY / "relay.db"],
            env=environment, stderr=subprocess.DEVNULL,
        )
    )
    until("the past is delivered", lambda: len(got) >= LEAST)
    for number in range(3):
        body = json.dumps({"medicine": f"Tēja {number} ‰", "isAvailable": True}).encode()
        path = urllib.request.quote(f"Tēja {number} ‰")
        headers = {"api_key": KEY, "content-type": "application/json"}
        urllib.request.urlopen(urllib.request.Request(f"{base}/inventory/{path}", body, headers), timeout=30).close()

    def names():
        with lock:
            return sum("‰" in base64.b64decode(one["body"]).decode() for one in got)

    until("the new ones are delivered", lambda: names() == 3)
    relay("test", "strangers")
finally:
    for process in running:
        process.terminate()
    for process in running:
        process.wait(timeout=30)
with open(DIRECTORY / "messages", "w", encoding="utf-8") as file:
    for one in got:
        file.write(json.dumps({"secrets": secrets, **one}) + "\n")
