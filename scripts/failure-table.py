#!/usr/bin/env python3
"""Makes docs/failure-table.md from the failures that tests name, and from the results of a run.

    scripts/failure-table.py LOG...           compares the page with the runs
    scripts/failure-table.py LOG... --write   writes it

Each LOG is the output of a run of `swift test`. A test names its failure with `.failure("…")`; its own name is the outcome.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/failure-table.md"
SOURCES = [ROOT / "Tests/OstiaryTests", ROOT / "Tools/Tests"]
STRING = r'"((?:[^"\\]|\\.)*)"'


def claims():
    """Each failure with the names and files of the tests that show its outcome."""
    found = {}
    for source in SOURCES:
        for path in sorted(source.rglob("*.swift")):
            text = path.read_text(encoding="utf-8")
            for test in re.finditer(r"@Test\(\s*" + STRING + r"(.*?)\)\s*func ", text, re.S):
                failure = re.search(r"\.failure\(\s*" + STRING, test.group(2))
                if failure:
                    found.setdefault(failure.group(1), []).append((test.group(1), path.relative_to(ROOT)))
    return found


def page(found):
    lines = [
        "# Outcomes of failures",
        "",
        "A test run writes this page (`make documents`). Each row has a failure that a session can meet, its outcome in the words",
        "of the test that shows it, and the file of that test. [Sessions](sessions.md) says what a refresh decides, and why.",
        "",
        "| Failure | Outcome | Shown in |",
        "|---|---|---|",
    ]
    for failure in sorted(found):
        for name, path in found[failure]:
            lines.append(f"| {failure} | {name} | `{path.as_posix()}` |")
    return "\n".join(lines) + "\n"


def main():
    logs = [Path(argument) for argument in sys.argv[1:] if argument != "--write"]
    text = "\n".join(log.read_text(errors="replace") for log in logs)
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    passed = set(re.findall(r'^. Test "(.*?)" (?:with \d+ test cases? )?passed after', text, re.M))
    found = claims()
    problems = [f"did not pass: {name}" for tests in found.values() for name, _ in tests if name not in passed]
    problems += [f"two outcomes of one failure: {failure}" for failure, tests in found.items() if len(tests) > 1]
    if "--write" in sys.argv and not problems:
        PAGE.write_text(page(found), encoding="utf-8")
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page(found):
        problems.append("docs/failure-table.md differs from this run: run `make documents`")
    print("\n".join(problems) or f"failure table: {len(found)} failures, each with its one outcome")
    sys.exit(bool(problems))


main()
