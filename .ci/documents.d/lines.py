#!/usr/bin/env python3
"""No line of Rust has more than 120 columns. rustfmt gives up on whole expressions over one such line.

Allowed is what cannot be broken: a line without a space, and one with a raw string, in which a backslash breaks nothing.
"""

import re
import subprocess
import sys

MOST = 120
UNBREAKABLE = re.compile(r'(?://[/!]? )?\S+$|.*(?:r#"|"#)')

files = subprocess.run(["git", "ls-files", "*.rs"], check=True, capture_output=True, text=True).stdout.split()
long = [
    f"{file}:{number}: has {len(line)} columns, and not {MOST} at most"
    for file in files
    for number, line in enumerate(open(file, encoding="utf-8").read().split("\n"), 1)
    if len(line) > MOST and not UNBREAKABLE.match(line.strip())
]
print("\n".join(long), end="\n" if long else "", file=sys.stderr)
sys.exit(bool(long))
