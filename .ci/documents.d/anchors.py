"""Finds links into documents whose heading is not there."""

import os
import re
import subprocess
import sys


def without_code(text):
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def headings(document):
    """Returns the anchors that a forge gives to the headings of a document."""
    with open(document, encoding="utf-8") as file:
        found = re.findall(r"^#+ (.*)$", without_code(file.read()), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in found}


missing = 0
listed = subprocess.run(["git", "ls-files", "*.md"], capture_output=True, text=True, check=True).stdout.split()
for document in listed:
    with open(document, encoding="utf-8") as file:
        text = without_code(file.read())
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)#([^)\s]+)\)", text):
        place = os.path.normpath(os.path.join(os.path.dirname(document), target)) if target else document
        if place in listed and anchor not in headings(place):
            missing += 1
            print(f"{document}: links to {place}#{anchor}, which has no such heading", file=sys.stderr)
sys.exit(missing > 0)
