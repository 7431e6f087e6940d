"""Runs a server with the demo clinic and generated patients over FHIR, collects what it answers, and has all of it judged:
by validators, by a recount of searches, also beside writers, and by clients. Each planted fault must be seen by a
validator."""

import json
import pathlib
import random
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request

PROGRAMS, TOOLS, DIRECTORY = map(pathlib.Path, sys.argv[1:])
HERE = pathlib.Path(__file__).parent
KEY = "strangers"
# What is about one patient has no list of its own.
LISTED = ["Patient", "Encounter", "MedicationRequest", "Medication", "Invoice"]
OF_A_PATIENT = ["AllergyIntolerance", "Observation", "Condition", "MedicationDispense"]
GENERATED = 2000
VERSIONED = {"Patient", "Encounter", "MedicationRequest", "Medication", "Invoice"}


def ask(url, accept="application/fhir+json"):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {KEY}", "Accept": accept})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.read().decode()


def pages(url):
    while url:
        bundle = json.loads(ask(url))
        assert bundle["resourceType"] == "Bundle", bundle
        yield bundle
        url = next((link["url"] for link in bundle["link"] if link["relation"] == "next"), None)


def send(method, url, body):
    headers = {"api_key": KEY, "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def fill(care):
    """Adds people and a visit whose texts have what a text may have."""
    hostile = "\u05e9\u05dc\u05d5\u05dd \u202eab\u200f \U0001f48a\U00010348 e\u0301 \"\\<&>'\u00a0\u2028\u3000x"
    people = [{"name": hostile, "address": f"1\n{hostile}\t2", "gender": "mujer", "location": hostile, "weight": 0.1}]
    people += [{"gender": word} for word in ["MALE", "other", "unknown", " "]]
    for person in people:
        number = send("POST", f"{care}/patient", person)["patientId"]
        prescription = {"medicine": f"{hostile} {number}", "dosage": hostile, "isRegular": True, "price": 2**53 - 1}
        visit = {"patientId": number, "diseases": [hostile, "Fever"], "prescriptions": [prescription]}
        send("POST", f"{care}/consultations", visit)


# One character of each kind that a text may hold: Latin, Hebrew, Arabic, Greek, Han, astral, combining, marks of direction,
# markup, and spaces of several kinds.
ALPHABET = "aZ09 -'\"\\<&>/|,;\u05d0\u0639\u03bb\u85ac\u00e9\u0301\U0001f48a\U00010348\u202e\u200f\u200b\u00a0\u2028\u3000"


def generate(care):
    """Adds patients whose texts are drawn from the alphabet; every other one has had a visit. The same in every run."""
    draw = random.Random(20261125)
    text = lambda most: "x" + "".join(draw.choices(ALPHABET, k=draw.randrange(most))) + "x"
    for place in range(GENERATED):
        person = {"name": text(20), "address": f"{text(12)}\n{text(12)}", "gender": text(3), "location": text(8),
                  "age": draw.randrange(120), "weight": draw.randrange(1, 2000) / 10, "phone": draw.randrange(1, 10**9)}
        # Each field may be absent.
        person = {name: value for name, value in person.items() if draw.random() < 0.8}
        number = send("POST", f"{care}/patient", person)["patientId"]
        if place % 2:
            prescription = {"medicine": text(20), "dosage": text(12), "isRegular": draw.random() < 0.5, "price": place}
            visit = {"patientId": number, "diseases": [text(20) for _ in range(place % 3)], "prescriptions": [prescription]}
            send("POST", f"{care}/consultations", visit)


def search_beside_writers(care, base):
    """While others write, a search shows no id twice, and each that was there throughout."""
    is_over, written = threading.Event(), []

    def write():
        while not is_over.is_set():
            number = send("POST", f"{care}/patient", {"name": "Beside"})["patientId"]
            visit = {"patientId": number, "diseases": ["Fever"], "prescriptions": [{"medicine": "Beside", "price": 1}]}
            send("POST", f"{care}/consultations", visit)
            send("PUT", f"{care}/patient", {"patientId": 1 + number % GENERATED, "age": number % 100})
            written.append(number)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for name in LISTED:
            ids = lambda count: [entry["resource"]["id"] for bundle in pages(f"{base}/{name}?_count={count}")
                                 for entry in bundle.get("entry", [])]
            before, found = ids(500), ids(30)
            assert len(found) == len(set(found)), name
            assert set(before) <= set(found), name
    finally:
        is_over.set()
        writer.join(timeout=30)
    assert len(written) > 20, written


def collect(base):
    """Returns every resource, and some answers of every other kind."""
    resources, others = [], [json.loads(ask(f"{base}/metadata")), json.loads(ask(f"{base}/Patient/0"))]
    for name in LISTED:
        for bundle in pages(f"{base}/{name}?_count=50"):
            others.append(bundle)
            resources += [entry["resource"] for entry in bundle.get("entry", [])]
    patients = [resource["id"] for resource in resources if resource["resourceType"] == "Patient"]
    for number in patients:
        for name in OF_A_PATIENT:
            for bundle in pages(f"{base}/{name}?patient={number}"):
                resources += [entry["resource"] for entry in bundle.get("entry", [])]
    everything = [bundle for number in patients for bundle in pages(f"{base}/Patient/{number}/$everything?_count=20")]
    assert len(patients) > GENERATED
    about = [entry["resource"] for bundle in everything for entry in bundle["entry"]]
    # The invoices of voided patients stay.
    subjects = {f"Patient/{number}" for number in patients}
    subject = lambda resource: resource.get("subject") or resource.get("patient") or {}
    is_about = lambda resource: resource["resourceType"] == "Patient" or subject(resource).get("reference") in subjects
    by_name = lambda resource: (resource["resourceType"], resource["id"])
    assert sorted(map(by_name, about)) == sorted(map(by_name, filter(is_about, resources)))
    one_each = {resource["resourceType"]: resource for resource in resources}
    assert set(one_each) == set(LISTED + OF_A_PATIENT)
    histories = [f"{base}/{name}/{resource['id']}/_history" for name, resource in one_each.items() if name in VERSIONED]
    others += [bundle for url in histories for bundle in pages(f"{url}?_count=3")] + everything[:5]
    paths = [f"{base}/{name}/{resource['id']}" for name, resource in one_each.items()] + histories
    paths += [f"{base}/Patient/{patients[-5]}/$everything", f"{base}/metadata", f"{base}/Patient?_sort=x"]
    # The request's own id is the only thing that differs.
    both = [{"json": json.loads(ask(url)), "xml": ask(url, "application/fhir+xml")} for url in paths[:-1]]
    return {"resources": resources, "others": others, "both": both}


def run(name, *arguments):
    program = TOOLS / "venv/bin/python" if name.endswith(".py") else "node"
    subprocess.run([program, DIRECTORY / name, *map(str, arguments)], check=True, timeout=240)


with open(DIRECTORY / "log", "w", encoding="utf-8") as log:
    server = subprocess.Popen(
        [PROGRAMS / "care-server", "--demo", "--highest-price", str(2**53 - 1), "--fhir",
         "--facility-uri", "https://clinic.example", "--in-memory",
         "--bind", "127.0.0.1:0", "--api-key", KEY],
        stdout=subprocess.PIPE, stderr=log, text=True,
    )
    try:
        care = next(line for line in server.stdout if line.startswith("listening on ")).removeprefix("listening on ").strip()
        generate(care)
        fill(care)
        base = f"{care}/fhir"
        collected = collect(base)
        (DIRECTORY / "collected.json").write_text(json.dumps(collected), encoding="utf-8")
        for name in ["validate.py", "validate.js"]:
            run(name, DIRECTORY / "collected.json", HERE / "faults.json", DIRECTORY / f"{name}.seen")
        run("recount.js", DIRECTORY / "collected.json", base, KEY)
        search_beside_writers(care, base)
        for name in ["clients.py", "clients.js"]:
            run(name, base, KEY)
    finally:
        server.terminate()
        server.wait(timeout=30)

faults = json.loads((HERE / "faults.json").read_text(encoding="utf-8"))
seen = {}
for file in DIRECTORY.glob("*.seen"):
    seen |= json.loads(file.read_text(encoding="utf-8"))
for validator, places in seen.items():
    print(f"{validator} sees {len(places)} of {len(faults)} faults")
missed = [fault for place, fault in enumerate(faults) if not any(place in places for places in seen.values())]
assert not missed, f"no validator sees {missed}"
print(f"{len(collected['resources'])} resources, {len(collected['others'])} other answers")
