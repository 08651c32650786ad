#!/usr/bin/env python3
"""Takes each named check out in turn, and shows which test notices.

The names come from the sources: rules, requirements of a verdict, and single named checks. The tests are built once with
OSTIARY_MUTANTS, where the environment variable OSTIARY_MUTANT names the check to take out. The table goes to
docs/checks.md; a check that no test misses ends the run with 1.

    scripts/mutants.py [NAME...]     only these checks, and no table
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRATCH = ROOT / ".build-mutants"
PAGE = ROOT / "docs" / "checks.md"
FORMS = [
    re.compile(r'Rule\(\s*(?:name:\s*)?"([a-z0-9_.]+)"'),
    re.compile(r'\.require\(\s*"([a-z0-9_.]+)"'),
    re.compile(r'NamedCheck\.holds\(\s*"([a-z0-9_.]+)"'),
]
# The quick ones first: most checks are noticed by the tests of values.
SUITES = ["OstiaryOAuthTests", "OstiaryJOSETests|OstiaryServerTests|OstiaryProviderTests", "OstiaryTests|Conformance", "FrontDoors"]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
FAILED = re.compile(r'✘ Test "?(.+?)"? (?:recorded an issue|failed after)')
DEADLINE = 240


def names():
    """Every named check, and the file that makes it."""
    found = {}
    for source in sorted((ROOT / "Sources").rglob("*.swift")):
        text = source.read_text(encoding="utf-8")
        for form in FORMS:
            for name in form.findall(text):
                found.setdefault(name, source.relative_to(ROOT))
    return found


def build():
    subprocess.run(
        ["swift", "build", "--build-tests", "--scratch-path", str(SCRATCH), "-Xswiftc", "-DOSTIARY_MUTANTS"],
        cwd=ROOT,
        check=True,
    )


def first_failure(name, suite):
    """The test of some suites that fails without a check; None when all pass."""
    binary = SCRATCH / "debug" / "ostiaryPackageTests.xctest"
    command = [str(binary), "--testing-library", "swift-testing", "--filter", suite]
    environment = dict(os.environ, OSTIARY_MUTANT=name, SWIFT_BACKTRACE="enable=no")
    try:
        run = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=DEADLINE, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return "(a test that never ended)"
    if run.returncode == 0:
        return None
    match = FAILED.search(COLOUR.sub("", run.stdout + run.stderr))
    return match.group(1) if match else f"(the run ended with {run.returncode})"


def notice(name):
    for suite in SUITES:
        failed = first_failure(name, suite)
        if failed:
            return failed
    return None


def main(wanted):
    checks = names()
    unknown = [name for name in wanted if name not in checks]
    if unknown:
        sys.exit(f"no such check: {' '.join(unknown)}")
    build()
    for suite in SUITES:
        failed = first_failure("none", suite)
        if failed:
            sys.exit(f"with every check in place a test fails: {failed}")
    rows, survivors = [], []
    for name in wanted or sorted(checks):
        test = notice(name)
        print(f"{name}: {test or 'NOBODY NOTICED'}", flush=True)
        rows.append(f"| `{name}` | {checks[name].as_posix()} | {test or 'none'} |")
        if test is None:
            survivors.append(name)
    if not wanted:
        lines = [
            "# Checks",
            "",
            "Every named check, and the first test that fails when it is taken out (`make mutants`).",
            "",
            "| Check | Made in | Test that noticed |",
            "|---|---|---|",
        ] + rows
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(rows) - len(survivors)} of {len(rows)} checks are missed when they are gone")
    if survivors:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
