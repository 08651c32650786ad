#!/usr/bin/env python3
"""Prints the size of the sources at revisions of the repository, as tables: before → after.

    scripts/house-figures.py [REVISION…]       without one: 16fcbe3, the last before the modules were cut, and HEAD

It counts at the text, and builds nothing. A module is a folder of Sources; front doors and their halves for servers are one each.

  - public types: struct, class, enum, actor, protocol, typealias; top level and nested
  - public declarations: those and functions, properties, initializers and subscripts with `public`; cases of enumerations and
    requirements of protocols have no modifier and do not count
  - findings of prose: the words and openers that today's scripts/check-prose.sh finds in that revision
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODIFIERS = r"(?:@\w+(?:\([^)]*\))? +)*public +(?:(?:final|indirect|static|class|nonisolated|mutating|override|required|convenience|lazy|weak|unowned)(?:\([a-z]+\))? +)*"
TYPE = re.compile(MODIFIERS + r"(?:struct|class|enum|actor|protocol|typealias) +\w")
OTHER = re.compile(MODIFIERS + r"(?:(?:private|internal|package|fileprivate)\(set\) +)?(?:func|var|let|init|subscript)\b")


def export(revision, folder):
    """Writes a revision's files to a folder, which becomes a repository of its own."""
    archive = subprocess.run(["git", "archive", revision], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive, check=True)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    subprocess.run(["git", "add", "-A", "-f"], cwd=folder, check=True)


def swift(folder):
    return sorted(path for path in folder.rglob("*.swift") if path.is_file())


def line_count(paths):
    return sum(path.read_text(encoding="utf-8", errors="replace").count("\n") for path in paths)


def modules(tree):
    """Files of each module by its name."""
    found = {}
    for folder in sorted((tree / "Sources").iterdir()):
        if folder.is_dir() and (files := swift(folder)):
            found[folder.name] = files
    return found


def public(files):
    """The numbers of public types and of all public declarations."""
    types = others = 0
    for path in files:
        for line in path.read_text(encoding="utf-8").splitlines():
            text = line.strip()
            types += bool(TYPE.match(text))
            others += bool(OTHER.match(text)) and not TYPE.match(text)
    return types, types + others


def findings(tree):
    """The number of lines that today's rules of prose find."""
    script = tree / "scripts/check-prose.sh"
    shutil.copy(ROOT / "scripts/check-prose.sh", script)
    said = subprocess.run([str(script)], cwd=tree, capture_output=True, text=True)
    if said.returncode and not said.stdout:
        sys.exit(f"check-prose.sh failed:\n{said.stderr}")
    return sum(bool(re.match(r"[^:]+\.swift:\d+: ", line)) for line in said.stdout.splitlines())


def figures(revision):
    """The figures of one revision: those of each module by its name, and those of the whole by their titles."""
    with tempfile.TemporaryDirectory(prefix="house-") as folder:
        tree = pathlib.Path(folder)
        export(revision, tree)
        parts = modules(tree)
        everything = [path for files in parts.values() for path in files]
        tools = [path for part in ("Tools/Sources", "Examples", "Benchmarks") for path in swift(tree / part)]
        tests = [path for part in ("Tests", "Tools/Tests", "Examples") for path in swift(tree / part)]
        whole = {
            "Sources: files": len(everything),
            "Sources: lines": line_count(everything),
            "Sources: files under 25 lines": sum(line_count([path]) < 25 for path in everything),
            "Sources: files in the largest folder": max(Counter(path.parent for path in everything).values()),
            "Tools, examples, benchmarks: lines": line_count([path for path in tools if not is_test(path, tree)]),
            "Tests: lines": line_count([path for path in tests if is_test(path, tree)]),
            "Pages (`*.md`): lines": line_count([path for path in tree.rglob("*.md") if path.is_file()]),
            "Package.swift: lines": line_count([tree / "Package.swift"]),
            "Findings of prose": findings(tree),
        }
        return {name: (len(files), line_count(files), *public(files)) for name, files in parts.items()}, whole


def is_test(path, tree):
    return "Tests" in path.relative_to(tree).parts


def cell(values):
    return " → ".join("–" if value is None else f"{value:,}" for value in values)


def main():
    revisions = sys.argv[1:] or ["16fcbe3", "HEAD"]
    columns = [figures(revision) for revision in revisions]
    print("| Module | Files | Lines | Public types | Public declarations |")
    print("|---|---:|---:|---:|---:|")
    for name in sorted({name for parts, _ in columns for name in parts}):
        rows = [parts.get(name, (None,) * 4) for parts, _ in columns]
        print(f"| {name} | " + " | ".join(cell(values) for values in zip(*rows)) + " |")
    print("\n| The whole | |\n|---|---:|")
    for title in columns[-1][1]:
        print(f"| {title} | {cell([whole[title] for _, whole in columns])} |")


main()
