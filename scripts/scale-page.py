#!/usr/bin/env python3
"""Prints docs/scale.md from the figures of a run of scripts/scale.sh: the folder of the run, the counts, and the build."""
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
TITLES = {
    "one": "one instance",
    "three": "three instances",
    "chaos": "three instances, killed",
    "upgrade": "three instances, replaced",
    "failover": "three instances, another database",
    "faults": "three instances, a faulty issuer",
}
# The faults of the issuer by the names of the reports, as the page calls them.
FAULTS = {
    "refuses": "refuses connections",
    "limits": "answers 429 with `Retry-After: 2`",
    "drops": "packets to it are lost",
    "hangs": "accepts requests, and does not respond",
}
# The kinds of request by the names of the reports, as the page calls them.
KINDS = {
    "exchanges": "code redemptions",
    "calls with bearer tokens": "calls with bearer tokens",
    "calls with proofs": "calls with DPoP proofs",
    "sign-ins": "sign-ins",
    "session calls": "calls with sessions",
}
PARTS = ["instances", "database", "proxy", "clients and provider"]


def output(*command):
    try:
        found = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return "unknown"
    return (found.stdout + found.stderr).strip().splitlines()[0]


def read(name):
    """The reports of a run by name, the counts of the provider, the lines about the invariants, and the faults."""
    reports, provider, lines, faults = {}, {}, [], []
    path = os.path.join(folder, name + ".out")
    if not os.path.exists(path):
        return None
    for line in open(path):
        line = line.strip()
        if line.startswith("{"):
            value = json.loads(line)
            if "name" in value:
                reports[value["name"]] = value
            elif "fault" in value:
                faults.append(value)
            else:
                provider = value
        elif line:
            lines.append(line)
    return reports, provider, lines, faults


def kinds_of(report):
    return ", ".join(f"{answer}: {count}" for answer, count in sorted(report["kinds"].items()))


def table_sizes():
    """Rows and bytes of each table after the runs without a failure."""
    path = os.path.join(folder, "tables")
    lines = open(path).read().split("\n") if os.path.exists(path) else []
    return {name: (int(rows), int(size)) for name, rows, size in (line.split() for line in lines if line)}


def number(value):
    """A number with three significant digits."""
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
gateway = read("gateway")
cores = os.cpu_count()
postgres = output(os.environ.get("POSTGRES", "postgres"), "--version").replace("postgres (PostgreSQL)", "PostgreSQL")
nginx = output("nginx", "-v").split("/")[-1]
swift = re.sub(r".*(Swift version \S+).*", r"\1", output("swift", "--version"))



class Wrapped(io.StringIO):
    """The printed page, with text wrapped at 128 characters; a row of a table stays one line."""

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

`make scale` writes this page from a run on one machine. Its parts use one nginx and one PostgreSQL: one instance and three instances without a failure, and three instances with failures: [killed](#killed-instances), [replaced one by one](#a-rolling-upgrade), with a database that [fails over](#another-database), and with [an issuer that has faults](#a-faulty-issuer).
In the parts without a failure 64 clients at once redeem {int(exchanges):,} codes, make {int(calls):,} calls with access tokens, half of them with DPoP proofs, and make {int(session_calls):,} calls with {sessions} sessions.

| | |
| --- | --- |
| Machine | {cores} processors ({processor()}), {memory()} GB, {platform.system()} {platform.release()} |
| Versions | {swift}, nginx {nginx}, {postgres} |
| Command | `scripts/scale.sh` (`SCALE=0.01 scripts/scale.sh` is the small run in `make test`) |
| Instances | `ostiary-backend serve`, built for {build}, {connections} connections to the database each |
| Database | default settings, with `shared_buffers` of 128 MB; every commit waits for the disk; {f'{stored:,} sessions and as many proofs' if stored else 'nothing'} in the tables at the start |
| Callers | {holders:,} access tokens, half of them with a key each |

Clients, provider, nginx, database and instances share the {cores} processors. The first table therefore compares the parts of the run, and shows that no data is lost under load. To size
another machine, use the table of processor time.

The run has no network between its processes: in production, round trips add to each statement and to each request to the issuer. It has no standby for which commits wait. Without `STORED` and `HOLDERS`
(scripts/scale.sh) the tables fit into the database's memory, and every token is in the instances' caches.

## Responses

| Run | Count | Per second | p50 (ms) | p99 (ms) | Responses of all attempts |
| --- | ---: | ---: | ---: | ---: | --- |""")
for name, (reports, _, _, _) in runs.items():
    for kind in KINDS:
        # The issuer's faults have a table of their own.
        if name == "faults":
            continue
        report = reports[kind]
        kinds = kinds_of(report)
        print(
            f"| {TITLES[name]}: {KINDS[kind]} | {report['count']} | {report['perSecond']:.0f} "
            f"| {report['p50Milliseconds']:.1f} | {report['p99Milliseconds']:.1f} | {kinds} |"
        )
print("""
The time of a code redemption runs from the app's first request to its last, with all retries. One app in ten sends its request twice at the same time. A sign-in is two requests, timed the same way.
Access tokens of sessions are refreshed after six or seven seconds, those of every tenth session at each call. Eight calls in a row use one session, so several instances refresh it at the same time. Without failures
the kinds of request follow one another; in the parts with failures all come at once.
""")

if "chaos" in runs:
    killed = open(os.path.join(folder, "killed")).read().split()
    chaos = runs["chaos"][1]
    print(f"""## Killed instances

An instance is killed with `kill -9` every second or two ({killed.count('instance')} times), and the database is stopped without notice ({killed.count('database')} times). The provider
delays 5 % of its responses by 1.5 seconds ({chaos['late']} responses). An app whose code was lost with its instance gives up, and its user verifies again. When an instance dies between presenting a refresh token and
storing the response, the session ends after a minute, and its user signs in again.
""")

if "upgrade" in runs:
    replaced = open(os.path.join(folder, "replaced")).read().split()
    before = os.environ.get("UPGRADE_FROM")
    print(f"""## A rolling upgrade

Each instance is replaced in the order of [operations](operations.md#upgrades) under load: it leaves the proxy, gets SIGTERM and ends, the next one starts, is ready, and gets requests ({len(replaced)} times{", from an older version to this one and back" if before else ", by the same version"}). nginx closes its open connections whenever it is reloaded: requests on them get no response here, and are sent again. No session ends.
""")

if "failover" in runs:
    print("""## Another database

The instances know both hosts of a primary and its synchronous standby (`host` with a comma). The primary crashes under load, and the standby is promoted two seconds later. Until then requests get 503 after `connect_seconds`. No session ends, and everything that was confirmed is in the new primary.
""")

if "faults" in runs:
    reports, provider, _, faults = runs["faults"]
    print("""## A faulty issuer

The issuer of the sessions has one fault after the other, while all sessions are used; the API behind them has none. The sessions have `lost_refresh` `repeated`, and the issuer accepts a repeated refresh token, as one with a grace period does. A call with a token that is still valid succeeds; one that needs a new token gets 503 with `Retry-After`. No session ends.

| The issuer | Seconds | Calls with sessions | p50 (ms) | p99 (ms) | Responses | Requests for a refresh at the issuer | Seconds to the first refresh afterwards |
| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: |""")
    for fault in faults:
        report = reports["session calls: " + fault["fault"]]
        print(
            f"| {FAULTS[fault['fault']]} | {fault['seconds']:.0f} | {report['count']} | {report['p50Milliseconds']:.1f} "
            f"| {report['p99Milliseconds']:.1f} | {kinds_of(report)} | {fault['refreshes']} "
            f"| {fault['recoverySeconds']:.1f} |"
        )
    if not any(fault["fault"] == "drops" for fault in faults):
        print("\nThe machine of this run has no network namespaces, so no packets were lost.")
    print(f"""
Refreshes that were repeated because their response was lost: {provider['sessions']['repeatedRefreshes']}.
""")

print("## Invariants that held\n")
for name, (_, _, lines, _) in runs.items():
    print(f"* {TITLES[name]}:")
    for line in lines:
        print(f"    * {line.removeprefix('holds: ')}")

costs = {}
measured = [name for name in ["one", "three"] if name in runs and runs[name][0]["exchanges"].get("processorSeconds")]
if measured:
    print("""
## Processor time

Milliseconds of processor time for one request, including all work that it causes. Clients and provider are not part of a service; their column is their share of this machine.

| Run | Instances | Database | Proxy | Clients and provider |
| --- | ---: | ---: | ---: | ---: |""")
    for name in measured:
        for kind in KINDS:
            report = runs[name][0][kind]
            cost = {part: report["processorSeconds"].get(part, 0) * 1000 / max(report["count"], 1) for part in PARTS}
            costs[name, kind] = cost
            print(f"| {TITLES[name]}: {KINDS[kind]} | " + " | ".join(f"{cost[part]:.2f}" for part in PARTS) + " |")

if gateway and measured:
    version = open(os.path.join(folder, "gateway-version")).read().strip()
    print(f"""
## Beside mod_auth_openidc

Apache with mod_auth_openidc {version} (Debian's package) serves the same sessions in the same run: {sessions} sign-ins, {int(session_calls):,} calls with sessions, the same issuer, API and lifetimes of tokens. It keeps sessions in the shared memory of one machine (`OIDCCacheType shm`) and knows them by a cookie; the service keeps them sealed in PostgreSQL, and checks a proof of the app's key on each request. Requests for one second of processor time:

| | Apache with mod_auth_openidc | Instance of the service | Instance and database |
| --- | ---: | ---: | ---: |""")
    for kind in ["sign-ins", "session calls"]:
        report = gateway[0][kind]
        own = runs[measured[0]][0][kind]
        spent, count = report["processorSeconds"], max(own["count"], 1)
        instance, database = own["processorSeconds"]["instances"], own["processorSeconds"]["database"]
        rates = [report["count"] / spent["proxy"], count / instance, count / (instance + database)]
        print(f"| {KINDS[kind]} | " + " | ".join(number(rate) for rate in rates) + " |")
    counts = gateway[1]["sessions"]
    print(f"""
Its responses: sign-ins {kinds_of(gateway[0]['sign-ins'])}; calls {kinds_of(gateway[0]['session calls'])}. Of its {counts['refreshRequests']} requests for a refresh {counts['refreshTokensShownTwice']} presented a refresh token a second time; the service presents none twice.""")

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

These figures follow from those above, with the processor time of {TITLES[base]}. Plan for twice as much: they include no reserve for a busy hour.

* **Instances.** One processor that does nothing else handles per second:

| | Processor of an instance | Processor of the database |
| --- | ---: | ---: |""")
    for kind, title in KINDS.items():
        cost = costs[base, kind]
        rate = {part: number(1000 / cost[part]) if cost[part] > 0.005 else "no limit" for part in ["instances", "database"]}
        print(f"| {title} | {rate['instances']} | {rate['database']} |")
    proof = costs[base, "calls with proofs"]
    print(f"""
  An instance uses every processor that it gets. More instances on one machine only help while one of them is replaced or fails: here three on the same {cores} processors handled
  {ratio:.2f} times as many calls with DPoP proofs per second as one. More machines add capacity until the database is the limit. For calls with DPoP proofs that is {number(1000 / proof['database'])} per second for each of
  its processors, or {number(proof['instances'] / proof['database'])} processors of instances for one of the database. Calls with bearer tokens do not use the database.
* **Connections.** A request holds a connection for one statement at a time. A statement that writes took {commit:.1f} ms here, most of it waiting for the disk. A processor that only checks proofs
  keeps {number(max(1, math.ceil(commit / proof['instances'])))} of its connections busy (`connections`: 10 by default, {connections} here). Instances times `connections` must stay below the server's `max_connections`, with a few left for operators. With more
  connections, requests wait in the database; in the service they would get 503 after `waiting_seconds`.
* **The database** keeps a proof for just over a minute, a redeemed code for an hour, a session until it ends, and a verification until it is removed. The size of a row, with its indexes:
""")
    print("| Table | Rows after the run | Bytes per row |")
    print("| --- | ---: | ---: |")
    for table in sorted(sizes):
        if sizes[table][0] >= 100:
            print(f"| `{table}` | {sizes[table][0]} | {number(per_row(table))} |")
    bound, signed, users = 500, 20, 100_000
    code = costs[base, "sign-ins"]
    instance_share = (bound * proof["instances"] + signed * code["instances"]) / 1000
    database_share = (bound * proof["database"] + signed * code["database"]) / 1000
    session = sizes.get("ostiary_session", (0, 0))
    replay = next((table for table in sizes if "replay" in table or "proof" in table), None)
    rows = bound * 61
    print(f"""
* **An example**: {bound} calls with DPoP proofs and {signed} sign-ins per second, and {users:,} sessions. They need {number(instance_share)} processors of instances and {number(database_share)} of the database, before doubling: two instances
  with two processors each, so that one can fail. {f"The database holds {rows:,} rows of proofs, {number(rows * per_row(replay) / 1e6)} MB" if replay else ""}{f", and {number(users * per_row('ostiary_session') / 1e6)} MB of sessions." if session[0] else "."}
* **Disk.** Each write waits for the disk. With `synchronous_commit = off` writes are faster, but a power failure may lose the last confirmed ones; a replayed proof could then be accepted.""")
sys.stdout = sys.__stdout__
print("\n".join(page.lines()))
