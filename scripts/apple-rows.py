#!/usr/bin/env python3
"""Makes the table of docs/apple.md: what people met on Apple's platforms, and the tests that show what is done about it.

    scripts/apple-rows.py            compares the page with scripts/apple-rows.txt, and each title with the tests
    scripts/apple-rows.py --write    writes the page, too

A title counts when a test with that name has passed in one of the shapes, or is listed in a build for Linux: what
scripts/apple.sh noted of its runs (.build/apple-events). A test that was left out, or did not pass, shows nothing.
"""
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/apple.md"
ROWS = ROOT / "scripts/apple-rows.txt"
EVENTS = ROOT / ".build/apple-events"
BEGIN, END = "<!-- rows -->", "<!-- end of rows -->"
SHAPES = ("ios", "macos")


def records(path):
    with path.open() as lines:
        for line in lines:
            if line.strip():
                record = json.loads(line)
                yield record["kind"], record["payload"]


def passed(path):
    """The titles of the tests that ran to their end without an issue."""
    titles, ended, failed = {}, set(), set()
    for kind, payload in records(path):
        if kind == "test" and payload.get("kind") == "function":
            titles[payload["id"]] = payload.get("displayName", payload["name"])
        elif kind == "event":
            if payload["kind"] == "testEnded":
                ended.add(payload.get("testID"))
            elif payload["kind"] in ("issueRecorded", "testSkipped") and not payload.get("issue", {}).get("isKnown"):
                failed.add(payload.get("testID"))
    return {title for identifier, title in titles.items() if identifier in ended - failed}


def listed(path):
    return {payload.get("displayName") for kind, payload in records(path) if kind == "test"}


def rows():
    found = []
    for number, line in enumerate(ROWS.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            row, wish = line.split(" ", 1)
            found.append((int(row), wish, []))
        elif found:
            found[-1][2].append(line.strip())
        else:
            sys.exit(f"{ROWS}:{number}: a title without a row")
    return found


def main():
    files = [EVENTS / f"{name}.jsonl" for name in (*SHAPES, "linux")]
    missing = [file.name for file in files if not file.exists()]
    if missing:
        sys.exit(f"not run yet ({', '.join(missing)}): scripts/apple.sh")
    shown = {shape: passed(EVENTS / f"{shape}.jsonl") for shape in SHAPES}
    core = listed(EVENTS / "linux.jsonl")
    gaps = []
    out = ["| | Problem | Shown by | Where |", "|---|---|---|---|"]
    found = rows()
    if [row for row, _, _ in found] != list(range(1, 34)):
        gaps.append("the rows are not 1 to 33")
    for row, wish, titles in found:
        if not titles:
            gaps.append(f"nothing shows row {row}: {wish}")
        places = set()
        for title in titles:
            where = {shape for shape in SHAPES if title in shown[shape]} | ({"core"} if title in core else set())
            if not where:
                gaps.append(f"row {row}: no test passed with the name \"{title}\"")
            places |= where
        names = "; ".join(titles)
        out.append(f"| {row} | {wish} | {names} | {', '.join(sorted(places))} |")
    text = PAGE.read_text()
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    made = f"{before}{BEGIN}\n\n" + "\n".join(out) + f"\n\n{END}{after}"
    if "--write" in sys.argv:
        PAGE.write_text(made)
    elif made != text:
        gaps.append("docs/apple.md is not what the tests say: run scripts/apple-rows.py --write")
    count = sum(len(titles) for _, _, titles in found)
    print("\n".join(gaps) or f"apple rows: {len(found)} rows, {count} tests by name, each passed or listed")
    sys.exit(bool(gaps))


main()
