#!/usr/bin/env python3
"""Prepares a release in .build-release/VERSION: notes, source archive, bill of materials, programs and checksums.

    scripts/release.py VERSION           checks, prepares everything, then commits and tags in this clone; nothing is pushed
    scripts/release.py VERSION --notes   notes and bill of materials alone, to standard output; nothing is written or checked

The version stands in the programs (`version:` of the two commands); CHANGELOG.md names it when the release is made. Public API
that the last tag had and this commit has not is listed in the notes, and before 1.0 it asks for a new minor version, later for
a new major one (https://semver.org).
"""
import datetime
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = [Path("Tools/Sources/ostiary/OstiaryCommand.swift"), Path("Tools/Sources/BackendCommand/BackendCommand.swift")]
# Resolved versions: of an app that imports the libraries, and of the programs.
RESOLVED = [Path("Package.resolved"), Path("Tools/Package.resolved")]


def fail(sentence):
    sys.exit(f"release: {sentence}")


def run(*command, check=True):
    done = subprocess.run([str(part) for part in command], cwd=ROOT, text=True, capture_output=True)
    if check and done.returncode:
        fail(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done


def versions():
    """The version that each program states."""
    found = {}
    for file in COMMANDS:
        stated = re.findall(r'^\s*version: "([^"]+)",$', (ROOT / file).read_text(), re.M)
        if len(stated) != 1:
            fail(f"{file} states {len(stated)} versions and has to state one.")
        found[file] = stated[0]
    return found


def numbers(version):
    if not re.fullmatch(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", version):
        fail(f"{version} is no version of the form MAJOR.MINOR.PATCH. Example: scripts/release.py 0.1.0")
    return tuple(map(int, version.split(".")))


def unreleased():
    text = (ROOT / "CHANGELOG.md").read_text()
    section = re.search(r"^## Unreleased\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    if section is None or not section.group(1).strip():
        fail("CHANGELOG.md has nothing under Unreleased.")
    return section.group(1).strip()


def last_tag():
    tags = [tag for tag in run("git", "tag", "--list").stdout.split() if re.fullmatch(r"\d+\.\d+\.\d+", tag)]
    return max(tags, key=numbers, default=None)


def breakages(tag):
    """Public API that the tag had and that is missing or different now."""
    said = run("swift", "package", "diagnose-api-breaking-changes", tag, check=False)
    return [line.strip() for line in (said.stdout + said.stderr).splitlines() if re.match(r"\s*💔", line)]


def notes(version, broken):
    parts = [f"# Ostiary {version}", unreleased()]
    if broken:
        parts.append("### Changed or removed API\n\n" + "\n".join(f"- {line.lstrip('💔 ')}" for line in broken))
    parts.append(
        "### Check what you downloaded\n\n"
        "`sha256sum --check SHA256SUMS`. The source archive is `git archive` of the tag; bom.json lists the packages that an app\n"
        "and the programs resolve to (CycloneDX 1.6)."
    )
    return "\n\n".join(parts) + "\n"


def bill_of_materials(version):
    components = {}
    for file in RESOLVED:
        if not (ROOT / file).exists():
            fail(f"{file} is missing. Run: swift package resolve; swift package --package-path Tools resolve")
        for pin in json.loads((ROOT / file).read_text())["pins"]:
            place = pin["location"].removesuffix(".git").removeprefix("https://")
            number = pin["state"]["version"]
            components.setdefault(
                (place, number),
                {
                    "type": "library", "name": pin["identity"], "version": number,
                    "purl": f"pkg:swift/{place}@{number}", "bom-ref": f"pkg:swift/{place}@{number}",
                    "externalReferences": [{"type": "vcs", "url": pin["location"], "comment": pin["state"]["revision"]}],
                    "properties": [],
                },
            )["properties"].append(
                {"name": "resolved by", "value": "the programs" if file.parent.name == "Tools" else "an app"}
            )
    root = f"pkg:swift/github.com/ostiary/ostiary@{version}"
    return {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"component": {
            "type": "library", "name": "ostiary", "version": version, "purl": root, "bom-ref": root,
            "licenses": [{"license": {"id": "Apache-2.0"}}],
        }},
        "components": [components[key] for key in sorted(components)],
    }


def write_changelog(version):
    file = ROOT / "CHANGELOG.md"
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    file.write_text(file.read_text().replace("## Unreleased\n", f"## Unreleased\n\n## {version} – {today}\n", 1))


def depend_on(version):
    """Pages that name the package name the release."""
    pages = run("git", "grep", "-l", "ostiary/ostiary.git\", ", "--", "*.md").stdout.split()
    for page in pages:
        file = ROOT / page
        file.write_text(re.sub(
            r'(ostiary/ostiary\.git", )(?:branch: "main"|from: "[\d.]+")', rf'\1from: "{version}"', file.read_text()
        ))
    return pages


def main(arguments):
    if not arguments or arguments[0].startswith("-") or arguments[1:] not in ([], ["--notes"]):
        fail("usage: scripts/release.py VERSION [--notes]")
    version = arguments[0]
    wanted = numbers(version)
    for file, stated in versions().items():
        if stated != version:
            fail(f"{file} states version {stated}, not {version}. Change it there.")
    tag = last_tag()
    if arguments[1:] == ["--notes"]:
        print(notes(version, []))
        print(json.dumps(bill_of_materials(version), indent=2))
        return
    if run("git", "status", "--porcelain").stdout:
        fail("the work tree has changes. Commit them first.")
    if run("git", "rev-parse", "--abbrev-ref", "HEAD").stdout.strip() != "main":
        fail("a release is made on main.")
    broken = []
    if tag:
        if wanted <= numbers(tag):
            fail(f"{version} is not after the last release, {tag}.")
        broken = breakages(tag)
        last = numbers(tag)
        if broken and wanted[:2] == last[:2] or broken and last[0] > 0 and wanted[0] == last[0]:
            fail(f"{len(broken)} public declarations of {tag} changed or are gone, which {version} does not say:\n" + "\n".join(broken))
    print(f"last release: {tag or 'none, so there is no API to compare with'}")
    run("make", "check")
    run("make", "dist")
    folder = ROOT / ".build-release" / version
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "notes.md").write_text(notes(version, broken))
    (folder / "bom.json").write_text(json.dumps(bill_of_materials(version), indent=2) + "\n")
    write_changelog(version)
    depend_on(version)
    run("git", "commit", "-qam", f"Release {version}")
    run("git", "tag", "--annotate", version, "--message", f"Ostiary {version}")
    run("git", "archive", "--format=tar.gz", f"--prefix=ostiary-{version}/", "--output", folder / f"ostiary-{version}.tar.gz", version)
    for program in sorted((ROOT / ".build-dist").glob("*.tar.gz")):
        (folder / program.name).write_bytes(program.read_bytes())
    sums = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}"
        for file in sorted(folder.iterdir()) if file.name != "SHA256SUMS"
    ]
    (folder / "SHA256SUMS").write_text("\n".join(sums) + "\n")
    print(f"{folder.relative_to(ROOT)}:\n" + "\n".join(sums))
    print(f"Next, after a look at it: git push origin main {version}")


main(sys.argv[1:])
