"""Counts the instructions of the servers' processes for one request, and compares them with those in a file."""

import csv
import json
import os
import re
import shutil
import socket
import subprocess
import sys

PROGRAMS, DIRECTORY, EXPECTED = sys.argv[1:4]
# Counts of the same program vary by less than 1 %; those of payments by more, since the log is copied in between.
TOLERANCE, OF_PAYMENTS = 0.03, 0.10
PATIENTS, PATIENT = 20_000, 12_345
WARM_UP, REQUESTS = 500, 100
# The work that is counted, with its rounds: a read and a write of a patient, a read of the same patient in FHIR, a read of
# the prescription of a medicine whose stock is tracked, and a payment for that medicine, of an invoice that is made before
# the round.
ROUNDS = {"GET": 16, "PUT": 16, "GET-fhir": 8, "GET-tracked": 8, "payment": 6}
MEDICINE = "Ibuprofen"
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

    def ask(self, work):
        """Sends a request of this work, and waits for its answer."""
        self.sent += 1
        if work == "GET":
            self.send("GET", f"patient/{PATIENT}")
        elif work == "PUT":
            # Each write changes the record.
            self.send("PUT", "patient", patient(PATIENT, 50 + self.sent % 50))
        elif work == "GET-fhir":
            self.send("GET", f"fhir/Patient/{PATIENT}")
        elif work == "GET-tracked":
            self.send("GET", self.prescription)
        else:
            self.send("POST", f"{self.invoices.pop()}/payment", "")

    def track(self):
        """Makes a medicine whose stock is tracked, in four lots, and a prescription of it."""
        self.send("POST", f"inventory/{MEDICINE}", {})
        opening = [{"lot": f"L{year}", "expires": f"31/12/{year}", "units": 10_000} for year in range(2990, 2994)]
        self.send("POST", f"inventory/{MEDICINE}/stock", {"unit": "tablets", "opening": opening})
        self.prescription = self.prescribe(PATIENT)

    def prescribe(self, number):
        return self.location("prescriptions", {"patientId": number, "medicine": MEDICINE})

    def invoice(self, first):
        """Issues the invoices of one round, each for another patient."""
        prescriptions = [self.prescribe(number) for number in range(first, first + REQUESTS)]
        self.invoices = [self.location(f"{prescription}/invoice", "") for prescription in prescriptions]

    def location(self, path, body):
        """Makes a record, and returns its place."""
        self.send("POST", path, body)
        return re.search(r"^location: \S*/1\.0\.0/(\S+)\r$", self.head, re.M | re.I)[1]

    def send(self, method, path, body=None):
        head = f"{method} /1.0.0/{path} HTTP/1.1\r\nhost: 127.0.0.1\r\napi_key: {self.key}\r\n"
        head, text = f"{head}accept: application/json\r\n", ""
        if body is not None:
            text = json.dumps(body, separators=(",", ":")) if body != "" else ""
            head += f"content-type: application/json\r\ncontent-length: {len(text)}\r\n"
        self.socket.sendall(f"{head}\r\n{text}".encode())
        answer = b""
        pattern = rb"HTTP/1.1 20[01] .*?content-length: (\d+)\r\n.*?\r\n\r\n"
        while not (found := re.match(pattern, answer, re.S | re.I)):
            received = self.socket.recv(65536)
            if not received or b"\r\n\r\n" in answer:
                raise SystemExit(f"{method} {path} was answered {answer!r}")
            answer += received
        while len(answer) < found.end() + int(found[1]):
            answer += self.socket.recv(65536)
        self.head = answer[: found.end()].decode()


def count(server, key):
    """Returns the instructions for one request of each work."""
    shutil.copy(f"{DIRECTORY}/care.db", f"{DIRECTORY}/{server}.db")
    dumps = f"{DIRECTORY}/{server}.callgrind"
    valgrind = ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={dumps}", "--instr-atstart=no"]
    command = [f"{PROGRAMS}/{server}", "--database", f"{DIRECTORY}/{server}.db", "--bind", "127.0.0.1:0", "--fhir"]
    process = subprocess.Popen(
        [*valgrind, *command], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )

    def control(option):
        command = ["callgrind_control", option, str(process.pid)]
        subprocess.run(command, check=True, capture_output=True, timeout=60)

    counts, dumped = {}, 0
    try:
        client = Client(port(process), key)
        for work, most in ROUNDS.items():
            if work == "GET-tracked":
                client.track()
            control("--instr=on")
            for _ in range(WARM_UP if work != "payment" else 0):
                client.ask(work)
            rounds = []
            for place in range(most):
                if work == "payment":
                    control("--instr=off")
                    client.invoice(1 + place * REQUESTS)
                    control("--instr=on")
                control("--zero")
                for _ in range(REQUESTS):
                    client.ask(work)
                control("--dump")
                dumped += 1
                with open(f"{dumps}.{dumped}", encoding="utf-8") as dump:
                    total = re.search(r"^(?:summary|totals): (\d+)", dump.read(), re.M)
                rounds.append(int(total[1]) / REQUESTS)
            control("--instr=off")
            print(f"{server} {work}: {', '.join(f'{count:.0f}' for count in rounds)}", flush=True)
            # A round may hold work that is due once in thousands of requests, such as copying the log.
            counts[work] = round(min(rounds))
    finally:
        stop(process)
    return counts


def compare(counted):
    """Returns a sentence for each count that differs from the file's."""
    with open(EXPECTED, encoding="utf-8") as file:
        rows = [line.split() for line in file if not line.startswith("#")]
    expected = {(server, work): int(number) for server, work, number in rows}
    if expected.keys() != counted.keys():
        return [f"{EXPECTED} has other rows than these were counted"]
    wrong = []
    for row, number in counted.items():
        share = number / expected[row] - 1
        if abs(share) > (OF_PAYMENTS if row[1] == "payment" else TOLERANCE):
            change = "more" if share > 0 else "fewer"
            wrong.append(f"{' '.join(row)}: {number} instructions are {abs(share):.1%} {change} than {expected[row]}")
    return wrong


key = database()
counted = {(server, work): number for server in SERVERS for work, number in count(server, key).items()}
table = "".join(f"{server} {work} {number}\n" for (server, work), number in counted.items())
print(table, end="")
if "--update" in sys.argv[4:]:
    with open(EXPECTED, "w", encoding="utf-8") as file:
        file.write("# Instructions of a server's process for one request: `.ci/instructions` counts them.\n" + table)
elif wrong := compare(counted):
    sys.exit("\n".join([*wrong, "`.ci/instructions --update` takes them over, in a commit that says why"]))
