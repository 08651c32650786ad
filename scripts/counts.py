#!/usr/bin/env python3
"""Counts instructions and allocations, prints a table for each subject, and fails when a figure is over its limit.

    scripts/counts.py       after swift build --package-path Benchmarks -c release --product counts

Each row is compared with the first one of its table. callgrind (valgrind) counts the instructions of one operation, and its calls of
malloc and its like. Both hardly change from run to run, so they have limits. The hash functions have more instructions there than
elsewhere, since valgrind's processor has none for SHA-256. Without valgrind the script says so, and checks nothing.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "Benchmarks/.build/release/counts"
ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"}

# The table, the row, what is limited, and the limit: of the ratio of instructions to the first row, or of the allocations beside
# those of the first row. docs/performance.md has the goals.
TOKEN = "ostiary: parse, key, signature, claims"
RESPONSE = "ostiary: JSON, signature, every rule"
UNCACHED = "ostiary: bearer, every signature checked"
CACHED = "ostiary: bearer, signature cached"
PROOF = "ostiary: DPoP, token cached, proof checked"
LIMITS = [
    ("Verify RS256, a token of 20 claims", TOKEN, "instructions", 1.09),
    ("Verify PS256, a token of 20 claims", TOKEN, "instructions", 1.08),
    ("Verify ES256, a token of 20 claims", TOKEN, "instructions", 1.035),
    ("Verify EdDSA, a token of 20 claims", TOKEN, "instructions", 1.025),
    ("Verify RS256, a token of 20 claims", TOKEN, "allocations", 10),
    ("Verify PS256, a token of 20 claims", TOKEN, "allocations", 10),
    ("Verify ES256, a token of 20 claims", TOKEN, "allocations", 10),
    ("Verify EdDSA, a token of 20 claims", TOKEN, "allocations", 10),
    ("Verify ES256 with the last key of a set", "keys: 10", "instructions", 1.01),
    ("Verify ES256 with the last key of a set", "keys: 100", "instructions", 1.03),
    ("From a token response to its tokens, RS256", RESPONSE, "instructions", 1.42),
    ("From a token response to its tokens, ES256", RESPONSE, "instructions", 1.17),
    ("From a token response to its tokens, RS256", RESPONSE, "allocations", 43),
    ("From a token response to its tokens, ES256", RESPONSE, "allocations", 43),
    ("Guard a route, RS256", UNCACHED, "instructions", 1.3),
    ("Guard a route, RS256", UNCACHED, "allocations", 25),
    ("Guard a route, RS256", CACHED, "instructions", 0.32),
    ("Guard a route, ES256", UNCACHED, "instructions", 1.11),
    ("Guard a route, ES256", CACHED, "instructions", 0.1),
    ("Guard a route, ES256", PROOF, "instructions", 1.39),
    # The store of the proofs grows meanwhile.
    ("Guard a route, ES256", PROOF, "allocations", 77),
]


def counted(folder):
    """Instructions and allocations of one operation, by table and row."""
    program = Path(folder) / "counts"
    # callgrind reads the debug information at each start, and needs none of it.
    subprocess.run(["strip", "-g", "-o", program, PROGRAM], check=True)
    run = subprocess.run(
        [
            "valgrind", "--tool=callgrind", "--dump-before=*callgrindMark*", f"--callgrind-out-file={folder}/profile",
            program,
        ],
        capture_output=True, text=True, env={**os.environ, "TMPDIR": folder},
    )
    if run.returncode != 0:
        sys.exit(f"The program failed under valgrind, with status {run.returncode}:\n{run.stderr[-2000:]}")
    figures = {}
    for place, line in enumerate(run.stdout.splitlines()):
        table, row, operations = line.split("\t")
        # Each row has two marks: the profile between them is that of its operations.
        instructions, allocations = profile(Path(f"{folder}/profile.{2 * place + 2}"))
        figures[table, row] = (instructions / int(operations), allocations / int(operations))
    return figures


def profile(path):
    """The instructions in a profile of callgrind, and its calls of the allocator."""
    instructions, allocations, names, called = 0, 0, {}, None
    for line in path.read_text().splitlines():
        if line.startswith("totals:"):
            instructions = int(line.split()[1])
        elif match := re.match(r"c?fn=\((\d+)\)(?: (.*))?", line):
            number, name = match.groups()
            if name:
                names[number] = re.sub(r"'\d+$", "", name)
            if line.startswith("c"):
                called = names.get(number)
        elif line.startswith("calls=") and called in ALLOCATORS:
            allocations += int(line.split("=")[1].split()[0])
    return instructions, allocations


def show(figures):
    """Prints the tables, and returns the ratios of instructions and the further allocations."""
    compared, title, base = {}, None, None
    for (table, row), (instructions, allocations) in figures.items():
        if table != title:
            title, base = table, (instructions, allocations)
            print(f"\n{title}\n{'':<46}{'instructions':>22}{'allocations':>13}")
        compared[table, row] = {"instructions": instructions / base[0], "allocations": allocations - base[1]}
        print(f"  {row:<44}{instructions:>13,.0f} {instructions / base[0]:>6.3f} x{allocations:>12.1f}")
    return compared


def main():
    if not shutil.which("valgrind"):
        print("counts: skipped, nothing counted (valgrind is missing). Next: apt-get install valgrind")
        return
    if not PROGRAM.exists():
        sys.exit("The program is not built. Next: swift build --package-path Benchmarks -c release --product counts")
    with tempfile.TemporaryDirectory(prefix="ostiary-counts-") as folder:
        compared = show(counted(folder))
    failed = False
    for table, row, figure, limit in LIMITS:
        if compared[table, row][figure] > limit:
            failed = True
            print(f"{table}: {row}: {figure}: {compared[table, row][figure]:.3f}, at most {limit}", file=sys.stderr)
    if failed:
        sys.exit("Mend what the row measures, or raise its limit in scripts/counts.py and say why in docs/performance.md.")
    print(f"\ncounts: each of the {len(LIMITS)} figures with a limit is within it")


if __name__ == "__main__":
    main()
