"""Lists the public items of crates from their documentation, and compares the lists with those in a folder.

items.py DOC FOLDER CRATE... [--update]. Rustdoc's pages are read, since its JSON needs a nightly toolchain. A line is the
kind of an item and its path, with a line for each field, variant, function and constant of its own; implementations of
traits are left out. CONTRIBUTING.md must name each public enum, and it must be as exhaustive as is promised there.
"""

import difflib
import pathlib
import re
import sys

DOC, FOLDER = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
CRATES = [argument for argument in sys.argv[3:] if not argument.startswith("--")]
MEMBERS = {
    "structfield": "field",
    "variant": "variant",
    "method": "fn",
    "tymethod": "fn",
    "associatedconstant": "const",
    "associatedtype": "type",
}
# What an implementation of a trait brings has the class `trait-impl`.
MEMBER = re.compile(r'<(?:section|span) id="(\w+)\.([\w.]+)" class="(?:method|variant|associatedconstant|associatedtype|structfield section-header)"')


def items(crate):
    """Returns the lines of a crate."""
    root = DOC / crate
    links = re.findall(r'<li><a href="([^"]+)">', (root / "all.html").read_text(encoding="utf-8"))
    lines = set()
    for link in links:
        page = root / link
        kind, name, _ = page.name.split(".")
        path = "::".join([crate, *page.relative_to(root).parts[:-1], name])
        text = page.read_text(encoding="utf-8")
        if "__arg" in text:
            sys.exit(f"{path}: a parameter of an async function is a pattern, which its documentation calls __arg")
        if f"This {kind} is marked as non-exhaustive" in text:
            kind = f"non-exhaustive {kind}"
        lines.add(f"{kind} {path}")
        for member, own in MEMBER.findall(text):
            if member in MEMBERS:
                lines.add(f"{MEMBERS[member]} {path}::{own.replace('.field.', '::')}")
    return sorted(lines, key=lambda line: line.split(" ")[::-1])


def broken_promises(lines):
    """Returns where the enums and those that CONTRIBUTING.md names differ."""
    promises = pathlib.Path("CONTRIBUTING.md").read_text(encoding="utf-8")
    promises = promises[promises.index("- **Enums.**") : promises.index("- **Structs of records**")]
    exhaustive, open_ended = promises.split("All others are", 1)
    enums = [line for line in lines if re.match("(non-exhaustive )?enum ", line)]
    kinds = {line.rpartition("::")[2]: line.rpartition(" ")[0] for line in enums}
    for text, kind in ((exhaustive, "enum"), (open_ended, "non-exhaustive enum")):
        for name in re.findall(r"`([A-Z]\w+)`", text):
            if kinds.pop(name, None) != kind:
                yield f"CONTRIBUTING.md promises that {name} is an {kind}".replace("an non", "a non")
    yield from (f"CONTRIBUTING.md does not say why {name} is an {kind}" for name, kind in kinds.items())


def main():
    differ = False
    everything = []
    for crate in CRATES:
        found = items(crate.replace("-", "_"))
        if not found:
            sys.exit(f"{crate} has no public item")
        everything += found
        kept = FOLDER / f"{crate}.txt"
        if "--update" in sys.argv:
            kept.write_text("".join(line + "\n" for line in found), encoding="utf-8")
            continue
        known = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
        for line in difflib.unified_diff(known, found, str(kept), "found", n=0, lineterm=""):
            differ = True
            print(line, file=sys.stderr)
        print(f"{crate}: {len(found)} public items")
    for promise in broken_promises(everything):
        differ = True
        print(promise, file=sys.stderr)
    if differ:
        sys.exit("the public items differ from the lists: `.ci/public --update` takes them over")


main()
