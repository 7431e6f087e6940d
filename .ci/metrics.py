"""Has a real Prometheus scrape servers under load, and compares what it knows with what was sent."""

import json
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from http.client import HTTPConnection

DIRECTORY, TARGETS = sys.argv[1], sys.argv[2:]
CLIENTS, SECONDS = 4, 6
HEADERS = {"api_key": "a-key", "Content-Type": "application/json"}
# What the documentation promises; each has to be there for both servers.
FIGURES = """
care_http_requests_total care_http_request_duration_seconds_bucket care_http_requests_in_flight care_http_polls_waiting care_http_unread_bytes
care_http_refusals_total care_decisions_total care_seq care_store_queue care_store_batch_decisions_count
care_store_commits_total care_store_commit_duration_seconds_sum care_store_sync_duration_seconds_bucket
care_store_log_bytes care_store_log_uncopied_bytes care_store_snapshot_age_seconds care_store_room_bytes
care_store_stopped
""".split()


def fetch(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode()


def load(address, until, counts):
    connection = HTTPConnection(address, timeout=20)

    def ask(method, path, body=None):
        connection.request(method, "/1.0.0" + path, body, HEADERS)
        answer = connection.getresponse()
        answer.read()
        key = (method, path.split("/")[1], answer.status)
        counts[key] = counts.get(key, 0) + 1

    while time.monotonic() < until:
        ask("POST", "/patient", "{}")
        for _ in range(5):
            ask("GET", "/patient/1")
        ask("GET", "/history/999999")


servers = []
for target in TARGETS:
    host, port, metrics_host, metrics_port = target.split(":")
    servers.append((f"{host}:{port}", f"{metrics_host}:{metrics_port}"))
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
with open(f"{DIRECTORY}/prometheus.yml", "w", encoding="utf-8") as config:
    metrics = ", ".join(f'"{metrics}"' for _, metrics in servers)
    config.write(
        "global: {scrape_interval: 1s, scrape_timeout: 1s}\n"
        f"scrape_configs: [{{job_name: care, static_configs: [{{targets: [{metrics}]}}]}}]\n"
    )
subprocess.run(["promtool", "check", "config", f"{DIRECTORY}/prometheus.yml"], check=True, stdout=subprocess.DEVNULL)
command = ["prometheus", f"--config.file={DIRECTORY}/prometheus.yml", f"--storage.tsdb.path={DIRECTORY}/tsdb"]
log = open(f"{DIRECTORY}/prometheus.log", "wb")
prometheus = subprocess.Popen([*command, f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log)


def ask_prometheus(query):
    text = fetch(f"http://127.0.0.1:{port}/api/v1/query?{urllib.parse.urlencode({'query': query})}")
    return {row["metric"].get("instance", ""): float(row["value"][1]) for row in json.loads(text)["data"]["result"]}


try:
    until = time.monotonic() + SECONDS
    sent = [[{} for _ in range(CLIENTS)] for _ in servers]
    clients = [
        threading.Thread(target=load, args=(address, until, counts))
        for (address, _), each in zip(servers, sent)
        for counts in each
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join(60)
    totals = {}
    for (_, metrics), each in zip(servers, sent):
        sums = totals.setdefault(metrics, {})
        for counts in each:
            for key, count in counts.items():
                sums[key] = sums.get(key, 0) + count

    # promtool judges the text itself: names, units, help.
    for _, metrics in servers:
        text = fetch(f"http://{metrics}/metrics")
        judged = subprocess.run(["promtool", "check", "metrics"], input=text.encode(), capture_output=True)
        assert judged.returncode == 0, (judged.stdout + judged.stderr).decode()
        assert fetch(f"http://{metrics}/alive") == "alive\n" and fetch(f"http://{metrics}/ready") == "ready\n"

    # Two more scrapes, and Prometheus knows what was sent.
    time.sleep(3)
    up = ask_prometheus("up")
    assert all(up.get(metrics) == 1 for _, metrics in servers), up
    for figure in FIGURES:
        found = ask_prometheus(f"max by (instance) ({figure})")
        assert set(found) == {metrics for _, metrics in servers}, (figure, found)
    for operation, status, key in (
        ("addPatient", 201, ("POST", "patient", 201)),
        ("getPatient", 200, ("GET", "patient", 200)),
        ("getHistory", 404, ("GET", "history", 404)),
    ):
        found = ask_prometheus(f'care_http_requests_total{{operation="{operation}",status="{status}"}}')
        for _, metrics in servers:
            assert found[metrics] == totals[metrics][key], (operation, found, totals)
    written = ask_prometheus('care_decisions_total{outcome="written"}')
    for _, metrics in servers:
        assert written[metrics] == totals[metrics][("POST", "patient", 201)], (written, totals)
    scrapes = ask_prometheus("count_over_time(up[1m])")
    # The alerts of docs/operations.md are queries that Prometheus understands, and none of them is on.
    with open("docs/operations.md", encoding="utf-8") as document:
        rules = document.read().split("```yaml alerts\n")[1].split("```")[0]
    with open(f"{DIRECTORY}/alerts.yml", "w", encoding="utf-8") as file:
        file.write(rules)
    subprocess.run(["promtool", "check", "rules", f"{DIRECTORY}/alerts.yml"], check=True, stdout=subprocess.DEVNULL)
    alerts = [line.split("expr: ")[1].strip() for line in rules.splitlines() if "expr: " in line]
    assert len(alerts) == 3, alerts
    for alert in alerts:
        assert not ask_prometheus(alert), (alert, ask_prometheus(alert))
    sums = [sum(total.values()) for total in totals.values()]
    print(f"{sums} requests, {scrapes} scrapes: Prometheus counted the same")
finally:
    prometheus.terminate()
    prometheus.wait(20)
