"""Holds the order of the rooms of a crate: a file may use files of its own room and of those before it, and none after.

Takes the crate's source folder, the floor's module (`store`, or `.` for the crate's own) and its rooms in their order,
each a folder or a file. Rooms that a comma joins share a place: none of them has to come before the others. A re-export
leads to the file that defines the item, as in `circles.py`.
"""

import sys
from pathlib import Path

from circles import Crate


def main():
    folder, floor = Path(sys.argv[1]), tuple(part for part in sys.argv[2].split("::") if part != ".")
    order = {room: place for place, rooms in enumerate(sys.argv[3:]) for room in rooms.split(",")}
    uses = Crate(folder).uses()

    def room(file):
        return file[len(floor)] if file[: len(floor)] == floor and len(file) > len(floor) else None

    there = {room(file) for file in uses} - {None}
    failed = there != set(order)
    for name in sorted(there ^ set(order)):
        print(f"{folder}: the rooms of `{sys.argv[2]}` and their order differ in `{name}`", file=sys.stderr)
    for file in sorted(uses):
        for other, names in sorted(uses[file].items()):
            if order.get(room(file), 0) < order.get(room(other), 0) and room(file):
                failed = True
                print(
                    f"{folder}: {'::'.join(file)} uses {'::'.join(other)} ({', '.join(sorted(names))}), a later room",
                    file=sys.stderr,
                )
    sys.exit(failed)


main()
