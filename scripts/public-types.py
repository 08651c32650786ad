#!/usr/bin/env python3
"""Counts the public types that `import Ostiary` shows: an app developer reads them in completion.

    scripts/public-types.py            the count by module; more than LIMIT ends with 1
    scripts/public-types.py --list     the names as well
    scripts/public-types.py --nested   the count with nested types, for a comparison with other packages

They are the top-level public types of Sources/Ostiary, and of what its Exports.swift passes on: a whole module, or one type of
it. A nested type is found below the type that it belongs to. Types of every platform count.
"""

import pathlib
import re
import sys

LIMIT = 120
SOURCES = pathlib.Path(__file__).resolve().parent.parent / "Sources"
DECLARATION = re.compile(
    r"(?:@\w+(?:\([^)]*\))? +)*public +(?:(?:final|indirect|nonisolated) +)*(struct|class|enum|actor|protocol|typealias) +(\w+)"
)
EXPORT = re.compile(r"^@_exported public import (?:(?:struct|class|enum|protocol|typealias) (\w+)\.(\w+)|(\w+))$", re.M)


def types(module):
    """The public types of a module: names, and whether each is nested. Files are in the project's format: 4 spaces a level."""
    for file in sorted((SOURCES / module).rglob("*.swift")):
        conditions = 0
        for line in file.read_text(encoding="utf-8").splitlines():
            text = line.lstrip()
            if text.startswith("#if"):
                conditions += 1
            elif text.startswith("#endif"):
                conditions -= 1
            elif found := DECLARATION.match(text):
                yield found.group(2), (len(line) - len(text)) // 4 > conditions


def main():
    with_nested = "--nested" in sys.argv
    counted = {"Ostiary": [name for name, nested in types("Ostiary") if with_nested or not nested]}
    for part, name, whole in EXPORT.findall((SOURCES / "Ostiary/Exports.swift").read_text(encoding="utf-8")):
        if whole:
            counted[whole] = [name for name, nested in types(whole) if with_nested or not nested]
        else:
            counted.setdefault(part, []).append(name)
    total = sum(len(names) for names in counted.values())
    if "--list" in sys.argv:
        for module, names in counted.items():
            print(f"{module}: {', '.join(sorted(names))}")
    print("public types: " + ", ".join(f"{module} {len(names)}" for module, names in counted.items()) + f"; {total} of {LIMIT}")
    if not with_nested and total > LIMIT:
        sys.exit(
            f"import Ostiary shows {total} public types; {LIMIT} is the limit. Nest one in the type that it belongs to, make it "
            "package, or give it a product of its own."
        )


main()
