#!/usr/bin/env python3
"""Makes the table of docs/apple.md of what tests say that they show with `.field(rows: …)`.

    scripts/apple-rows.py            compares the page with what the tests say
    scripts/apple-rows.py --write    writes it

The rows are those of scripts/apple-rows.txt; a row with no test and no place where the core's tests are fails.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/apple.md"
BEGIN, END = "<!-- rows -->", "<!-- end of rows -->"


def tests():
    found = defaultdict(list)
    for path in sorted((ROOT / "Tests").rglob("*.swift")):
        text = path.read_text()
        if ".field(rows:" not in text:
            continue
        for name, arguments in re.findall(r'@(?:Test|Suite)\(\s*"((?:[^"\\]|\\.)*)"(.*?)\)\s*\n', text, re.S):
            for rows in re.findall(r"\.field\(rows:([\d,\s]*)", arguments):
                for row in re.findall(r"\d+", rows):
                    found[int(row)].append(name)
    return found


def rows():
    for line in (ROOT / "scripts/apple-rows.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            number, wish, elsewhere = [cell.strip() for cell in line.split("|")]
            yield int(number), wish, elsewhere


def main():
    found = tests()
    gaps = []
    out = ["| | What people met | Shown by |", "|---|---|---|"]
    for number, wish, elsewhere in rows():
        names = found[number]
        shown = [f"{name}" for name in names[:2]] + ([f"and {len(names) - 2} more"] if len(names) > 2 else [])
        if elsewhere:
            place = ROOT / elsewhere.split()[0]
            if not place.exists():
                gaps.append(f"row {number}: {elsewhere} is not there")
            shown.append(f"`{elsewhere}`")
        if not shown:
            gaps.append(f"row {number}: {wish}")
        out.append(f"| {number} | {wish} | {'; '.join(shown)} |")
    text = PAGE.read_text()
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    made = f"{before}{BEGIN}\n\n" + "\n".join(out) + f"\n\n{END}{after}"
    if "--write" in sys.argv:
        PAGE.write_text(made)
    elif made != text:
        gaps.append("docs/apple.md is not what the tests say: run scripts/apple-rows.py --write")
    print("\n".join(f"nothing shows {gap}" if gap.startswith("row") else gap for gap in gaps) or "apple rows: each shown")
    sys.exit(bool(gaps))


main()
