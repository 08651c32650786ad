#!/usr/bin/env python3
"""Builds the documentation as one site, without a network: .build-docs/site.

    scripts/docs.py                after `swift build`; a warning of docc fails, and so does a link that leads nowhere
    scripts/docs.py --look         also opens pages in Chromium: light and dark, narrow and wide (.build-docs/screenshots)

Each module has a catalogue, Sources/…/MODULE.docc, which says what the module is for and groups its symbols. The pages of docs/
become articles of the module Ostiary; docs/README.md orders them. Links between the pages lead to articles, links to other
files lead to the repository.

The modules of APART have no symbols in a plain build on Linux: their code stands in `#if` of a trait or of SwiftUI. The site does not have
them; their catalogues are compared with the declarations of their sources. To have the products of traits in it, symbols() needs a build
with their traits, and interfaces() the module maps of the C targets of their dependencies; OstiarySwiftUI needs a Mac.
"""
import functools
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / ".build-docs"
SITE = WORK / "site"
REPOSITORY = "https://github.com/ostiary/ostiary/blob/main"
# A module comes after those that its documentation links to.
MODULES = [
    "OstiaryJOSE", "OstiaryOAuth", "Ostiary", "OstiaryMigration", "OstiaryAutomation", "OstiaryLogi", "OstiaryLogto",
    "OstiaryCurity", "OstiarySSAFY", "OstiaryZephr", "OstiaryAppAuth", "OstiaryServer", "OstiaryLogiServer", "OstiarySSAFYServer", "OstiaryProvider",
    "OstiaryProviderDialects", "OstiaryTesting",
]
# Modules without symbols in a plain build, each with the trait or the framework that it needs.
APART = {
    "OstiaryAsyncHTTPClient": "AsyncHTTPClient", "OstiaryHummingbird": "Hummingbird", "OstiaryPostgreSQL": "PostgreSQL",
    "OstiarySQLite": "SQLite", "OstiarySwiftUI": "SwiftUI", "OstiaryVapor": "Vapor",
}
# Pages to look at, each with a text that Chromium has to show.
LOOKS = [
    ("documentation", "OstiaryServer"),
    ("documentation/ostiary", "Getting started"),
    ("documentation/ostiary/signinclient", "signIn"),
    ("documentation/ostiary/sessions", "refresh"),
    ("documentation/ostiary/failure-table", "Outcome"),
]
SIZES = {"wide": "1280,1000", "narrow": "390,844"}


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], cwd=ROOT, text=True, capture_output=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command[:3]))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def toolchain(name):
    swift = shutil.which("swift") or sys.exit("There is no swift in PATH.")
    information = json.loads(run(swift, "-print-target-info"))
    folder = Path(information["paths"]["runtimeResourcePath"]).parents[1] / "bin"
    tool = folder / name
    return tool if tool.exists() else sys.exit(f"{tool} is missing. Install a toolchain of https://www.swift.org/install.")


def symbols(module, target, modules):
    """The public symbols of a built module."""
    folder = WORK / "symbols" / module
    folder.mkdir(parents=True)
    run(toolchain("swift-symbolgraph-extract"), "-module-name", module, "-I", modules, "-I", modules.parent, "-target", target,
        "-output-dir", folder, "-minimum-access-level", "public", "-skip-synthesized-members", "-emit-extension-block-symbols",
        *interfaces(modules.parent))
    return folder


def interfaces(build):
    """The C modules that Swift modules import."""
    maps = build.glob("*.build/module.modulemap")
    return [part for file in maps for part in ("-Xcc", f"-fmodule-map-file={file}")]


def github_anchor(heading):
    return re.sub(r"[^\w\- ]", "", re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")


def docc_anchor(heading):
    plain = re.sub(r"[`*]|\[([^]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\-]+", "-", plain.replace("'", "").replace("’", "")).strip("-")


class Page:
    """A page of docs/ that becomes an article."""

    def __init__(self, file):
        self.file, self.name, self.text = file, file.stem, file.read_text()
        self.anchors = {github_anchor(found): docc_anchor(found) for found in re.findall(r"^#{2,6} (.+)$", self.text, re.M)}

    def article(self, pages):
        inside = False
        lines = []
        for line in self.text.splitlines():
            if line.startswith("```"):
                inside = not inside
            elif not inside:
                line = re.sub(r"<!--.*?-->", "", line)
                line = re.sub(r"\]\(([^)\s]+)\)", lambda found: f"]({self.target(found.group(1), pages)})", line)
            lines.append(line)
        return "\n".join(lines) + "\n"

    def target(self, link, pages):
        if re.match(r"[a-z]+:", link):
            return link
        path, _, anchor = link.partition("#")
        file = (self.file.parent / path).resolve() if path else self.file
        if not file.exists():
            sys.exit(f"{self.file.relative_to(ROOT)}: {link} leads nowhere.")
        page = pages.get(file)
        if page is None:
            return f"{REPOSITORY}/{file.relative_to(ROOT)}" + (f"#{anchor}" if anchor else "")
        if not anchor:
            return f"doc:{page.name}"
        if anchor not in page.anchors:
            sys.exit(f"{self.file.relative_to(ROOT)}: {page.file.name} has no heading #{anchor}.")
        return f"doc:{page.name}#{page.anchors[anchor]}"


def topics(pages):
    """The pages, grouped as docs/README.md lists them; a page that it does not list is an error."""
    index = (ROOT / "docs/README.md").read_text()
    groups, seen = [], set()

    def names(text):
        found = [name for name in re.findall(r"\]\(([a-z0-9-]+)\.md\)", text) if name not in seen]
        seen.update(found)
        return found

    for row in re.findall(r"^\| ([a-z].+?) \| (.+) \|$", index, re.M):
        groups.append((re.sub(r"`", "", row[0]), names(row[1])))
    groups.append(("evidence", names(index.rpartition("|\n")[2])))
    missing = {page.name for page in pages.values()} - seen
    if missing:
        sys.exit(f"docs/README.md does not list {', '.join(sorted(missing))}.")
    return "".join(
        f"\n### {title[0].upper()}{title[1:]}\n\n" + "".join(f"- <doc:{name}>\n" for name in listed)
        for title, listed in groups if listed
    )


def catalogue(module):
    """A copy of the module's catalogue; that of Ostiary has the pages of docs/ as well."""
    own = next(iter(sorted((ROOT / "Sources").rglob(f"{module}.docc"))), None)
    if own is None:
        sys.exit(f"{module} has no catalogue {module}.docc.")
    copy = WORK / "catalogues" / own.name
    shutil.copytree(own, copy)
    if module == "Ostiary":
        files = [file for file in sorted((ROOT / "docs").glob("*.md")) if file.name != "README.md"]
        pages = {file: Page(file) for file in files}
        for page in pages.values():
            (copy / page.file.name).write_text(page.article(pages))
        landing = copy / "Ostiary.md"
        text = landing.read_text()
        if text.count("## Topics\n") != 1:
            sys.exit("Ostiary.md has no place for the pages: one line `## Topics`.")
        landing.write_text(text.replace("## Topics\n", f"## Topics\n{topics(pages)}"))
    return copy


def convert(module, target, modules, archives):
    """Makes the module's archive; returns what docc warns of."""
    archive, diagnostics = WORK / "archives" / f"{module}.doccarchive", WORK / f"{module}.json"
    run(
        toolchain("docc"), "convert", catalogue(module), "--additional-symbol-graph-dir", symbols(module, target, modules),
        "--output-path", archive, "--fallback-display-name", module, "--fallback-bundle-identifier", f"ostiary.{module}",
        "--enable-experimental-external-link-support", "--diagnostics-file", diagnostics,
        *[part for other in archives for part in ("--dependency", other)],
    )
    found = []
    for entry in json.loads(diagnostics.read_text())["diagnostics"] if diagnostics.exists() else []:
        place = (entry.get("source") or module).removeprefix("file://").removeprefix(f"{ROOT}/")
        line = (entry.get("range") or {}).get("start", {}).get("line")
        found.append(f"{place}{f':{line}' if line else ''}: {entry['summary']}")
    print(f"{module}: {len(list((archive / 'data').rglob('*.json')))} pages", flush=True)
    return archive, found


def check_apart():
    """Each module of APART groups every public type in its catalogue, and links to nothing that its sources do not declare."""
    problems = []
    for module, need in APART.items():
        folder = ROOT / "Sources" / module
        sources = "\n".join(file.read_text() for file in sorted(folder.rglob("*.swift")))
        if not re.search(rf"#if .*\b{need}\b", sources):
            problems.append(f"Sources/{module}: no `#if` names {need}; move the module to MODULES if a plain build has its symbols.")
        # The types of an extension's and of another type's body are indented further than the others.
        types = set(re.findall(r"^ {0,4}public (?:final |indirect )?(?:struct|class|enum|actor|protocol) (\w+)", sources, re.M))
        declared = set(re.findall(r"\b(?:struct|class|enum|actor|protocol|typealias|var|let|case|func) (\w+)", sources))
        file = folder / f"{module}.docc/{module}.md"
        text = file.read_text() if file.exists() else ""
        links = re.findall(r"``([^`]+)``", text)
        place = file.relative_to(ROOT)
        if links[:1] != [module] or not text.startswith(f"# ``{module}``\n"):
            problems.append(f"{place}: begin with `# ``{module}```.")
        for link in links[1:]:
            for name in re.findall(r"\w+", re.sub(r"\(.*", "", link)):
                if name not in declared:
                    problems.append(f"{place}: ``{link}`` is not declared in Sources/{module}.")
        grouped = set(re.findall(r"^- ``(\w+)``$", text, re.M))
        problems += [f"{place}: {name} stands in no group." for name in sorted(types - grouped)]
    if problems:
        sys.exit("\n".join(problems))
    print(f"beside the site: {', '.join(sorted(APART))}")


def look():
    chromium = shutil.which("chromium") or sys.exit("chromium is missing. Run: apt-get install chromium")
    shots = WORK / "screenshots"
    shots.mkdir()
    # A page of the site is a file of its own, so any server of files will do.
    handler = functools.partial(QuietHandler, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, tempfile.TemporaryDirectory() as profile:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}", "--hide-scrollbars",
                "--virtual-time-budget=8000"]
        for path, expected in LOOKS:
            url = f"http://127.0.0.1:{server.server_port}/{path}/"
            shown = run(*base, "--dump-dom", url, timeout=120)
            body = shown.partition("<body")[2]
            if expected not in body:
                sys.exit(f"Chromium shows no “{expected}” at /{path}/.")
            for size, pixels in SIZES.items():
                for scheme in ("light", "dark"):
                    dark = ["--blink-settings=preferredColorScheme=0"] if scheme == "dark" else []
                    file = shots / f"{path.replace('/', '-')}-{size}-{scheme}.png"
                    run(*base, *dark, f"--window-size={pixels}", f"--screenshot={file}", url, timeout=120)
                    if not file.exists():
                        sys.exit(f"Chromium made no picture of /{path}/.")
        server.shutdown()
    print(f"looked at {len(LOOKS)} pages, {len(list(shots.iterdir()))} pictures in {shots.relative_to(ROOT)}")


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def check_links_outside():
    """The documents that are no article: each relative link leads to a file, and each anchor to a heading."""
    dead = []
    outside = [ROOT / "docs/README.md", *ROOT.glob("*.md"), ROOT / "llms.txt", *ROOT.glob("Examples/*/README.md")]
    for file in outside:
        for link in re.findall(r"\]\(([^)\s]+)\)", file.read_text()):
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = link.partition("#")
            target = (file.parent / path).resolve() if path else file
            if not target.exists() or anchor and anchor not in Page(target).anchors:
                dead.append(f"{file.relative_to(ROOT)}: {link} leads nowhere.")
    if dead:
        sys.exit("\n".join(dead))


def main(options):
    check_links_outside()
    check_apart()
    shutil.rmtree(WORK, ignore_errors=True)
    (WORK / "catalogues").mkdir(parents=True)
    (WORK / "archives").mkdir()
    target = json.loads(run("swift", "-print-target-info"))["target"]["triple"]
    modules = Path(run("swift", "build", "--show-bin-path").strip().splitlines()[-1]) / "Modules"
    archives, warnings = [], []
    for module in MODULES:
        archive, found = convert(module, target, modules, archives)
        archives.append(archive)
        warnings += found
    if warnings:
        sys.exit("\n".join(warnings) + f"\n{len(warnings)} warnings of docc; none is expected.")
    archives.sort(key=lambda archive: archive.stem != "Ostiary")
    run(toolchain("docc"), "merge", *archives, "--output-path", SITE, "--synthesized-landing-page-name", "Ostiary",
        "--synthesized-landing-page-kind", "Package", "--synthesized-landing-page-topics-style", "list")
    print(f"site: {SITE.relative_to(ROOT)}")
    if "--look" in options:
        look()
    print("docs: ok")


main(sys.argv[1:])
