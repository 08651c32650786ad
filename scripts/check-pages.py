#!/usr/bin/env python3
"""Follows pages of the documentation: compiles every Swift block, reads every property list, runs every command.

    scripts/check-pages.py [PAGE…]             after `swift build` here and of Tools' product ostiary
    scripts/check-pages.py --apple [PAGE…]     the code alone, with its views, after a build in Apple's shape (OSTIARY_APPLE)
    scripts/check-pages.py --commands [PAGE…]  the commands alone, after a build of Tools' product ostiary
    scripts/check-pages.py --server [PAGE…]    the code of pages about servers, after `swift build --build-tests` of Tools

A block of a page is

  - a file when its first line is a comment with a name (`// App.swift`, `<!-- Info.plist -->`): all files of a page lie in one
    folder, which is a project for the doctor, and its Swift files are compiled together as one module;
  - a manifest when the file is Package.swift: it has to load, and its products have to exist here. With --apple, the flags that it
    gives its targets are those that the files of the page are compiled with;
  - a snippet otherwise: compiled by itself, in a function. `<!-- given: session: Session -->` in the line before the block gives
    the function's parameters, and `<!-- on Apple's platforms: … -->` those of one that is compiled with --apple alone;
    `<!-- parsed -->` there marks code of a package that is not here, which is parsed;
  - run by a shell in the page's folder when its language is sh, except in README. `ostiary idp serve` goes on until the page ends.

Files that import SwiftUI, UIKit or AuthenticationServices need Apple's shape; without --apple they are only parsed.

Without PAGE, a page that has Swift code and stands in no list below fails, and so does Swift code that is indented and not fenced.
"""
import json
import os
import plistlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    "README", "getting-started", "swiftui", "sessions", "stores", "keychain", "user-agents", "resource-tokens", "errors", "testing",
    "recordings", "moving", "appauth", "provider", "logi", "logto", "curity", "ssafy", "zephr", "own-front-door",
    "Ostiary.docc",
]
SERVER_PAGES = ["server", "browsers", "vapor"]
# Pages that do not lie in docs.
ELSEWHERE = {"README": "README.md", "Ostiary.docc": "Sources/Ostiary/Ostiary.docc/Ostiary.md"}
INDENTED = re.compile(r"    (?:let|var|try|await|import|func|struct) \w")
ON_APPLE = re.compile(r"^\s*import (SwiftUI|UIKit|AppKit|AuthenticationServices)\b", re.M)
PORT = 4455

Block = tuple  # language, given, text, line


class AppleAlone(str):
    """The parameters of a snippet that needs Apple's shape."""


def blocks(text):
    """Each fenced block: its language, what is given, its text, and the line on which it begins."""
    language, given, lines, start = None, "", [], 0
    for number, line in enumerate(text.splitlines(), 1):
        if language is None:
            note = re.fullmatch(r"<!-- (?:given: (.*)|on Apple's platforms: (.*)|parsed) -->", line.strip())
            if note:
                # None for code that is parsed alone.
                given = AppleAlone(note.group(2)) if note.group(2) is not None else note.group(1)
            elif line.startswith("```"):
                language, lines, start = line[3:].strip(), [], number
            elif line.strip():
                given = ""
        elif line.rstrip() == "```":
            yield language, given, "\n".join(lines) + "\n", start
            language, given = None, ""
        else:
            lines.append(line)
    if language is not None:
        raise SystemExit(f"a block that begins at line {start} does not end")


def named(text):
    """The name that the first line of a file's block gives, and the rest."""
    first, _, rest = text.partition("\n")
    found = re.fullmatch(r"(?://|<!--|#) ([\w.+/-]+)(?: -->)?", first.strip())
    return (found.group(1), rest) if found and ("." in found.group(1) or "-" in found.group(1)) else (None, text)


class Page:
    def __init__(self, path, apple, compiles, folder):
        self.path, self.apple, self.compiles, self.folder = path, apple, compiles, folder
        self.problems, self.counts = [], {"swift": 0, "files": 0, "commands": 0}
        self.files, self.known, self.servers = [], [], []
        self.flags = FLAGS

    def fail(self, line, text):
        self.problems.append(f"{self.path.relative_to(ROOT)}:{line}: {text}")

    def follow(self):
        snippets = []
        try:
            for language, given, text, line in blocks(self.path.read_text()):
                name, rest = named(text)
                if language == "sh":
                    if not self.apple and self.path.name != "README.md":
                        self.compile(snippets)
                        snippets = []
                        self.run(text, line)
                elif name == "Package.swift":
                    self.manifest(rest, line)
                elif language == "swift" and name:
                    (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                    (self.folder / name).write_text(rest)
                    self.files.append((name, line))
                    example = ROOT / "Examples/ThirdPartyFrontDoor/Sources/Forge" / name
                    if self.path.stem == "own-front-door" and example.read_text().rstrip() != rest.rstrip():
                        self.fail(line, f"{name} is not the example's: copy {example.relative_to(ROOT)}")
                elif language == "swift":
                    snippets.append((given, text, line))
                elif language == "xml" and name:
                    self.property_list(name, rest, line)
                elif language == "json" and name:
                    self.json(name, rest, line)
                elif language == "python" and name:
                    self.counts["files"] += 1
                    (self.folder / name).write_text(rest)
            self.compile(snippets)
        finally:
            for server in self.servers:
                server.send_signal(signal.SIGINT)
            for server in self.servers:
                server.wait(timeout=20)
        return self.problems

    def manifest(self, text, line):
        self.counts["files"] += 1
        (self.folder / "Package.swift").write_text(text)
        if not self.compiles:
            return
        shape = {"OSTIARY_APPLE": "ios"} if self.apple else {}
        environment = {name: value for name, value in os.environ.items() if name != "OSTIARY_APPLE"} | shape
        done = subprocess.run(
            ["swift", "package", "dump-package"], cwd=self.folder, env=environment, capture_output=True, text=True
        )
        if done.returncode:
            errors = [found for found in done.stderr.splitlines() if "error:" in found] or [done.stderr[-500:]]
            self.fail(line, "the manifest does not load: " + errors[-1])
            return
        package = json.loads(done.stdout)
        known = set(re.findall(r'\b(?:module|face)\("(\w+)"', (ROOT / "Package.swift").read_text()))
        added = [found["product"][:2] for target in package["targets"] for found in target["dependencies"] if "product" in found]
        for product, owner in added:
            if owner == "ostiary" and product not in known:
                self.fail(line, f"there is no product {product}")
        if "https://github.com/ostiary/ostiary.git" not in text and 'path: "' not in text:
            self.fail(line, "the manifest names no place of this package")
        settings = [setting["kind"] for target in package["targets"] for setting in target["settings"]]
        own = [flag for kind in settings if "unsafeFlags" in kind for flag in kind["unsafeFlags"]["_0"]]
        if own:
            self.flags = flags(False, False) + own

    def property_list(self, name, text, line):
        self.counts["files"] += 1
        whole = text if "<plist" in text else f'<plist version="1.0"><dict>{text}</dict></plist>'
        try:
            plistlib.loads(whole.encode())
        except Exception as error:  # expat's and plistlib's own
            self.fail(line, f"{name} is no property list: {error}")
        (self.folder / name).write_text('<?xml version="1.0" encoding="UTF-8"?>\n' + whole)

    def json(self, name, text, line):
        self.counts["files"] += 1
        try:
            json.loads(text)
        except ValueError as error:
            self.fail(line, f"{name} is no JSON: {error}")
        (self.folder / name).write_text(text)

    def compile(self, snippets):
        """Compiles the files of the page together, and each snippet with them."""
        if not self.files and not snippets:
            return
        files = [name for name, _ in self.files if self.apple or not ON_APPLE.search((self.folder / name).read_text())]
        if files:
            line = self.files[0][1]
            self.counts["swift"] += len(files)
            self.swiftc([str(self.folder / name) for name in files], line)
        for name, line in self.files:
            if name not in files:
                self.swiftc([str(self.folder / name)], line, parse=True)
        self.known += files
        self.files = []
        for given, text, line in snippets:
            self.counts["swift"] += 1
            if not self.apple and given is not None and (ON_APPLE.search(text) or isinstance(given, AppleAlone)):
                continue
            imports = [part for part in text.splitlines() if re.match(r"(@\w+ )?import ", part)]
            body = [part for part in text.splitlines() if part not in imports]
            source = "\n".join(
                ["import Foundation", *imports, f"func snippet({given or ''}) async throws {{", *body, "}"]
            )
            path = self.folder / f".snippet-{line}.swift"
            path.write_text(source + "\n")
            if given is None:
                self.swiftc([str(path)], line, parse=True)
            else:
                self.swiftc([str(path), *(str(self.folder / name) for name in self.known)], line)
            path.unlink()

    def swiftc(self, paths, line, parse=False):
        if not self.compiles:
            return
        command = ["swiftc", "-parse" if parse else "-typecheck", "-swift-version", "6", "-parse-as-library"]
        command += ["-module-name", "Page", "-suppress-warnings", *paths]
        done = subprocess.run(command + ([] if parse else self.flags), capture_output=True, text=True, cwd=ROOT)
        if done.returncode:
            errors = [found for found in done.stderr.splitlines() if "error:" in found] or [done.stderr[-500:]]
            for error in errors[:5]:
                self.fail(line, error)

    def run(self, text, line):
        environment = {
            "PATH": f"{ROOT}/Tools/.build/debug:{os.environ['PATH']}",
            "HOME": str(self.folder / ".home"),
            "ROOT": str(ROOT),
        }
        (self.folder / ".home").mkdir(exist_ok=True)
        rest = []
        for command in text.splitlines():
            if not command.startswith("ostiary idp serve"):
                rest.append(command)
                continue
            self.shell(rest, environment, line)
            rest = []
            self.counts["commands"] += 1
            server = subprocess.Popen(
                ["bash", "-c", "exec " + command],
                cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
            self.servers.append(server)
            for _ in range(600):
                if server.poll() is not None:
                    self.fail(line, f"{command}: ends with {server.returncode}")
                    return
                if self.is_ready():
                    break
                time.sleep(0.1)
        self.shell(rest, environment, line)

    @staticmethod
    def is_ready():
        """Whether the provider answers; it says 503 while it makes its keys."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{PORT}/", timeout=5):
                return True
        except urllib.error.HTTPError as answer:
            return answer.code != 503
        except OSError:
            return False

    def shell(self, commands, environment, line):
        commands = [command for command in commands if command.strip()]
        if not commands:
            return
        self.counts["commands"] += len(commands)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", "\n".join(commands)],
            cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL,
        )
        if done.returncode:
            self.fail(line, f"exit status {done.returncode}: {(done.stderr or done.stdout).strip()[-800:]}")


def flags(apple, server):
    build = ROOT / ("Tools/.build" if server else ".build")
    modules = build / "debug/Modules"
    found = ["-I", str(modules)]
    # The macros of Swift Testing.
    macros = Path(shutil.which("swiftc")).resolve().parent.parent / "lib/swift/host/plugins/testing"
    if macros.exists():
        found += ["-plugin-path", str(macros)]
    # C modules: those of the packages have a map of their own, or one that the build makes.
    packages = [build / "checkouts"] if server else [build / "checkouts/swift-crypto/Sources"]
    for base in (*packages, *(build / "debug").glob("C*.build")):
        for path in base.rglob("include/module.modulemap") if base in packages else base.glob("module.modulemap"):
            found += ["-Xcc", f"-fmodule-map-file={path}"]
    if apple:
        found += ["-Xfrontend", "-import-module", "-Xfrontend", "SimulatedFoundation"]
        for module in sorted(modules.glob("Simulated*.swiftmodule")):
            name = module.stem
            if name not in ("SimulatedPlatform", "SimulatedFoundation", "SimulatedWorld"):
                found += ["-module-alias", f"{name.removeprefix('Simulated')}={name}"]
    return found


def place(name):
    return ROOT / ELSEWHERE.get(name, f"docs/{name}.md")


def forgotten():
    """Swift code of a page that neither list names, or that no fence marks as code."""
    listed = {place(name) for name in PAGES + SERVER_PAGES}
    known = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for path in (ROOT / name for name in known.split("\0") if name):
        inside = False
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.startswith("```"):
                inside = not inside
                if line.startswith("```swift") and path not in listed:
                    yield f"{path.relative_to(ROOT)}:{number}: Swift code that nothing compiles: add the page to check-pages.py"
            elif not inside and INDENTED.match(line):
                yield f"{path.relative_to(ROOT)}:{number}: Swift code without a fence: begin it with ```swift"


def main():
    global FLAGS
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    apple, server = "--apple" in sys.argv, "--server" in sys.argv
    FLAGS = flags(apple, server)
    if not apple and not (ROOT / "Tools/.build/debug/ostiary").exists():
        raise SystemExit("no command line: swift build --package-path Tools --product ostiary")
    problems = [] if arguments else list(forgotten())
    for name in arguments or (SERVER_PAGES if server else PAGES):
        folder = Path(tempfile.mkdtemp(prefix=f"page-{name}-"))
        try:
            page = Page(place(name), apple, "--commands" not in sys.argv, folder)
            problems += page.follow()
            counts = page.counts
            print(f"{name}: {counts['swift']} Swift blocks, {counts['files']} other files, {counts['commands']} commands")
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(problems) or "pages: ok")
    sys.exit(bool(problems))


main()
