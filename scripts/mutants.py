#!/usr/bin/env python3
"""Takes each named check out in turn, makes each mistake of scripts/mutants, and shows which test notices.

The names come from the sources: rules, requirements of a verdict, and single named checks. The tests are built once with
OSTIARY_MUTANTS, where the environment variable OSTIARY_MUTANT names the check to take out. What is not a named check is a
mistake: a patch in scripts/mutants, whose first lines say what it breaks and which tests are to notice. It is made in a copy
of the tree. The tables go to docs/checks.md; a check or a mistake that no test notices ends the run with 1.

    scripts/mutants.py [NAME...]     only these checks and mistakes, and their rows of the tables
    scripts/mutants.py --applies     whether each patch fits the sources, and the table names every check: a second, for
                                     `make check`
"""

import os
import pathlib
import re
import subprocess
import sys

from testruns import functions, lines

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRATCH = ROOT / ".build-mutants"
PATCHES = ROOT / "scripts" / "mutants"
TREE = SCRATCH / "tree"
PAGE = ROOT / "docs" / "checks.md"
FORMS = [
    re.compile(r'Rule\(\s*(?:name:\s*)?"([a-z0-9_.]+)"'),
    re.compile(r'\.require\(\s*"([a-z0-9_.]+)"'),
    re.compile(r'NamedCheck\.holds\(\s*"([a-z0-9_.]+)"'),
    # A function of a check's own; metadata has functions of this name, too, for members, which have no dot.
    re.compile(r'(?<![.\w])require\(\s*"([a-z0-9_]+\.[a-z0-9_.]+)"'),
]
ROW = re.compile(r"^\| `([^`]+)` \|.*\| (.*) \|$", re.M)
MISTAKE_ROW = re.compile(r"^\| [^`|][^|]* \| `([^`]+)` \|.*\|$", re.M)
# The quick ones first: most checks are noticed by the tests of values.
SUITES = ["OstiaryOAuthTests", "OstiaryJOSETests|OstiaryServerTests|OstiaryProviderTests", "OstiaryTests|Conformance", "FrontDoors"]
# Left out, as in scripts/test.sh: they keep every core busy or measure times, and no named check is theirs.
APART = (
    "URLSessionTransportTests|HTTPTransportCheckTests|SimulationTests|SealingKeyTests|FileStoreTests|StoreFaultTests|"
    "SecretServiceTests|ProcessLockTests|SessionArchiveTests"
)
FAILED = re.compile(r'✘ Test "?(.+?)"? (?:recorded an issue|failed after)')
DEADLINE = 600


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


def first_failure(name, suite, scratch=SCRATCH, apart=None):
    """The test of some suites that fails without a check; None when all pass."""
    binary = scratch / "debug" / "ostiaryPackageTests.xctest"
    command = [str(binary), "--testing-library", "swift-testing", "--filter", suite]
    if apart:
        command += ["--skip", apart]
    environment = dict(os.environ, OSTIARY_MUTANT=name, SWIFT_BACKTRACE="enable=no")
    # The first failure is enough: the rest of the run would say nothing more.
    for line in lines(command, DEADLINE, cwd=ROOT, env=environment):
        if not isinstance(line, str):
            break
        if match := FAILED.search(line):
            return match.group(1)
    if line is None:
        return "(a test that never ended)"
    return None if line == 0 else f"(the run ended with {line})"


def notice(name, earlier):
    """The test that notices that a check is gone; None when all pass.

    The one of the page is asked first, all others only when it passes or is gone.
    """
    if earlier:
        failed = first_failure(name, rf"/{earlier}\(")
        if failed:
            return failed
    for suite in SUITES:
        failed = first_failure(name, suite, apart=APART)
        if failed:
            return failed
    return None


class Mistake:
    """A patch: its first line says what it breaks, its second names a test target and, where they are few, its tests."""

    def __init__(self, path):
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines()
        self.text = lines[0]
        _, self.target, *tests = lines[1].split(" ")
        self.tests = tests[0] if tests else self.target

    def apply(self, *options, tree=TREE):
        # Without the repository around it, which would take the paths for its own.
        environment = dict(os.environ, GIT_CEILING_DIRECTORIES=str(tree.parent))
        return subprocess.run(
            ["git", "apply", "--unsafe-paths", *options, str(self.path)], cwd=tree, env=environment, capture_output=True, text=True
        )


def mistakes():
    """Every patch by its name."""
    return {path.stem: Mistake(path) for path in sorted(PATCHES.glob("*.patch"))}


def copy_tree():
    """Copies what has changed since the last run; the rest keeps its time, so that it is not compiled again."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        source, copy = ROOT / name, TREE / name
        if source.is_file() and (not copy.exists() or copy.read_bytes() != source.read_bytes()):
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(source.read_bytes())
    for copy in [path for path in (TREE / "Sources", TREE / "Tests") if path.exists()]:
        for path in [found for found in copy.rglob("*.swift") if not (ROOT / found.relative_to(TREE)).exists()]:
            path.unlink()


def build_tree(target):
    """Builds the copy with the tests of one target; False when it does not compile."""
    return (
        subprocess.run(
            ["swift", "build", "--product", "ostiaryPackageTests", "--scratch-path", str(SCRATCH / "patched")],
            cwd=TREE,
            env=dict(os.environ, OSTIARY_TESTS=target),
            stdout=subprocess.DEVNULL,
        ).returncode
        == 0
    )


def notice_mistake(mistake):
    """The test that notices a mistake; None when all pass."""
    applied = mistake.apply()
    if applied.returncode != 0:
        sys.exit(f"{mistake.path.name} does not fit the sources any more: {applied.stderr}")
    try:
        if not build_tree(mistake.target):
            sys.exit(f"with {mistake.path.name} the sources do not compile")
        return first_failure("none", mistake.tests, SCRATCH / "patched")
    finally:
        mistake.apply("--reverse")


def make_mistakes(wanted):
    """Makes mistakes one after the other.

    Returns what noticed each, by its name.
    """
    found = {}
    if not wanted:
        return found
    copy_tree()
    for target in sorted({mistake.target for mistake in wanted.values()}):
        of_target = {name: mistake for name, mistake in wanted.items() if mistake.target == target}
        if not build_tree(target):
            sys.exit("the sources do not compile")
        for tests in {mistake.tests for mistake in of_target.values()}:
            failed = first_failure("none", tests, SCRATCH / "patched")
            if failed:
                sys.exit(f"without a mistake a test fails: {failed}")
        for name, mistake in of_target.items():
            found[name] = notice_mistake(mistake)
            print(f"{name}: {found[name] or 'NOBODY NOTICED'}", flush=True)
    return found


def write_page(rows, mistake_rows):
    """Writes both tables, from their rows by name."""
    lines = [
        "# Checks",
        "",
        "Each named check, and the first test that fails without it (`make mutants`).",
        "",
        "| Check | Defined in | Test that fails |",
        "|---|---|---|",
    ] + [row for _, row in sorted(rows.items())] + [
        "",
        "## Mistakes",
        "",
        "Mistakes beside the named checks: each patch of `scripts/mutants`, and the first test that fails with it.",
        "",
        "| Mistake | Patch | Test that fails |",
        "|---|---|---|",
    ] + [row for _, row in sorted(mistake_rows.items())]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def page_rows(checks, patches):
    """The rows of the page, by name, without those of checks and mistakes that are gone."""
    text = PAGE.read_text(encoding="utf-8")
    rows = {found.group(1): found.group(0) for found in ROW.finditer(text) if found.group(1) in checks}
    return rows, {found.group(1): found.group(0) for found in MISTAKE_ROW.finditer(text) if found.group(1) in patches}


def main(wanted):
    checks, patches = names(), mistakes()
    if wanted == ["--applies"]:
        misfits = [name for name, mistake in patches.items() if mistake.apply("--check", tree=ROOT).returncode != 0]
        if misfits:
            sys.exit(f"patches that do not fit the sources any more, in scripts/mutants: {' '.join(misfits)}")
        rows, mistake_rows = page_rows(checks, patches)
        absent = sorted(checks.keys() - rows.keys())
        if absent:
            sys.exit(f"docs/checks.md lacks rows. Run: scripts/mutants.py {' '.join(absent)}")
        print(f"mutants: {len(checks)} named checks, each in docs/checks.md, and {len(patches)} patches that fit the sources")
        unmade = sorted(patches.keys() - mistake_rows.keys())
        if unmade:
            print(f"mutants: docs/checks.md has no row yet for {' '.join(unmade)}. Run: scripts/mutants.py {' '.join(unmade)}")
        return
    unknown = [name for name in wanted if name not in checks and name not in patches]
    if unknown:
        sys.exit(f"no such check, and no such patch in scripts/mutants: {' '.join(unknown)}")
    rows, mistake_rows = page_rows(checks, patches)
    known = functions()
    earlier = {name: known.get(ROW.match(row).group(2)) for name, row in rows.items()}
    noticed = {}
    wanted_checks = [name for name in wanted if name in checks] if wanted else sorted(checks)
    if wanted_checks:
        build()
        for suite in SUITES:
            failed = first_failure("none", suite, apart=APART)
            if failed:
                sys.exit(f"with every check in place a test fails: {failed}")
    for name in wanted_checks:
        noticed[name] = notice(name, earlier.get(name))
        print(f"{name}: {noticed[name] or 'NOBODY NOTICED'}", flush=True)
        rows[name] = f"| `{name}` | {checks[name].as_posix()} | {noticed[name] or 'none'} |"
    made = make_mistakes({name: patches[name] for name in patches if not wanted or name in wanted})
    for name, test in made.items():
        mistake_rows[name] = f"| {patches[name].text} | `{name}` | {test or 'none'} |"
    noticed |= made
    write_page(rows, mistake_rows)
    survivors = [name for name, test in noticed.items() if test is None]
    print(f"{len(noticed) - len(survivors)} of {len(noticed)} checks and mistakes are noticed")
    if survivors:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
