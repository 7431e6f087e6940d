#!/usr/bin/env python3
"""Checks the chain of an exported journal, and shares no code with the project: see docs/operations.md.

Usage: chain.py EXPORT...   Prints the head of each, SEQ:LINK. The exit code is 0 only if every chain is whole, and every
value is the one committed to, or is what the last erasure that lists it has left of one person.
"""

import hashlib
import json
import sys

ENTRY = "seq at actor operation changes reads erased link"
CHANGE = "change record id value replaced salt commitment"
GONE = {
    "Patient": "name phone insurance age birthDate address gender weight email location lastvisit allergies",
    "History": "dosage diseases", "Diagnosis": "diseases", "Prescription": "dosage",
    "Invoice": "name age gender phone email dosage", "Movement": "note", "Receipt": "note",
    "Reply": "actor key fingerprint answer",
}


def once(members):
    assert len(dict(members)) == len(members), "a member is repeated or unknown"
    return dict(members)


decode = json.JSONDecoder(object_pairs_hook=once).raw_decode
compact = json.JSONEncoder(separators=(",", ":")).encode


def field(data):
    data = data if isinstance(data, bytes) else data.encode()
    return len(data).to_bytes(4, "big") + data


def values(line, changes):
    """Yields the value of each change as it is written, since that is what it was committed to."""
    at = line.index('"changes":[') + len('"changes":[')
    for change in changes:
        assert set(change) <= set(CHANGE.split()), "a member is repeated or unknown"
        begin, end = at, at
        if "value" in change:
            begin = line.index('"value":', at) + len('"value":')
            value, end = decode(line, begin)
            assert value == change["value"], "a value is written elsewhere"
        yield line[begin:end]
        at = decode(line, at)[1] + 1


def leaves(record, value, whose, invoices):
    """Returns whether the erasure of a person leaves this value: one of that person, and without what goes."""
    is_billed = record in ("Receipt", "Movement")
    of = invoices.get(value.get("invoiceId")) if is_billed else value.get("patientId")
    return record in GONE and of == whose and not any(value.get(name) for name in GONE[record].split())


def check(lines):
    link, seq, stands, left, invoices = bytes(32), 0, {}, {}, {}
    for line in lines:
        entry, seq = json.loads(line, object_pairs_hook=once), seq + 1
        assert set(entry) <= set(ENTRY.split()), "a member is repeated or unknown"
        assert entry["seq"] == seq, f"entry {seq} is missing"
        said = link + b"".join(field(str(entry[name])) for name in ("seq", "at", "actor", "operation"))
        changes, texts = entry["changes"], list(values(line, entry["changes"]))
        committed = [text for change, text in zip(changes, texts) if "commitment" not in change]
        for place, (change, text) in enumerate(zip(changes, texts)):
            record, value = change["record"], change.get("value", {})
            commitment = hashlib.sha256(bytes.fromhex(change["salt"]) + text.encode()).digest() if text else b""
            if record == "Invoice" and text:
                invoices[value["invoiceId"]] = value["patientId"]
            if "commitment" in change:
                # An empty reply is one that its entry put before, and of the entry's time.
                is_proven = record != "Reply" or text in committed and value["at"] == entry["at"]
                stands[seq, place] = (record, value, commitment.hex(), is_proven)
                commitment = bytes.fromhex(change["commitment"])
            said += b"".join(field(change[name]) for name in ("change", "record", "id"))
            said += field(compact(change["replaced"]) if "replaced" in change else "") + field(commitment)
        for read in entry.get("reads", []):
            assert set(read) == {"record", "id"}, "a member is repeated or unknown"
            said += b"".join(field(text) for text in ("read", read["record"], read["id"], "", ""))
        is_erasure = entry["operation"] == "erasePatient"
        assert ("erased" in entry) == is_erasure, f"entry {seq} lists erased values, or does not, against its operation"
        if is_erasure:
            said += field(compact(entry["erased"]))
            voided = [change["value"] for change in changes if change["record"] == "Voided" and "value" in change]
            assert len(voided) == 1, "an erasure is not of one person"
            assert all(number < seq for number, _, _ in entry["erased"]), f"entry {seq} erases a value that comes later"
            left.update({(number, place): (voided[0]["patientId"], kept) for number, place, kept in entry["erased"]})
        link = hashlib.sha256(said).digest()
        assert entry["link"] == link.hex(), f"entry {seq} does not follow the one before it"
    for place in sorted({*stands, *left}):
        record, value, stand, is_proven = stands.get(place, ("", {}, None, False))
        whose, kept = left.get(place, (None, stand))
        assert kept == stand, f"entry {place[0]}: the value of change {place[1]} is listed as erased, and stands again"
        is_left = place in left and is_proven and leaves(record, value, whose, invoices)
        assert is_left, f"entry {place[0]}: the value of change {place[1]} was changed"
    return f"{seq}:{link.hex()}"


if __name__ == "__main__":
    if not __debug__:
        sys.exit("with -O, Python would check nothing")
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8", newline="\n") as export:
            print(check(export))
