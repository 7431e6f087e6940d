"""Finds circles between the files of a crate: files that name items of each other, directly or through others.

Takes the crate's source folder. A re-export leads to the file that defines the item, a `mod` line is no use, and tests
are left out. Prints each circle with the names that close it.
"""

import re
import sys
from pathlib import Path

NAME = r"[A-Za-z_][A-Za-z0-9_]*"
PUB = r"(?:pub(?:\([^)]*\))?\s+)?"
ITEM = re.compile(rf"^\s*{PUB}(?:(?:async|const|unsafe)\s+)*(?:fn|struct|enum|union|trait|type|const|static|mod|macro_rules!)\s+({NAME})", re.M)
CHILD = re.compile(rf"^\s*{PUB}mod\s+({NAME})\s*;", re.M)
USE = re.compile(r"^\s*(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", re.M)
PATH = re.compile(rf"(?<![A-Za-z0-9_:$])({NAME}(?:::{NAME})+)")
MACRO_PATH = re.compile(rf"\$(crate(?:::{NAME})+)")
# A comment, a raw string, a string, or a character, in this order. A lifetime is none of them.
OPAQUE = re.compile(r"""//[^\n]*|/\*.*?\*/|\bb?r(#*)".*?"\1|"(?:\\.|[^"\\])*"|'(?:\\[^']+|[^'\\])'""", re.S)
TEST = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*")


def code(text):
    """Returns the text without comments, literals and tests."""
    # A visibility such as `pub(in crate::store)` is no use of what it names.
    text = re.sub(r"pub\(in [^)]*\)", "pub(crate)", OPAQUE.sub("", text))
    while test := TEST.search(text):
        depth = 0
        for end, char in enumerate(text[test.end() :], test.end() + 1):
            depth += (char == "{") - (char == "}")
            if depth == 0 and char in "};":
                break
        text = text[: test.start()] + text[end:]
    return text


def leaves(tree, prefix=()):
    """Yields each path of a `use` tree with the name that it is imported under."""
    head, brace, rest = tree.partition("{")
    if not brace:
        path, _, alias = tree.strip().partition(" as ")
        path = prefix + tuple(part.strip() for part in path.split("::") if part.strip())
        path = path[:-1] if path[-1] == "self" else path
        yield path, alias.strip() or path[-1]
        return
    prefix += tuple(part.strip() for part in head.split("::") if part.strip())
    depth, start, inner = 0, 0, rest.rstrip()[:-1] + ","
    for place, char in enumerate(inner):
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            if inner[start:place].strip():
                yield from leaves(inner[start:place], prefix)
            start = place + 1


class Crate:
    """The files of a crate. Each is named by its module's path, which is empty for the root."""

    def __init__(self, folder):
        self.text = {}
        self.load((), folder / "lib.rs" if (folder / "lib.rs").exists() else folder / "main.rs")
        self.items = {file: set(ITEM.findall(text)) for file, text in self.text.items()}
        self.imports = {
            file: [(path, alias, bool(public)) for public, tree in USE.findall(text) for path, alias in leaves(tree)]
            for file, text in self.text.items()
        }

    def load(self, module, path):
        self.text[module] = code(path.read_text())
        folder = path.parent if path.name in ("mod.rs", "lib.rs", "main.rs") else path.with_suffix("")
        for name in CHILD.findall(self.text[module]):
            for child in (folder / f"{name}.rs", folder / name / "mod.rs"):
                if child.exists():
                    self.load((*module, name), child)

    def definition(self, file, path, seen=frozenset()):
        """Returns the file that defines what this path means in a file, or `None` for another crate's item."""
        first, rest = path[0], path[1:]
        if first in ("crate", "self", "super"):
            at = () if first == "crate" else file
            at = at[:-1] if first == "super" else at
            while rest and rest[0] == "super":
                at, rest = at[:-1], rest[1:]
        elif (*file, first) in self.text:
            at, rest = file, path
        else:
            return self.imported(file, path, seen)
        while rest and (*at, rest[0]) in self.text:
            at, rest = (*at, rest[0]), rest[1:]
        if not rest or rest[0] == "*" or rest[0] in self.items[at]:
            return at
        return self.imported(at, rest, seen) or at

    def imported(self, file, path, seen):
        """Returns the file that defines an item that a file imports by this name."""
        if (file, path[0]) in seen:
            return None
        seen |= {(file, path[0])}
        for target, alias, _ in self.imports[file]:
            if alias == path[0]:
                return self.definition(file, target + path[1:], seen)
        for has in (self.defines, self.makes):
            if found := self.globbed(file, path[0], has, seen):
                return found
        return None

    def globbed(self, file, name, has, seen):
        """Returns the file that has a name which a file imports with all others of a module."""
        for target, alias, _ in self.imports[file]:
            if alias == "*" and (found := self.definition(file, target, seen)) and found != file:
                if has(found, name):
                    return found
                if deeper := self.globbed(found, name, has, seen):
                    return deeper
        return None

    def defines(self, file, name):
        return name in self.items[file]

    def makes(self, file, name):
        """Returns whether a macro makes the item in the file: it is named there, and comes from nowhere else."""
        is_imported = any(alias == name for _, alias, _ in self.imports[file])
        return not is_imported and re.search(rf"\b{name}\b", self.text[file]) is not None

    def uses(self):
        """Returns for each file the files that it uses, each with the names that it uses of it."""
        uses = {file: {} for file in self.text}
        for file, text in self.text.items():
            body = USE.sub("", text)
            # A re-export is a use only where the file itself goes on to use the name.
            paths = [path for path, alias, public in self.imports[file] if not public or alias != "*" and re.search(rf"\b{alias}\b", body)]
            paths += [tuple(path.split("::")) for path in PATH.findall(body) + MACRO_PATH.findall(body)]
            for path in paths:
                target = self.definition(file, path)
                if target not in (None, file):
                    uses[file].setdefault(target, set()).add(path[-1])
        return uses


def reach(uses, file):
    """Returns the files that a file uses, directly or through others."""
    reached, waiting = set(), [file]
    while waiting:
        new = set(uses[waiting.pop()]) - reached
        reached |= new
        waiting += new
    return reached


def main():
    folder = Path(sys.argv[1])
    uses = Crate(folder).uses()
    reached = {file: reach(uses, file) for file in uses}
    found = False
    for file in sorted(uses):
        for other, names in sorted(uses[file].items()):
            if file in reached[other]:
                found = True
                files = ["::".join(part) or "the root" for part in (file, other)]
                print(f"{folder}: {files[0]} uses {files[1]} ({', '.join(sorted(names))}) in a circle", file=sys.stderr)
    sys.exit(found)


if __name__ == "__main__":
    main()
