#!/usr/bin/env python3
"""Checks the chain of an exported journal, and shares no code with the project: see docs/operations.md.

Usage: chain.py EXPORT...   Prints the head of each, SEQ:LINK. The exit code is 0 only if every chain is whole, and every
value is the one committed to, or is what the erasure of one person leaves and in the list of that erasure.
"""

import hashlib
import json
import sys

decode = json.JSONDecoder().raw_decode
CHANGE = "change record id value replaced salt commitment"
GONE = {
    "Patient": "", "History": "dosage", "Diagnosis": "", "Prescription": "dosage", "Receipt": "note", "Movement": "note",
    "Invoice": "name age gender phone email dosage", "Reply": "actor key",
}


def parts(text):
    """Yields the members of an object, or the elements of an array with their numbers, each as it is written."""
    at, number = 1, 0
    while text[at] not in "]}":
        name = number
        if text[0] == "{":
            name, at = decode(text, at)
            at += 1
        end = decode(text, at)[1]
        yield name, text[at:end]
        at, number = end + (text[end] == ","), number + 1
    assert at == len(text) - 1, "something stands behind the end"


def members(text, names):
    """Returns the members of an object, which have these names, each once at most."""
    found = list(parts(text))
    assert len(dict(found)) == len(found) and set(dict(found)) <= set(names.split()), "a member is repeated or unknown"
    return dict(found)


def field(data):
    data = data if isinstance(data, bytes) else data.encode()
    return len(data).to_bytes(4, "big") + data


def person(changes):
    """Returns the person whom an erasure voids, which is one."""
    voided = [json.loads(change["value"])["patientId"] for change in changes
              if json.loads(change["record"]) == "Voided" and "value" in change]
    assert len(voided) == 1, "an erasure is not of one person"
    return voided[0]


def leaves(record, value, whose, invoices):
    """Returns whether the erasure of a person leaves this value: one of that person, and without what goes."""
    is_billed = record in ("Receipt", "Movement")
    of = invoices.get(value.get("invoiceId")) if is_billed else value.get("patientId")
    if record not in GONE or of != whose or any(name in value for name in GONE[record].split()):
        return False
    return not value.get("diseases") and not value.get("answer") and not value.get("fingerprint") and (
        value == {"patientId": whose} if record == "Patient" else (record, value.get("kind")) != ("Receipt", "payment"))


def check(lines):
    link, seq, stands, left, invoices = bytes(32), 0, {}, {}, {}
    for line in lines:
        entry = members(line.rstrip("\n"), "seq at actor operation changes reads erased link")
        said = link + b"".join(field(str(json.loads(entry[name]))) for name in ("seq", "at", "actor", "operation"))
        seq += 1
        assert json.loads(entry["seq"]) == seq, f"entry {seq} is missing"
        changes = [members(change, CHANGE) for _, change in parts(entry["changes"])]
        reads = [members(read, "record id") | {"change": '"read"'} for _, read in parts(entry.get("reads", "[]"))]
        committed = [change["value"] for change in changes if "value" in change and "commitment" not in change]
        for place, change in enumerate(changes + reads):
            record, value, commitment = json.loads(change["record"]), json.loads(change.get("value", "{}")), b""
            if "value" in change:
                salt = bytes.fromhex(json.loads(change["salt"]))
                commitment = hashlib.sha256(salt + change["value"].encode()).digest()
            if record == "Invoice" and value:
                invoices[value["invoiceId"]] = value["patientId"]
            if "commitment" in change:
                # An empty reply is one that its entry put before, and of the entry's time.
                is_proven = record != "Reply" or (
                    change["value"] in committed and value["at"] == json.loads(entry["at"]))
                stands[seq, place] = is_proven and (record, value, commitment.hex())
                commitment = bytes.fromhex(json.loads(change["commitment"]))
            said += b"".join(field(json.loads(change[name])) for name in ("change", "record", "id"))
            said += field(change.get("replaced", "")) + field(commitment)
        is_erasure = json.loads(entry["operation"]) == "erasePatient"
        assert ("erased" in entry) == is_erasure, f"entry {seq} lists erased values, or does not, against its operation"
        if is_erasure:
            said += field(entry["erased"])
            erased = json.loads(entry["erased"])
            assert all(number < seq for number, _, _ in erased), f"entry {seq} erases a value that comes later"
            left.update({(number, place): (person(changes), kept) for number, place, kept in erased})
        link = hashlib.sha256(said).digest()
        assert json.loads(entry["link"]) == link.hex(), f"entry {seq} does not follow the one before it"
    for place, there in stands.items():
        whose, kept = left.get(place, (None, None))
        is_left = there and kept == there[2] and leaves(there[0], there[1], whose, invoices)
        assert is_left, f"entry {place[0]}: the value of change {place[1]} was changed"
    return f"{seq}:{link.hex()}"


if __name__ == "__main__":
    if not __debug__:
        sys.exit("with -O, Python would check nothing")
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8", newline="\n") as export:
            print(check(export))
