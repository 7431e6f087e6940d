"""Prints what is inside the released programs as a CycloneDX document: the crates that are linked, as Cargo.lock has them,
and what is not of Rust's packages."""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib
import uuid

HOST, COMMIT = sys.argv[1:]
FEATURES = "postgres"


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout


def linked():
    """Returns the names and versions of the crates in the programs. Macros and build scripts are not in them."""
    edges = ("--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}")
    programs = ("--package", "care-server", "--features", FEATURES), ("--package", "care-relay")
    trees = [said("cargo", "tree", "--locked", *program, "--target", HOST, *edges) for program in programs]
    lines = [line.split() for tree in trees for line in tree.splitlines()]
    return {(name, version.lstrip("v")) for name, version, *_ in lines}


def sqlite(crate):
    """Returns the version of SQLite in the crate that holds it."""
    header = pathlib.Path(crate["manifest_path"]).parent / "sqlite3" / "sqlite3.h"
    return re.search(r'^#define SQLITE_VERSION +"([\d.]+)"', header.read_text(encoding="utf-8"), re.M)[1]


def component(name, version, purl, licence, checksum=None):
    entry = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    if checksum:
        entry["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    # Some crates keep the older spelling.
    return {**entry, "licenses": [{"expression": " OR ".join(map(str.strip, licence.split("/")))}]}


with open("Cargo.lock", "rb") as file:
    locked = {(entry["name"], entry["version"]): entry for entry in tomllib.load(file)["package"]}
metadata = json.loads(said("cargo", "metadata", "--locked", "--format-version", "1"))
packages = {(package["name"], package["version"]): package for package in metadata["packages"]}
components = [
    component(*key, f"pkg:cargo/{key[0]}@{key[1]}", packages[key]["license"], locked[key].get("checksum"))
    for key in sorted(linked())
]
holder = next(package for (name, _), package in packages.items() if name == "libsqlite3-sys")
rust = said("rustc", "--version").split()[1]
glibc = os.confstr("CS_GNU_LIBC_VERSION").split()[1]
for name, version, licence in (
    ("sqlite", sqlite(holder), "blessing"),
    ("rust-std", rust, "MIT OR Apache-2.0"),
    ("glibc", glibc, "LGPL-2.1-or-later"),
):
    components.append(component(name, version, f"pkg:generic/{name}@{version}", licence))
version = packages[next(key for key in packages if key[0] == "care-server")]["version"]
at = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
document = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.5",
    "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'care/{version}/{COMMIT}/{HOST}')}",
    "version": 1,
    "metadata": {
        "timestamp": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "component": {
            "type": "application",
            "bom-ref": "care",
            "name": "care",
            "version": version,
            "properties": [{"name": "care:commit", "value": COMMIT}, {"name": "care:target", "value": HOST}],
        },
    },
    "components": components,
    "dependencies": [{"ref": "care", "dependsOn": [entry["bom-ref"] for entry in components]}],
}
print(json.dumps(document, indent=1))
