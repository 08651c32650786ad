#!/usr/bin/env python3
"""Compares the stand-ins in Platform/ with Platform/Facts/declarations.tsv: availability, nullability and isolation.

Prints each difference, and those that ACCEPTED explains with the reason; the exit status is 1 for any other one. A declaration
that the stand-ins do not have is a difference, too.

apple-facts.py --self-check turns every fact into its opposite, one at a time, and fails when one of them is not noticed.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FACTS = ROOT / "Platform" / "Facts" / "declarations.tsv"
SYSTEMS = ["iOS", "macCatalyst", "macOS", "tvOS", "watchOS", "visionOS"]
# Of Package.swift; Catalyst has the versions of iOS.
FLOOR = {"iOS": "16.0", "macCatalyst": "16.0", "macOS": "13.0", "tvOS": "16.0", "watchOS": "9.0", "visionOS": "1.0"}
# Differences that stay: {(declaration, column): why}.
ACCEPTED = {}

DECLARATION = re.compile(
    r"(?:\b(?:public|open|internal|private|fileprivate|final|static|override|convenience|required|weak|nonisolated|"
    r"mutating|lazy)\b(?:\(set\))?\s+)*"
    r"(?:(?P<type>class|struct|enum|protocol|extension|actor)\s+(?!func\b|var\b)(?P<name>[A-Za-z_][\w.]*)"
    r"|(?:class\s+)?(?P<kind>var|let|func)\s+(?P<member>`?[A-Za-z_]\w*`?)|(?P<init>init)\b)"
)
LINE_ATTRIBUTE = re.compile(r"@[A-Za-z]+(?:\((?:[^()\"]|\"[^\"]*\"|\([^()]*\))*\))?\s*")


def version(text):
    return tuple(int(part) for part in (text + ".0").split(".")[:2])


def availability(attributes):
    """What @available attributes say: {system: version, or None where it is unavailable}."""
    found = {}
    for attribute in attributes:
        match = re.match(r"@available\((.*)\)\s*$", attribute.strip(), re.S)
        if not match:
            continue
        parts = [part.strip() for part in match.group(1).split(",")]
        if parts[0] in SYSTEMS:
            if "unavailable" in parts:
                found[parts[0]] = None
            for part in parts:
                if part.startswith("introduced:"):
                    found[parts[0]] = part.split(":")[1].strip()
        if len(parts) > 1 and parts[-1] == "*":
            for part in parts[:-1]:
                system, _, number = part.partition(" ")
                found[system] = number
    # An API of iOS is one of Catalyst, which has the versions of iOS, unless it says otherwise.
    if "iOS" in found and "macCatalyst" not in found:
        found["macCatalyst"] = found["iOS"]
    return found


def signature(text, start):
    """The argument labels of a function or an initializer whose name ends at a position."""
    opening = text.find("(", start)
    if opening < 0 or text[start:opening].strip(" ?<>:,&AnyObjectVSendableEquatable") not in ("",):
        return ""
    depth, labels, begin = 0, [], opening + 1
    for at in range(opening, len(text)):
        character = text[at]
        if character in "([{<":
            depth += 1
        elif character in ")]}" or (character == ">" and text[at - 1] != "-"):
            depth -= 1
        if (character == "," and depth == 1) or depth == 0:
            argument = text[begin:at].strip()
            if argument:
                argument = LINE_ATTRIBUTE.sub("", argument)
                labels.append(argument.split(":")[0].split()[0] + ":")
            begin = at + 1
        if depth == 0:
            break
    return "(" + "".join(labels) + ")"


def plain(source):
    """The source without comments and without the content of strings."""
    source = re.sub(r"//[^\n]*", "", source)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', source)


class Declared:
    def __init__(self, systems, is_main, is_optional, place):
        self.systems, self.is_main, self.is_optional, self.place = systems, is_main, is_optional, place


def declarations():
    """Every declaration of the stand-ins by its name: {name: [Declared]}."""
    # An extension has the availability and the actor of its type, which may be in a file that comes later.
    types = {name: each[0] for name, each in read({}).items() if "(" not in name}
    return read(types)


def read(types):
    found = {}
    for path in sorted((ROOT / "Platform").rglob("*.swift")):
        text = plain(path.read_text(encoding="utf-8"))
        # (depth, name, availability, on the main actor)
        scopes, depth, at, pending = [], 0, 0, []
        for line in text.split("\n"):
            start, stripped = at, line.strip()
            at += len(line) + 1
            rest = stripped
            attributes = []
            while rest.startswith("@"):
                match = LINE_ATTRIBUTE.match(rest)
                if not match:
                    break
                attributes.append(match.group(0).strip())
                rest = rest[match.end():]
            pending += attributes
            match = DECLARATION.match(rest)
            inside = not scopes or depth == scopes[-1][0] + 1
            if rest and match and inside:
                outer = scopes[-1] if scopes else (-1, "", {}, False)
                own = availability(pending)
                systems = dict(outer[2])
                for system, number in own.items():
                    if systems.get(system, "0") is not None:
                        systems[system] = number
                words = rest.split("{")[0]
                is_main = ("@MainActor" in pending or outer[3]) and "nonisolated" not in words.split()
                begin = start + line.index(rest) + match.end()
                if match.group("type"):
                    name = match.group("name")
                    name = f"{outer[1]}.{name}" if outer[1] else name
                    if match.group("type") == "extension":
                        if name in types:
                            systems = {**types[name].systems, **systems}
                            is_main = is_main or types[name].is_main
                    else:
                        found.setdefault(name, []).append(Declared(systems, is_main, False, path))
                    scopes.append((depth, name, systems, is_main))
                else:
                    name = match.group("member") or "init"
                    if name == "init" or match.group("kind") == "func":
                        name += signature(text, begin)
                    name = f"{outer[1]}.{name}" if outer[1] else name
                    kind = text[begin:].split("\n")[0].split("{")[0].split("=")[0].strip()
                    found.setdefault(name, []).append(Declared(systems, is_main, kind.endswith("?"), path))
            if rest:
                pending = []
            depth += line.count("{") - line.count("}")
            while scopes and depth <= scopes[-1][0] and "{" not in line.split("}")[-1]:
                if "{" in line or "}" in line or depth < scopes[-1][0]:
                    scopes.pop()
                else:
                    break
    return found


def facts():
    rows = [line.split("\t") for line in FACTS.read_text(encoding="utf-8").split("\n") if line and line[0] != "#"]
    head = rows[0]
    for row in rows[1:]:
        if len(row) != len(head):
            sys.exit(f"{FACTS.name}: {len(row)} columns instead of {len(head)}: {row[0]}")
        yield dict(zip(head, row))


def difference(fact, system, declared):
    """How a stand-in and a fact differ about a system; None when they agree."""
    said = fact[system]
    if said == "?":
        return None
    number = declared.systems.get(system, "0")
    if said == "no":
        return None if number is None else "available in the stand-in, unavailable by the source"
    if number is None:
        return f"unavailable in the stand-in, {said} by the source"
    floor = version(FLOOR[system])
    if said == "yes":
        return None if version(number) <= floor else f"{number} in the stand-in, earlier by the source"
    # Below the floor a version changes nothing, and the stand-ins may leave it out.
    if version(said) <= floor:
        return None if version(number) <= floor else f"{number} in the stand-in, {said} by the source"
    return None if version(number) == version(said) else f"{number} in the stand-in, {said} by the source"


def differences(facts, known):
    for fact in facts:
        name = fact["declaration"]
        if name not in known:
            yield name, "declaration", "missing in the stand-ins", fact["source"]
            continue
        for declared in known[name]:
            for system in SYSTEMS:
                said = difference(fact, system, declared)
                if said:
                    yield name, system, said, fact["source"]
            if fact["nullable"] != "?" and declared.is_optional != (fact["nullable"] == "yes"):
                yield name, "nullable", f"{fact['nullable']} by the source", fact["source"]
            if fact["actor"] != "?" and declared.is_main != (fact["actor"] == "main"):
                yield name, "actor", f"{fact['actor']} by the source", fact["source"]


def opposites(fact):
    """Every fact that says the opposite in one column."""
    for column in SYSTEMS:
        if fact[column] != "?":
            yield column, {**fact, column: "99.0" if fact[column] == "no" else "no"}
    if fact["nullable"] != "?":
        yield "nullable", {**fact, "nullable": "no" if fact["nullable"] == "yes" else "yes"}
    if fact["actor"] != "?":
        yield "actor", {**fact, "actor": "any" if fact["actor"] == "main" else "main"}


def self_check(known):
    count = 0
    for fact in facts():
        for column, opposite in opposites(fact):
            count += 1
            if not any(what == column for _, what, _, _ in differences([opposite], known)):
                sys.exit(f"{fact['declaration']}, {column}: the opposite of a fact is not noticed")
    print(f"apple-facts: {count} opposites of facts noticed")


def main():
    known = declarations()
    if sys.argv[1:] == ["--self-check"]:
        return self_check(known)
    compared = list(facts())
    print(f"apple-facts: {len(compared)} declarations compared")
    failed = False
    for name, what, said, source in differences(compared, known):
        reason = ACCEPTED.get((name, what))
        failed = failed or reason is None
        print(f"{name}, {what}: {said} ({source})" + (f"; {reason}" if reason else ""))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
