#!/usr/bin/env python3
"""The privacy manifest names the required-reason APIs that the sources use: no fewer, and no more.

The lists are those of developer.apple.com/documentation/bundleresources/describing-use-of-required-reason-api; the store reads
them off the binary, so a name in a branch that Linux alone compiles is harmless and still has to be justified here.
"""

import pathlib
import plistlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MANIFEST = ROOT / "Sources/Ostiary/PrivacyInfo.xcprivacy"
# What an app on Apple's platforms links.
SHIPPED = ["OstiaryCompatibility", "OstiaryJOSE", "OstiaryOAuth", "Ostiary", "OstiarySwiftUI", "OstiaryMigration", "FrontDoors"]

APIS = {
    "FileTimestamp": r"\.creationDate\b|\.modificationDate\b|fileModificationDate|contentModificationDateKey"
    r"|creationDateKey|attributesOfItem|\b(f|l)?stat\(|\bfstatat\(|\bf?getattrlist(bulk|at)?\(",
    "SystemBootTime": r"\bsystemUptime\b|\bmach_absolute_time\(",
    "DiskSpace": r"\bvolume(Available|Total)Capacity|\bsystem(Free)?Size\b|\bf?statv?fs\(",
    "ActiveKeyboards": r"\bactiveInputModes\b",
    "UserDefaults": r"\bUserDefaults\b|@AppStorage\b",
}
REASONS = {
    "FileTimestamp": {"DDA9.1", "C617.1", "3B52.1", "0A2A.1"},
    "SystemBootTime": {"35F9.1", "8FFB.1", "3D61.1"},
    "DiskSpace": {"85F4.1", "E174.1", "7D9E.1", "B728.1"},
    "ActiveKeyboards": {"3EC4.1", "54BD.1"},
    "UserDefaults": {"CA92.1", "1C8F.1", "C56D.1", "AC6B.1"},
}


def used():
    """Where each category is used."""
    places = {}
    for folder in SHIPPED:
        for file in sorted((ROOT / "Sources" / folder).rglob("*.swift")):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                code = line.split("//")[0]
                for category, pattern in APIS.items():
                    if re.search(pattern, code):
                        places.setdefault(category, []).append(f"{file.relative_to(ROOT)}:{number}")
    return places


def declared():
    """The reasons of each category in the manifest."""
    manifest = plistlib.loads(MANIFEST.read_bytes())
    prefix = "NSPrivacyAccessedAPICategory"
    return {
        entry["NSPrivacyAccessedAPIType"].removeprefix(prefix): set(entry["NSPrivacyAccessedAPITypeReasons"])
        for entry in manifest["NSPrivacyAccessedAPITypes"]
    }


def main():
    places, reasons = used(), declared()
    problems = []
    for category in sorted(places.keys() - reasons.keys()):
        problems.append(f"{category} is used and not in the manifest: {', '.join(places[category])}")
    for category in sorted(reasons.keys() - places.keys()):
        problems.append(f"{category} is in the manifest and used nowhere")
    for category, named in sorted(reasons.items()):
        unknown = named - REASONS.get(category, set())
        if unknown or not named:
            problems.append(f"{category}: {', '.join(sorted(unknown)) or 'no reason'} is no reason for it")
    for problem in problems:
        print(problem)
    if not problems:
        print("privacy manifest: ok (" + ", ".join(sorted(reasons)) + ")")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
