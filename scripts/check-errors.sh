#!/usr/bin/env bash
# docs/errors.md has one entry, with cause and fix, for each case of each public error of the libraries, and for no other.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 - <<'PYTHON'
import pathlib
import re
import sys

LIBRARIES = ["Ostiary", "OstiaryMigration", "OstiaryOAuth", "OstiaryJOSE"]
PAGE = pathlib.Path("docs/errors.md")
ERRORS = "Sources/OstiaryOAuth/Errors/"
# The first cell of each table's head, with the type whose cases its rows are.
PARTS = {
    "`recovery`": (ERRORS + "SignInError+Recovery.swift", "Recovery"),
    "`stage`": (ERRORS + "SignInError.swift", "Stage"),
    "`reason`": (ERRORS + "SignInError.swift", "Reason"),
    "Check": (ERRORS + "SignInError+Check.swift", "Check"),
    "Code": (ERRORS + "OAuthError.swift", "Code"),
    "`PresentationFailure`": (ERRORS + "PresentationFailure.swift", "PresentationFailure"),
}
problems = []


def body(text, start):
    """The text between the braces that open after a position."""
    depth, begin = 0, text.index("{", start)
    for place in range(begin, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[begin + 1:place]
    sys.exit("a brace is not closed")


def cases(path, name):
    """The cases of an enumeration, or the codes of a structure, each with its raw value if that is another word."""
    text = pathlib.Path(path).read_text()
    if name == "Code":
        found = re.findall(r'public static let (\w+) = Self\(rawValue: "(\w+)"\)', text)
    else:
        inside = body(text, re.search(rf"\benum {name}\b", text).start())
        found = re.findall(r'^\s*case (\w+)(?:\([^=\n]*\))?(?: = "(\w+)")?$', inside, re.M)
    return {case: raw for case, raw in found}


def tables():
    """Each table of the page: the first cell of its head, and its rows as cells with the line."""
    head, rows = None, []
    for number, line in enumerate(PAGE.read_text().splitlines() + [""], 1):
        if line.startswith("|"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if head is None:
                head = cells[0]
            elif not set(line) <= set("|-: "):
                rows.append((number, cells))
        elif head is not None:
            yield head, rows
            head, rows = None, []


# An error is a type that conforms to Error; those of SignInError's parts are named above.
for library in LIBRARIES:
    for path in sorted(pathlib.Path("Sources", library).rglob("*.swift")):
        text = path.read_text()
        for found in re.finditer(r"^( *)public enum (\w+)[^{\n]*\bError\b", text, re.M):
            owner = ""
            if found[1]:
                before = re.findall(r"^ *(?:public )?(?:enum|struct|extension|final class) (\w+)", text[:found.start()], re.M)
                owner = f"{before[-1]}." if before else ""
            PARTS[f"`{owner}{found[2]}`"] = (str(path), found[2])

seen = set()
for head, rows in tables():
    if head not in PARTS:
        continue
    seen.add(head)
    known, listed = cases(*PARTS[head]), {}
    for number, cells in rows:
        named = re.match(r"`(\w+)(?:\([^`]*\))?`(?: \(`(\w+)`\))?$", cells[0])
        if not named:
            problems.append(f"{PAGE}:{number}: the first cell names no case: {cells[0]}")
            continue
        listed[named[1]] = number
        if len(cells) != 3 or not all(cells):
            problems.append(f"{PAGE}:{number}: {named[1]} needs a cause and a fix")
        elif named[1] not in known:
            problems.append(f"{PAGE}:{number}: {head} has no case {named[1]}")
        elif named[2] and known[named[1]] != named[2]:
            problems.append(f"{PAGE}:{number}: {named[1]} is {known[named[1]] or named[1]} on the wire, not {named[2]}")
    for case in known.keys() - listed.keys():
        problems.append(f"{PAGE}: {head} lacks an entry for {case}, a case of {PARTS[head][0]}")
for head in sorted(PARTS.keys() - seen):
    problems.append(f"{PAGE}: no table for {head}, of {PARTS[head][0]}")
if problems:
    sys.exit("\n".join(problems))
print(f"errors: {len(seen)} types, each case with cause and fix")
PYTHON
