#!/usr/bin/env bash
# Versions are said once: the minimum of each dependency is the one of docs/versions.md, in every manifest; every manifest, and
# every manifest that a page shows, has the tools version that README and docs/versions.md name; no manifest adds literals up
# with +, which compilers give up on.
set -euo pipefail
cd "$(dirname "$0")/.."
python3 - <<'EOF'
import pathlib, re, subprocess, sys

problems = []
files = subprocess.run(["git", "ls-files"], capture_output=True, text=True, check=True).stdout.split("\n")
manifests = [pathlib.Path(name) for name in files if pathlib.PurePath(name).name == "Package.swift"]
pages = [pathlib.Path(name) for name in files if name.endswith(".md") and name != "CHANGELOG.md"]
page = pathlib.Path("docs/versions.md").read_text()
listed = dict(re.findall(r"^\| ([A-Za-z.\-0-9]+) \| ([0-9.]+) \|", page, re.M))

def number(version):
    return tuple(int(part) for part in version.split("."))

used = set()
tools = set()
for manifest in manifests:
    text = manifest.read_text()
    tools.add(re.match(r"// swift-tools-version: ([0-9.]+)\n", text).group(1))
    dependencies = re.findall(r'url: "[^"]*/([^"/]+?)(?:\.git)?", (\w+): "([^"]+)"', text)
    if len(dependencies) != text.count("url:"):
        problems.append(f"{manifest}: a dependency is not written as from: \"…\"")
    for name, requirement, version in dependencies:
        used.add(name)
        if requirement != "from" or listed.get(name) != version:
            problems.append(f'{manifest}: {name} {requirement}: "{version}"; docs/versions.md has from: "{listed.get(name)}"')
    # A literal at either side of a plus: its type has to be searched for. Comments and strings do not count.
    code = re.sub(r'//[^\n]*|"(?:\\.|[^"\\\n])*"', lambda found: '""' if found.group().startswith('"') else "", text)
    for found in re.finditer(r"\]\s*\+(?!=)|(?<![\w)\]])\+\s*\[|[\w)\]]\s*\+\s*\[", code):
        line = code.count("\n", 0, found.start()) + 1
        problems.append(f"{manifest}:{line}: + beside an array literal; give the list a type of its own")
for name in listed.keys() - used:
    problems.append(f"docs/versions.md: no manifest depends on {name}")
if len(tools) != 1:
    problems.append(f"The manifests differ in their tools version: {sorted(tools)}")
for name in pages:
    text = name.read_text()
    for found in re.finditer(r"^\s*// ?swift-tools-version: ?(\S+)$", text, re.M):
        if found.group(1) not in tools:
            line = text.count("\n", 0, found.start(1)) + 1
            problems.append(f"{name}:{line}: tools version {found.group(1)}; the manifests have {min(tools)}")
for place in ["README.md", "docs/versions.md", "CONTRIBUTING.md"]:
    if f"Swift {min(tools)}" not in pathlib.Path(place).read_text():
        problems.append(f"{place} does not name Swift {min(tools)}, the tools version of the manifests")
print("\n".join(problems) if problems else "versions: ok")
sys.exit(bool(problems))
EOF
