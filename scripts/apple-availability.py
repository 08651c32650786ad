#!/usr/bin/env python3
"""Finds names in Sources and Tests that need a newer system than the floor of Package.swift: scripts/apple-availability.txt lists them.

The modules of the Swift on Linux say from which system on most of a name is there, and scripts/apple-triple.sh compiles against
that. They do not say which names bring a compatibility library along, and what is behind a stand-in has the stand-in's word
alone. This looks for the names themselves.

apple-availability.py                 also compares every place that states the floor with Package.swift.
apple-availability.py --self-check    fails when the list misses a name that it has to find.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "scripts" / "apple-availability.txt"
# Never compiled for Apple's systems: no part of an app, and the tests on the stand-ins.
ELSEWHERE = {"OstiaryPostgreSQL", "CSecretService", "Tests/AppleSimulated", "Tests/MainActorSimulated",
             "Tests/SimulatedWorld"}
# One line that has to be found by each row of the list, in its order.
SAMPLES = [
    "func read(_ text: Span<UInt8>)",
    "let word = text.bytes.unsafeLoadUnaligned(as: UInt64.self)",
    "let row = InlineArray<4, Int>(repeating: 0)",
    "Task.immediate { }",
    "let state = Mutex(0)",
    "String(validating: bytes, as: UTF8.self)",
    "let wide: UInt128 = 0",
    "isolated deinit { }",
    "let states: any AsyncSequence<Int, Never>",
    "try await iterator.next(isolation: nil)",
    "@MainActor @Observable final class Model { }",
    "await withDiscardingTaskGroup { group in }",
    "URL(string: text, encodingInvalidCharacters: false)",
    "let rule = #Predicate<Int> { $0 > 1 }",
    "struct Tuple<each Element> { }",
    "init(_ number: StaticBigInt)",
    "LAContext().domainState.biometry",
    "session.additionalHeaderFields = fields",
]
NOT_FOUND = ["let lifeSpan = 3", "struct Lock<Value: ~Copyable>", "final class Observation", "import OstiaryCompatibility",
             "any Span", "extension Tracing.Span {", "source.span(name)"]


def version(text):
    return tuple(int(part) for part in (text + ".0").split(".")[:2])


def rows():
    for line in LIST.read_text(encoding="utf-8").split("\n"):
        if not line or line[0] == "#":
            continue
        # A pattern may have the separator's character, but not between spaces.
        pattern, since, why, files = (part.strip() for part in (line + " ").split(" | "))
        yield re.compile(pattern), since, why, [each.strip() for each in files.split(",") if each.strip()]


def floors():
    """The platforms of Package.swift."""
    manifest = (ROOT / "Package.swift").read_text(encoding="utf-8")
    stated = re.search(r"platforms: \[(.*)\],", manifest).group(1)
    return {name: number.replace("_", ".") for name, number in re.findall(r"\.(\w+)\(\.v([\d_]+)\)", stated)}


def code(text):
    """The text with comments and the content of strings blanked out, line by line."""
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text).split("\n")


def names(floor):
    used = set()
    for path in sorted(path for folder in ("Sources", "Tests") for path in (ROOT / folder).rglob("*.swift")):
        place = path.relative_to(ROOT).as_posix()
        name = place.removeprefix("Sources/")
        if any(name.startswith(folder + "/") for folder in ELSEWHERE):
            continue
        for number, line in enumerate(code(path.read_text(encoding="utf-8")), 1):
            for pattern, since, why, files in rows():
                if version(since) <= version(floor) or not pattern.search(line):
                    continue
                if name in files:
                    used.add((pattern.pattern, name))
                    continue
                yield f"{place}:{number}: {pattern.search(line).group(0)} needs iOS {since}, the floor is {floor}: {why}"
    for pattern, since, _, files in rows():
        for name in files:
            if (pattern.pattern, name) not in used:
                yield f"{LIST.name}: {name} has no {pattern.pattern} any more"


def statements(floor):
    """Every other place that states the floor."""
    triples = (ROOT / "scripts" / "apple-triple.sh").read_text(encoding="utf-8")
    facts = (ROOT / "scripts" / "apple-facts.py").read_text(encoding="utf-8")
    for system, number in floor.items():
        if not re.search(rf"^    {system.lower()}\) name=\w+ version={number} ", triples, re.M):
            yield f"scripts/apple-triple.sh compiles {system} for another version than {number}"
        if not re.search(rf'"{system}": "{number}\.0"', facts):
            yield f"scripts/apple-facts.py has another floor of {system} than {number}"
    said = ", ".join(floor[name] for name in ("iOS", "tvOS", "visionOS", "watchOS", "macOS"))
    if f"| iOS, tvOS, visionOS, watchOS, macOS | {said} |" not in (ROOT / "README.md").read_text(encoding="utf-8"):
        yield f"README.md has other platforms than {said}"
    for page in ("docs/versions.md", "docs/decisions/0037-platform-floor.md"):
        text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
        for system in ("iOS", "macOS", "tvOS", "watchOS", "visionOS"):
            if f"{system} {floor[system]}" not in text:
                yield f"{page} does not name {system} {floor[system]}"


def self_check():
    found = list(rows())
    if len(found) != len(SAMPLES):
        sys.exit(f"apple-availability: {len(found)} rows and {len(SAMPLES)} samples")
    for (pattern, *_), sample in zip(found, SAMPLES):
        if not any(pattern.search(line) for line in code(sample)):
            sys.exit(f"apple-availability: {pattern.pattern} does not find: {sample}")
    for line in NOT_FOUND:
        for pattern, *_ in found:
            if pattern.search(line):
                sys.exit(f"apple-availability: {pattern.pattern} finds: {line}")
    print(f"apple-availability: {len(found)} rows find their samples")


def main():
    if sys.argv[1:] == ["--self-check"]:
        return self_check()
    floor = floors()
    found = list(names(floor["iOS"])) + list(statements(floor))
    for each in found:
        print(each)
    if found:
        sys.exit(1)
    print(f"apple-availability: nothing in Sources and Tests needs more than iOS {floor['iOS']}")


if __name__ == "__main__":
    main()
