"""Writes the Rust programs of a document: programs.py DOCUMENT FOLDER ADDRESS.

The nth block becomes the program `readme-n`. It listens at the given address in place of the documented one.
"""

import pathlib
import re
import sys

document, folder, address = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
blocks = re.findall(r"^```rust[^\n]*\n(.*?)^```$", document.read_text(encoding="utf-8"), re.M | re.S)
if len(blocks) != 2:
    sys.exit(f"{document} has {len(blocks)} programs, and .ci/package runs 2")
folder.mkdir(parents=True)
for number, block in enumerate(blocks):
    (folder / f"readme-{number}.rs").write_text(block.replace("127.0.0.1:8000", address), encoding="utf-8")
