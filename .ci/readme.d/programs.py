"""Makes a package of the Rust programs in a document: programs.py DOCUMENT FOLDER ADDRESS.

The nth block becomes the program `readme-n`. It listens at the given address in place of the documented one.
"""

import pathlib
import re
import sys

document, folder, address = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
root = pathlib.Path.cwd()
blocks = re.findall(r"^```rust[^\n]*\n(.*?)^```$", document.read_text(encoding="utf-8"), re.M | re.S)
if len(blocks) != 2:
    sys.exit(f"{document} has {len(blocks)} programs, and .ci/readme runs 2")
bins = folder / "src" / "bin"
bins.mkdir(parents=True)
for number, block in enumerate(blocks):
    (bins / f"readme-{number}.rs").write_text(block.replace("127.0.0.1:8000", address), encoding="utf-8")
(folder / "Cargo.toml").write_text(
    f"""[package]
name = "readme"
version = "0.0.0"
edition = "2024"
publish = false

[dependencies]
care-core = {{ path = "{root}/care-core" }}
care-poem = {{ path = "{root}/care-poem" }}
care-store-sqlite = {{ path = "{root}/care-store-sqlite" }}
poem = {{ version = "3.1", default-features = false, features = ["server"] }}
tokio = {{ version = "1", features = ["macros", "rt-multi-thread"] }}

[workspace]
""",
    encoding="utf-8",
)
