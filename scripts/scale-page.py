#!/usr/bin/env python3
"""Writes docs/scale.md of what scripts/scale.sh measured: the folder of its run, what was run, and how it was built."""
import io
import json
import math
import os
import platform
import re
import subprocess
import sys
import textwrap

folder, exchanges, calls, sessions, session_calls, connections, build = sys.argv[1:8]
TITLES = {"one": "one instance", "three": "three instances", "chaos": "three instances, killed"}
# What is measured, what one of it is called, and what it asks of the store.
KINDS = {
    "exchanges": "an exchange of a code",
    "calls with bearer tokens": "a call with a bearer token",
    "calls with proofs": "a call with a proof",
    "sign-ins": "a sign-in",
    "session calls": "a call with a session",
}
PARTS = ["instances", "database", "proxy", "clients and provider"]


def output(*command):
    try:
        found = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return "unknown"
    return (found.stdout + found.stderr).strip().splitlines()[0]


def read(name):
    """The reports of a run by name, what the provider counted, and the lines about what held."""
    reports, provider, lines = {}, {}, []
    path = os.path.join(folder, name + ".out")
    if not os.path.exists(path):
        return None
    for line in open(path):
        line = line.strip()
        if line.startswith("{"):
            value = json.loads(line)
            if "name" in value:
                reports[value["name"]] = value
            else:
                provider = value
        elif line:
            lines.append(line)
    return reports, provider, lines


def table_sizes():
    """Rows and bytes of each table after the runs without a failure."""
    path = os.path.join(folder, "tables")
    lines = open(path).read().split("\n") if os.path.exists(path) else []
    return {name: (int(rows), int(size)) for name, rows, size in (line.split() for line in lines if line)}


def number(value):
    """With three digits that count."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    rounded = round(value, digits) if digits else int(round(value, 2 - math.floor(math.log10(abs(value)))))
    return f"{rounded:,}"


def processor():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def memory():
    return round(int(re.search(r"MemTotal:\s+(\d+)", open("/proc/meminfo").read()).group(1)) / 1024 / 1024)


runs = {name: read(name) for name in TITLES}
runs = {name: run for name, run in runs.items() if run is not None}
cores = os.cpu_count()
postgres = output(os.environ.get("POSTGRES", "postgres"), "--version").replace("postgres (PostgreSQL)", "PostgreSQL")
nginx = output("nginx", "-v").split("/")[-1]
swift = re.sub(r".*(Swift version \S+).*", r"\1", output("swift", "--version"))



class Wrapped(io.StringIO):
    """What is printed, with lines of text of at most 128 characters; tables have the lines that they need."""

    def lines(self):
        paragraph = []
        for line in self.getvalue().splitlines():
            if line.startswith(("|", "#")) or not line.strip():
                yield from self.filled(paragraph)
                paragraph = []
                yield line
            elif line.lstrip().startswith("* "):
                yield from self.filled(paragraph)
                paragraph = [line]
            else:
                paragraph.append(line)
        yield from self.filled(paragraph)

    @staticmethod
    def filled(paragraph):
        if not paragraph:
            return
        indent = " " * (len(paragraph[0]) - len(paragraph[0].lstrip()))
        hanging = indent + ("  " if paragraph[0].lstrip().startswith("* ") else "")
        text = " ".join(line.strip() for line in paragraph)
        yield from textwrap.wrap(
            text, 128, initial_indent=indent, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False
        )


holders, stored = int(os.environ.get("HOLDERS", "200")), int(os.environ.get("STORED", "0"))
page = sys.stdout = Wrapped()
print(f"""# How far the service scales

Written by `make scale` from one run on one machine: first one instance, then three, then three that are killed, all behind one nginx and on one PostgreSQL; in
each {exchanges} exchanges of codes, {calls} calls with access tokens, half of them with proofs of possession, and {session_calls} calls with {sessions} sessions, by 64 clients at once.

| | |
| --- | --- |
| Machine | {cores} processors ({processor()}), {memory()} GB, {platform.system()} {platform.release()} |
| Versions | {swift}, nginx {nginx}, {postgres} |
| Command | `scripts/scale.sh` (`SCALE=0.01 scripts/scale.sh` is the small run that is a part of `make test`) |
| Instances | `ostiary-backend serve`, built for {build}, {connections} connections to the database each |
| Database | default settings but `shared_buffers` of 128 MB; every commit waits for the disk; {stored:,} sessions and as many proofs in the tables before |
| Callers | {holders:,} access tokens, half of them with a key each |

Clients, provider, nginx, database and instances share the {cores} processors. So the first table says how the runs compare, and that nothing is lost under load; what a machine of
one's own can do follows from the second one, which is about processor time.

What such a run does not show: a network between the parts, whose round trips add to each statement and each request to the issuer; a standby that commits wait for; and, without `STORED`
and `HOLDERS` (scripts/scale.sh), tables that are larger than the database's memory and tokens that are not in the instances' cache.

## What was answered

| Run | Count | A second | p50 (ms) | p99 (ms) | Answers of all attempts |
| --- | ---: | ---: | ---: | ---: | --- |""")
for name, (reports, _, _) in runs.items():
    for kind in KINDS:
        report = reports[kind]
        kinds = ", ".join(f"{answer}: {count}" for answer, count in sorted(report["kinds"].items()))
        print(
            f"| {TITLES[name]}: {kind} | {report['count']} | {report['perSecond']:.0f} "
            f"| {report['p50Milliseconds']:.1f} | {report['p99Milliseconds']:.1f} | {kinds} |"
        )
print("""
An exchange is timed from the first request of the app to the last, with all that it asks again in between; one in ten apps sends its request twice at once. A sign-in is two
requests, and is timed in the same way. Access tokens of sessions are renewed after six or seven seconds, of every tenth session at each call, and eight calls in a row are with one session, so that
instances want to refresh it at the same time. In the runs without a failure one kind comes after the other, in the last one all come at once.
""")

if "chaos" in runs:
    killed = open(os.path.join(folder, "killed")).read().split()
    chaos = runs["chaos"][1]
    print(f"""In the last run an instance is killed with `kill -9` every second or two ({killed.count('instance')} times) and the database is stopped at once ({killed.count('database')} times); five of
a hundred answers of the provider come 1.5 seconds late ({chaos['late']} answers). An app whose code was lost with its instance gives up: the person verifies once more. A session whose refresh token
was shown by an instance that died before it could keep the answer ends after a minute: the person signs in once more.
""")

print("## What held\n")
for name, (_, _, lines) in runs.items():
    print(f"* {TITLES[name]}:")
    for line in lines:
        print(f"    * {line.removeprefix('holds: ')}")

costs = {}
measured = [name for name in ["one", "three"] if name in runs and runs[name][0]["exchanges"].get("processorSeconds")]
if measured:
    print("""
## What it costs

Milliseconds of processor time for one request, with everything that it is answered with. (Clients and provider are not a part of a service; they are here to say what of the machine was theirs.)

| Run | Instances | Database | Proxy | Clients and provider |
| --- | ---: | ---: | ---: | ---: |""")
    for name in measured:
        for kind in KINDS:
            report = runs[name][0][kind]
            cost = {part: report["processorSeconds"].get(part, 0) * 1000 / max(report["count"], 1) for part in PARTS}
            costs[name, kind] = cost
            print(f"| {TITLES[name]}: {kind} | " + " | ".join(f"{cost[part]:.2f}" for part in PARTS) + " |")

sizes = table_sizes()
if measured and sizes:
    base = "three" if "three" in measured else "one"
    commit = float(open(os.path.join(folder, "commit")).read())
    ratio = runs["three"][0]["calls with proofs"]["perSecond"] / runs["one"][0]["calls with proofs"]["perSecond"]

    def per_row(table):
        rows, size = sizes.get(table, (0, 0))
        return size / rows if rows else 0

    print(f"""
## Sizes

All figures here are worked out from those above, with the costs of {TITLES[base]}; plan for twice as much, as nothing is left for a busy hour otherwise.

* **Instances.** One processor of its own carries so many a second:

| | By an instance's processor | By the database's processor |
| --- | ---: | ---: |""")
    for kind, title in KINDS.items():
        cost = costs[base, kind]
        rate = {part: number(1000 / cost[part]) if cost[part] > 0.005 else "no limit" for part in ["instances", "database"]}
        print(f"| {title} | {rate['instances']} | {rate['database']} |")
    proof = costs[base, "calls with proofs"]
    print(f"""
  An instance uses all processors that it is given, so more instances on one machine are for the times when one of them is replaced or dies: here three on the same {cores} processors answered
  {ratio:.2f} times as many calls with proofs a second as one. Machines add up as long as the database is not the limit: for calls with proofs that is at {number(1000 / proof['database'])} a second for each of its
  processors, or {number(proof['instances'] / proof['database'])} processors of instances for one of the database. Calls with bearer tokens ask it nothing.
* **Connections.** A request holds a connection for one statement at a time. A statement that changes something took {commit:.1f} ms here, most of it for the disk; so a processor of an instance that does nothing but check proofs
  keeps {number(max(1, math.ceil(commit / proof['instances'])))} connections busy (`connections` is 10 unless it is set, here {connections}). Instances times `connections` has to stay below the server's `max_connections`, with a few left for people. More
  than that wait in the database instead of in the service, where they get a 503 after `waiting_seconds`.
* **The database** keeps a proof for a bit over a minute, a redeemed code for an hour, a session until it ends and a verification until it is removed. With its indexes a row took:
""")
    print("| Table | Rows after the runs | Bytes of one |")
    print("| --- | ---: | ---: |")
    for table in sorted(sizes):
        if sizes[table][0] >= 100:
            print(f"| `{table}` | {sizes[table][0]} | {number(per_row(table))} |")
    bound, signed, people = 500, 20, 100_000
    code = costs[base, "sign-ins"]
    instance_share = (bound * proof["instances"] + signed * code["instances"]) / 1000
    database_share = (bound * proof["database"] + signed * code["database"]) / 1000
    session = sizes.get("ostiary_session", (0, 0))
    replay = next((table for table in sizes if "replay" in table or "proof" in table), None)
    rows = bound * 61
    print(f"""
* **An example**: {bound} calls with proofs and {signed} sign-ins a second, {people:,} sessions. That is {number(instance_share)} processors of instances and {number(database_share)} of the database, before doubling: two instances
  with two processors each, so that one can be missing. {f"Of proofs {rows:,} rows are kept, {number(rows * per_row(replay) / 1e6)} MB; " if replay else ""}{f"of sessions {number(people * per_row('ostiary_session') / 1e6)} MB." if session[0] else ""}
* **Disk.** Each change waits for the disk. `synchronous_commit = off` is faster and may lose what was answered last in a power failure; replayed proofs could then pass.""")
sys.stdout = sys.__stdout__
print("\n".join(page.lines()))
