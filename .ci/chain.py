#!/usr/bin/env python3
"""Checks the chain of an exported journal, and shares no code with the project: see docs/operations.md.

Usage: chain.py EXPORT...   Prints the head of each, SEQ:LINK. The exit code is 0 only if every chain is whole, and every
value is the one committed to or in the list of an erasure.
"""

import hashlib
import json
import sys

decode = json.JSONDecoder().raw_decode


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


def field(data):
    data = data if isinstance(data, bytes) else data.encode()
    return len(data).to_bytes(4, "big") + data


def check(lines):
    link, seq, stands, left = bytes(32), 0, {}, {}
    for line in lines:
        entry = dict(parts(line.rstrip("\n")))
        said = link + b"".join(field(str(json.loads(entry[name]))) for name in ("seq", "at", "actor", "operation"))
        seq += 1
        assert json.loads(entry["seq"]) == seq, f"entry {seq} is missing"
        changes = [dict(parts(change)) for _, change in parts(entry["changes"])]
        reads = [dict(parts(read)) | {"change": '"read"'} for _, read in parts(entry.get("reads", "[]"))]
        for place, change in enumerate(changes + reads):
            commitment = b""
            if "value" in change:
                salt = bytes.fromhex(json.loads(change["salt"]))
                commitment = hashlib.sha256(salt + change["value"].encode()).digest()
            if "commitment" in change:
                stands[seq, place] = commitment.hex()
                commitment = bytes.fromhex(json.loads(change["commitment"]))
            said += b"".join(field(json.loads(change[name])) for name in ("change", "record", "id"))
            said += field(change.get("replaced", "")) + field(commitment)
        if "erased" in entry:
            said += field(entry["erased"])
            left.update({(number, place): kept for number, place, kept in json.loads(entry["erased"])})
        link = hashlib.sha256(said).digest()
        assert json.loads(entry["link"]) == link.hex(), f"entry {seq} does not follow the one before it"
    for place, commitment in stands.items():
        assert left.get(place) == commitment, f"entry {place[0]}: the value of change {place[1]} was changed"
    return f"{seq}:{link.hex()}"


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8", newline="\n") as export:
            print(check(export))
