"""Counts the instructions of the servers' processes for one request, and compares them with those in a file.

A busy machine must count the same as an idle one, so nothing that depends on time may count. Requests go one after another
over one connection to one process that is warm. Before each there is a pause, after which keys are looked up anew and no read
holds a snapshot: without it some requests would do that and others not. A count begins right before a request and ends once
all threads have come to rest. Threads that work by the clock are left out. Timers that end meanwhile, and work that is due
once in many requests, such as copying the log, only ever add to a count, so a low one of many counts stands for all.
"""

import csv
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time

PROGRAMS, DIRECTORY, EXPECTED = sys.argv[1:4]
TOLERANCE = 0.03
PATIENTS, PATIENT = 20_000, 12_345
# Requests before the first count, the counts of each work, and the place of the one that stands for all: a few lower ones
# may have met a thread before it came to rest.
WARM_UP, COUNTS, PLACE = 100, 31, 3
# The pause before each request: keys are looked up again after a quarter of a second, and snapshots are let go before.
PAUSE = 0.3
# The work that is counted: a read and a write of a patient, a read of the same patient in FHIR, a read of the prescription
# of a medicine whose stock is tracked, and a payment for that medicine, of an invoice that is made before the count.
WORKS = ("GET", "PUT", "GET-fhir", "GET-tracked", "payment")
MEDICINE = "Ibuprofen"
SERVERS = ("care-server", "care-server-rocket")
# The threads that work by the clock: the upkeep of the file, timers, and the log.
BY_THE_CLOCK = {"care-upkeep", "futures-timer", "tracing-appende"}
# One thread serves all connections and the log is silent, so that counts do not depend on the machine's processors.
ENVIRONMENT = {**os.environ, "TOKIO_WORKER_THREADS": "1", "ROCKET_WORKERS": "1", "RUST_LOG": "error"}


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
        self.key, self.sent, self.invoiced = key, 0, 0

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
            self.send("POST", f"{self.unpaid}/payment", "")

    def track(self):
        """Makes a medicine whose stock is tracked, in four lots, and a prescription of it."""
        self.send("POST", f"inventory/{MEDICINE}", {})
        opening = [{"lot": f"L{year}", "expires": f"31/12/{year}", "units": 10_000} for year in range(2990, 2994)]
        self.send("POST", f"inventory/{MEDICINE}/stock", {"unit": "tablets", "opening": opening})
        self.prescription = self.prescribe(PATIENT)

    def prescribe(self, number):
        return self.location("prescriptions", {"patientId": number, "medicine": MEDICINE})

    def invoice(self):
        """Issues an invoice, each time for another patient."""
        self.invoiced += 1
        self.unpaid = self.location(f"{self.prescribe(self.invoiced)}/invoice", "")

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


class Counter:
    """The instructions of a process under callgrind."""

    def __init__(self, process):
        self.process = process.pid
        self.tell("instrumentation", "on")
        threads = re.findall(r"^Thread (\d+): status = .*\(lwpid (\d+)\)", self.tell("v.info", "scheduler"), re.M)
        names = {number: self.of_thread(place, "comm").strip() for number, place in threads if place != "0"}
        self.counted = {number for number, name in names.items() if name not in BY_THE_CLOCK}

    def tell(self, *command):
        command = ["vgdb", f"--pid={self.process}", *command]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout

    def of_thread(self, thread, file):
        with open(f"/proc/{self.process}/task/{thread}/{file}", encoding="utf-8") as text:
            return text.read()

    def total(self):
        """Returns the instructions up to now."""
        threads = re.findall(r"^events-(\d+): (\d+)$", self.tell("status", "internal"), re.M)
        return sum(int(events) for number, events in threads if number in self.counted)

    def rest(self):
        """Waits until no thread runs: what follows an answer belongs to its request."""
        looks = 0
        while looks < 3:
            threads = os.listdir(f"/proc/{self.process}/task")
            try:
                states = [self.of_thread(thread, "stat").rpartition(")")[2].split()[0] for thread in threads]
            except (FileNotFoundError, ProcessLookupError):
                # A thread has ended meanwhile.
                states = ["X"]
            looks = looks + 1 if all(state == "S" for state in states) else 0

    def count(self, client, work):
        """Returns the instructions for one request of this work."""
        if work == "payment":
            client.invoice()
        self.rest()
        time.sleep(PAUSE)
        before = self.total()
        client.ask(work)
        self.rest()
        return self.total() - before


def count(server, key):
    """Returns the instructions for one request of each work."""
    shutil.copy(f"{DIRECTORY}/care.db", f"{DIRECTORY}/{server}.db")
    valgrind = ["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={DIRECTORY}/{server}.callgrind"]
    valgrind += ["--instr-atstart=no", "--separate-threads=yes", "--fair-sched=yes"]
    command = [f"{PROGRAMS}/{server}", "--database", f"{DIRECTORY}/{server}.db", "--bind", "127.0.0.1:0", "--fhir"]
    process = subprocess.Popen(
        [*valgrind, *command], env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    counts = {}
    try:
        client = Client(port(process), key)
        client.track()
        counter = Counter(process)
        for work in WORKS:
            for _ in range(WARM_UP if work != "payment" else 0):
                client.ask(work)
            found = sorted(counter.count(client, work) for _ in range(COUNTS))
            print(f"{server} {work}: {found}", flush=True)
            counts[work] = found[PLACE]
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
        if abs(share) > TOLERANCE:
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
