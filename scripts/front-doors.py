#!/usr/bin/env python3
"""Makes docs/front-doors.md from the capabilities that the tests of the front doors name, and from the results of a run.

    scripts/front-doors.py LOG           compares the page with the run
    scripts/front-doors.py LOG --write   writes it

LOG is the output of `swift test`. Every capability that a system requires or offers, and every weakness of scripts/front-doors.txt,
needs a test that passed. The page has the weakness in place of its key, and a test cites no key but those of that file.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "Tests"
PAGE = ROOT / "docs/front-doors.md"
SYSTEMS = {"logi": "logi", "ssafy": "SSAFY Verify", "logto": "Logto", "curity": "Curity", "zephr": "Zephr"}
LETTERS = {"L": "logi", "V": "ssafy", "G": "logto", "C": "curity", "Z": "zephr"}


def attributes(text):
    """Each @Suite and @Test with its arguments, in order."""
    for found in re.finditer(r"@(Suite|Test)\b", text):
        depth, at, quoted = 0, found.end(), False
        if at >= len(text) or text[at] != "(":
            yield found.group(1), ""
            continue
        while at < len(text):
            letter = text[at]
            if quoted:
                if letter == "\\":
                    at += 1
                elif letter == '"':
                    quoted = False
            elif letter == '"':
                quoted = True
            elif letter == "(":
                depth += 1
            elif letter == ")":
                depth -= 1
                if depth == 0:
                    break
            at += 1
        yield found.group(1), text[found.end() + 1 : at]


def traits(arguments):
    """The system, the rows and the numbers that each `.covers(…)` names."""
    for found in re.finditer(r"\.covers\(\s*\.(\w+)([^)]*)\)", arguments):
        rows = re.search(r"rows:([\d,\s]*)", found.group(2))
        cites = re.search(r"cites:(.*)", found.group(2), re.S)
        yield (
            found.group(1),
            [int(number) for number in re.findall(r"\d+", rows.group(1))] if rows else [],
            re.findall(r'"([^"]+)"', cites.group(1)) if cites else [],
        )


def covered(passed):
    """The tests of each row and each number, as (system, key) -> names."""
    found = defaultdict(list)
    missing = []
    for folder in ("FrontDoors", "SeedSnippets"):
        for path in sorted((TESTS / folder).rglob("*.swift")):
            of_suite = []
            for kind, arguments in attributes(path.read_text()):
                own = list(traits(arguments))
                if kind == "Suite":
                    of_suite = own
                    continue
                name = re.match(r'\s*"((?:[^"\\]|\\.)*)"', arguments)
                if not name:
                    continue
                name = name.group(1).replace('\\"', '"')
                if own + of_suite and name not in passed:
                    missing.append(name)
                    continue
                for system, rows, cites in own + of_suite:
                    for key in rows + cites:
                        if name not in found[system, key]:
                            found[system, key].append(name)
    return found, missing


def functions():
    """Suite.function of each test, with the name that a log gives it and whether `swift test` on Linux runs it."""
    found = {}
    # A test of another folder only has to exist here: `make test` runs it elsewhere.
    for folder in ("FrontDoors", "SeedSnippets", "AppleSimulated", "Apple", "OstiaryTests"):
        for path in sorted((TESTS / folder).rglob("*.swift")):
            text = path.read_text()
            on_linux = folder in ("FrontDoors", "SeedSnippets") and not {"Views", "Verbatim"} & set(path.parts)
            suites = [(at.start(), at.group(1)) for at in re.finditer(r"\b(?:struct|class|enum|extension) (\w+)", text)]
            for at in re.finditer(r"@Test\b", text):
                function = re.compile(r"\bfunc (\w+)").search(text, at.end())
                if not function:
                    continue
                name = re.match(r'\(\s*"((?:[^"\\]|\\.)*)"', text[at.end() :])
                name = name.group(1).replace('\\"', '"') if name else function.group(1) + "()"
                # A suite may be named in its file only, as the tests of one subject are in several files.
                names = {suite for start, suite in suites if start < at.start()} | {path.stem}
                for suite in names:
                    found.setdefault(f"{suite}.{function.group(1)}", (name, on_linux))
    return found


def statements(passed):
    """The vendors' statements as rows: (system, number, statement, what shows it), and what is wrong with them."""
    known, rules = functions(), "\n".join(p.read_text() for p in (ROOT / "Tools/Sources/ProjectDoctor").rglob("*.swift"))
    rows, problems = [], []
    for line in (ROOT / "scripts/front-door-statements.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        key, statement, shown = [cell.strip() for cell in line.split(" | ")]
        system, number = key.split()
        if shown.startswith("refused: "):
            rows.append((system, int(number), statement, "Not supported: " + shown.removeprefix("refused: ")))
            continue
        parts = []
        for part in shown.split():
            kind, _, name = part.partition(":")
            if kind == "page":
                if not (ROOT / f"docs/{name}.md").exists():
                    problems.append(f"{key}: no page docs/{name}.md")
                parts.append(f"[{name}.md]({name}.md)")
            elif kind == "doctor":
                if f'"{name}"' not in rules:
                    problems.append(f"{key}: the doctor has no rule {name}")
                parts.append(f"doctor: `{name}`")
            elif part not in known:
                problems.append(f"{key}: there is no test {part}")
            else:
                title, on_linux = known[part]
                if on_linux and passed and title not in passed:
                    problems.append(f"{key}: did not pass: {title}")
                parts.append(title)
        rows.append((system, int(number), statement, "; ".join(parts)))
    for system in SYSTEMS:
        numbers = [number for found, number, _, _ in rows if found == system]
        if numbers != list(range(1, len(numbers) + 1)):
            problems.append(f"the statements of {system} are not numbered from 1")
    return rows, problems


def features():
    rows, weaknesses = [], []
    for line in (ROOT / "scripts/front-doors.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 2:
            weaknesses.append(cells)
        else:
            rows.append((int(cells[0]), cells[1], dict(zip(SYSTEMS, cells[2:]))))
    return rows, weaknesses


def sentence(names):
    return "; ".join(names[:2]) + (f"; and {len(names) - 2} more" if len(names) > 2 else "")


def page(found, passed):
    rows, weaknesses = features()
    gaps = []
    out = [
        "# The five front doors",
        "",
        "A test run writes this page (`make documents`). The letter in a cell is the system's requirement. The number counts the",
        "tests that show the capability, against the development provider in the system's dialect.",
        "",
        "R: the system's contract requires it. O: the system offers it. +: the vendor's own client lacks it. S: the partner's",
        "server has to do it, with the backend kit. ?: no document says, so it is off by default. –: it does not apply.",
        "",
        "| | Capability | " + " | ".join(SYSTEMS.values()) + " |",
        "|" + "---|" * (len(SYSTEMS) + 2),
    ]
    for number, capability, needs in rows:
        cells = []
        for system in SYSTEMS:
            need, count = needs[system], len(found[system, number])
            if need in "ROS+" and not count:
                gaps.append(f"{system}, row {number}: {capability}")
            cells.append({"-": "–"}.get(need, need) + (f" {count}" if count else ""))
        out.append(f"| {number} | {capability} | " + " | ".join(cells) + " |")
    out += ["", "## The tests of each capability", ""]
    for system, title in SYSTEMS.items():
        out += [f"### {title}", "", "| | Capability | Shown by |", "|---|---|---|"]
        for number, capability, _ in rows:
            names = found[system, number]
            if names:
                out.append(f"| {number} | {capability} | {sentence(names)} |")
        out.append("")
    out += [
        "## Weaknesses of other clients",
        "",
        "The vendors' samples or other clients of the system have these weaknesses. The tests show that the front door, or a partner's",
        "server with the backend kit, does not have them.",
    ]
    for system, title in SYSTEMS.items():
        out += ["", f"### {title}: the weaknesses", "", "| Weakness | Shown by |", "|---|---|"]
        for key, weakness in weaknesses:
            if LETTERS[key.partition("-")[0]] != system:
                continue
            names = found[system, key]
            if not names:
                gaps.append(f"{key}: {weakness}")
            out.append(f"| {weakness} | {sentence(names)} |")
    rows, problems = statements(passed)
    known = {key for key, _ in weaknesses}
    cited = {key for _, key in found if isinstance(key, str)}
    problems += [f"a test cites {key}, which scripts/front-doors.txt does not have" for key in sorted(cited - known)]
    refused = sum(shown.startswith("Not supported: ") for _, _, _, shown in rows)
    out += [
        "",
        "## The vendors' documents, statement by statement",
        "",
        f"Of {len(rows)} statements, {len(rows) - refused} are shown by tests, by a rule of `ostiary doctor`, or by a step of the front door's",
        f"page, which `scripts/check-pages.py` runs. {refused} are not supported, with the reason.",
    ]
    for system, title in SYSTEMS.items():
        out += ["", f"### {title}: the document", "", "| | The document says | Shown by |", "|---|---|---|"]
        out += [f"| {number} | {said} | {shown} |" for found_in, number, said, shown in rows if found_in == system]
    return "\n".join(out) + "\n", gaps, problems


def main():
    log = Path(sys.argv[1]).read_text(errors="replace")
    passed = set(re.findall(r'^. Test "(.*?)" (?:with \d+ test cases? )?passed after', log, re.M))
    found, missing = covered(passed)
    text, gaps, wrong = page(found, passed)
    if "--write" in sys.argv and passed:
        PAGE.write_text(text)
    problems = wrong + [f"did not pass: {name}" for name in missing] + [f"nothing shows: {gap}" for gap in gaps]
    if not PAGE.exists() or PAGE.read_text() != text:
        problems.append("docs/front-doors.md differs from this run: run `make documents`")
    if len(problems) > 40:
        problems[40:] = [f"and {len(problems) - 40} more"]
    print("\n".join(problems) or f"front doors: {len(found)} claims shown by tests")
    sys.exit(bool(problems))


main()
