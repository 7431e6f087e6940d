"""Counts the instructions of the servers' processes for one request, and compares them with those in a file."""

import csv
import os
import re
import shutil
import socket
import subprocess
import sys

PROGRAMS, DIRECTORY, EXPECTED = sys.argv[1:4]
# Counts of the same program vary by less than 1 %.
TOLERANCE = 0.03
PATIENTS, PATIENT = 20_000, 12_345
WARM_UP, ROUNDS, REQUESTS = 500, 16, 100
SERVERS = ("poem-server", "rocket-server")
# One thread serves all connections and the log is silent, so that counts do not depend on the machine's processors.
ENVIRONMENT = {**os.environ, "TOKIO_WORKER_THREADS": "1", "RUST_LOG": "error"}


def admin(*arguments):
    command = [f"{PROGRAMS}/care-admin", *arguments, "--database", f"{DIRECTORY}/care.db"]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


def patient(number, age):
    return {
        "patientId": number,
        "name": f"Patient {number}",
        "phone": 4930000000 + number,
        "email": f"patient{number}@example.com",
        "gender": "female",
        "age": age,
        "weight": 71.5,
        "address": f"{number % 200} Long Street, Springfield",
    }


def database():
    """Makes the database, and returns a key for it."""
    with open(f"{DIRECTORY}/patients.csv", "w", encoding="utf-8", newline="") as table:
        rows = csv.DictWriter(table, patient(1, 40))
        rows.writeheader()
        rows.writerows(patient(number, 20 + number % 60) for number in range(1, PATIENTS + 1))
    admin("import-patients", f"{DIRECTORY}/patients.csv", "--all-or-nothing")
    return admin("keys", "issue", "--name", "Counter", "--scope", "all").strip()


def port(process):
    for line in process.stdout:
        if found := re.match(r"listening on http://127\.0\.0\.1:(\d+)/", line):
            return int(found[1])
    raise SystemExit(process.stderr.read())


def stop(process):
    process.terminate()
    try:
        process.communicate(timeout=60)
    finally:
        process.kill()


class Client:
    """A connection that is kept, with requests whose bytes are fixed."""

    def __init__(self, address, key):
        self.socket = socket.create_connection(("127.0.0.1", address), timeout=60)
        self.key, self.sent = key, 0

    def ask(self, operation):
        self.sent += 1
        head = f"host: 127.0.0.1\r\napi_key: {self.key}\r\naccept: application/json\r\n"
        if operation == "GET":
            request = f"GET /1.0.0/patient/{PATIENT} HTTP/1.1\r\n{head}\r\n"
        else:
            # Each write changes the record.
            members = patient(PATIENT, 50 + self.sent % 50)
            body = "{" + ",".join(f'"{name}":{quoted(value)}' for name, value in members.items()) + "}"
            request = (
                f"PUT /1.0.0/patient HTTP/1.1\r\n{head}content-type: application/json\r\n"
                f"content-length: {len(body)}\r\n\r\n{body}"
            )
        self.socket.sendall(request.encode())
        answer = b""
        while not (found := re.match(rb"HTTP/1.1 200 .*?content-length: (\d+)\r\n.*?\r\n\r\n", answer, re.S | re.I)):
            received = self.socket.recv(65536)
            if not received or b"\r\n\r\n" in answer:
                raise SystemExit(f"{operation} was answered {answer!r}")
            answer += received
        while len(answer) < found.end() + int(found[1]):
            answer += self.socket.recv(65536)


def quoted(value):
    return f'"{value}"' if isinstance(value, str) else str(value)


def count(server, key):
    """Returns the instructions for one request of each operation."""
    shutil.copy(f"{DIRECTORY}/care.db", f"{DIRECTORY}/{server}.db")
    dumps = f"{DIRECTORY}/{server}.callgrind"
    valgrind = ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={dumps}", "--instr-atstart=no"]
    command = [f"{PROGRAMS}/{server}", "--database", f"{DIRECTORY}/{server}.db", "--bind", "127.0.0.1:0"]
    process = subprocess.Popen(
        [*valgrind, *command], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )

    def control(option):
        command = ["callgrind_control", option, str(process.pid)]
        subprocess.run(command, check=True, capture_output=True, timeout=60)

    counts, dumped = {}, 0
    try:
        client = Client(port(process), key)
        control("--instr=on")
        for operation in ("GET", "PUT"):
            for _ in range(WARM_UP):
                client.ask(operation)
            rounds = []
            for _ in range(ROUNDS):
                control("--zero")
                for _ in range(REQUESTS):
                    client.ask(operation)
                control("--dump")
                dumped += 1
                with open(f"{dumps}.{dumped}", encoding="utf-8") as dump:
                    total = re.search(r"^(?:summary|totals): (\d+)", dump.read(), re.M)
                rounds.append(int(total[1]) / REQUESTS)
            print(f"{server} {operation}: {', '.join(f'{count:.0f}' for count in rounds)}", flush=True)
            # A round may hold work that is due once in thousands of requests, such as copying the log.
            counts[operation] = round(min(rounds))
    finally:
        stop(process)
    return counts


def compare(counted):
    """Returns a sentence for each count that differs from the file's."""
    with open(EXPECTED, encoding="utf-8") as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    expected = {(server, operation): int(number) for server, operation, number in rows}
    if expected.keys() != counted.keys():
        return [f"{EXPECTED} has other rows than these were counted"]
    wrong = []
    for row, number in counted.items():
        share = number / expected[row] - 1
        if abs(share) > TOLERANCE:
            change = "more" if share > 0 else "fewer"
            wrong.append(f"{' '.join(row)}: {number} instructions are {abs(share):.1%} {change} than {expected[row]}")
    return wrong


key = database()
counted = {(server, operation): number for server in SERVERS for operation, number in count(server, key).items()}
table = "".join(f"{server} {operation} {number}\n" for (server, operation), number in counted.items())
print(table, end="")
if "--update" in sys.argv[4:]:
    with open(EXPECTED, "w", encoding="utf-8") as file:
        file.write("# Instructions of a server's process for one request: `.ci/instructions` counts them.\n" + table)
elif wrong := compare(counted):
    sys.exit("\n".join([*wrong, "`.ci/instructions --update` takes them over, in a commit that says why"]))
