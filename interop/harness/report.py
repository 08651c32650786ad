"""Writes the results down: lines on the terminal, and a table in the documentation that changes only with the facts."""

from harness.places import INTEROP
from harness.scenario import FAILED, PASSED

PAGE = INTEROP.parent / "docs" / "interop.md"
BEGIN, END = "<!-- results: begin, written by interop/run -->", "<!-- results: end -->"


def tell(row):
    mark = {PASSED: "ok  ", FAILED: "FAIL"}.get(row.outcome, "--  ")
    print(f"{mark} {row.peer.name} · {row.scenario} · {row.step.name}", flush=True)
    if row.reason:
        print("\n".join("     " + line for line in row.reason.splitlines()), flush=True)


def summary(rows):
    failed = sum(row.outcome != PASSED for row in rows)
    return f"{len(rows) - failed} passed, {failed} failed", failed == 0


def write(rows):
    """Replaces what stands between the markers."""
    text = PAGE.read_text()
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    new = head + BEGIN + "\n\n" + table(rows) + "\n" + END + tail
    if new != text:
        PAGE.write_text(new)


def table(rows):
    lines = ["| Peer | Version | Scenario | Step | Outcome | Quirk met |", "|---|---|---|---|---|---|"]
    for row in rows:
        cells = (row.peer.name, row.peer.version(), row.scenario, row.step.name, row.outcome, row.step.quirk)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"
