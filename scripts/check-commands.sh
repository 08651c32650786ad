#!/usr/bin/env bash
# A claim is worth the command beside it: each `make TARGET`, `scripts/FILE` and `swift test … --filter NAME` of README, CONTRIBUTING,
# AGENTS and docs exists, and so does each product and trait of this package that they tell a reader to add.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 - <<'PYTHON'
import pathlib
import re
import subprocess
import sys


def files(*patterns):
    listed = subprocess.run(["git", "ls-files", "-z", *patterns], capture_output=True, text=True, check=True).stdout
    return [pathlib.Path(name) for name in filter(None, listed.split("\0")) if pathlib.Path(name).exists()]


targets = set(re.findall(r"^([a-z0-9-]+):", pathlib.Path("Makefile").read_text(), re.M))
# A filter is compared with TARGET.SUITE/FUNCTION.
tests = {"": set(), "Tools": set()}
for path in files("Tests/*.swift", "Tools/Tests/*.swift"):
    package = "Tools" if path.parts[0] == "Tools" else ""
    module = path.parts[2 if package else 1]
    text = path.read_text()
    for suite in re.findall(r"\b(?:struct|class|enum|extension) (\w+)", text):
        tests[package].update(f"{module}.{suite}/{name}" for name in re.findall(r"\bfunc (\w+)", text))
manifest = pathlib.Path("Package.swift").read_text()
products = set(re.findall(r'\b(?:module|face)\("(\w+)"', manifest.partition("for library in libraries")[0]))
traits = set(re.findall(r'^    "(\w+)": "', manifest.partition("let traits:")[2].partition("\n]\n")[0], re.M))
problems, count = [], 0
for page in files("README.md", "CONTRIBUTING.md", "AGENTS.md", "docs/*.md"):
    if page.parts[:2] == ("docs", "decisions"):
        continue
    text = page.read_text()
    code = re.finditer(r"`([^`\n]+)`|^(?: {4})?((?:make|scripts/|swift test).*)$", text, re.M)
    for found in code:
        command = found.group(1) or found.group(2)
        line = text.count("\n", 0, found.start()) + 1
        wrong = None
        if target := re.match(r"make ([a-z][a-z0-9-]*)\b", command):
            wrong = None if target.group(1) in targets else f"the Makefile has no target {target.group(1)}"
        elif script := re.match(r"(scripts/[\w.-]+\.(?:py|sh))\b", command):
            wrong = None if pathlib.Path(script.group(1)).exists() else f"there is no {script.group(1)}"
        elif choice := re.match(r"(?:[A-Z_]+=\S+ )*swift test\b(.*?)--filter (?:\"([^\"]+)\"|(\S+))", command):
            package = "Tools" if "--package-path Tools" in choice.group(1) else ""
            for name in re.split(r"\\?\|", choice.group(2) or choice.group(3)):
                if name != "NAME" and not any(name in test for test in tests[package]):
                    wrong = f"no test has {name} in its name"
        else:
            continue
        count += 1
        if wrong:
            problems.append(f"{page}:{line}: {command}: {wrong}")
    added = [(found.start(), found.group(1), "product", products) for found in
             re.finditer(r'\.product\(name: "(\w+)", package: "ostiary"\)', text)]
    for found in re.finditer(r'github\.com/ostiary/ostiary\.git"[^)\n]*traits: \[([^]]*)\]', text):
        added += [(found.start(), name, "trait", traits) for name in re.findall(r'"(\w+)"', found.group(1))]
    for start, name, kind, known in added:
        count += 1
        if name not in known:
            problems.append(f"{page}:{text.count(chr(10), 0, start) + 1}: {name}: Package.swift has no {kind} of this name")
print("\n".join(problems) or f"commands: {count} commands, products and traits of pages exist")
sys.exit(bool(problems))
PYTHON
