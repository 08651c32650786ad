#!/usr/bin/env python3
"""Writes docs/scale.md of what scripts/scale.sh measured: the folder of its run, what was run, and how it was built."""
import json
import os
import subprocess
import sys

folder, exchanges, calls, build = sys.argv[1:5]


def reports(name):
    found, holds = {}, []
    path = os.path.join(folder, name + ".out")
    if not os.path.exists(path):
        return None
    for line in open(path):
        line = line.strip()
        if line.startswith("{"):
            value = json.loads(line)
            found[value.get("name", "provider")] = value
        elif line:
            holds.append(line)
    return found, holds


def row(title, value):
    kinds = ", ".join(f"{kind}: {count}" for kind, count in sorted(value["kinds"].items()))
    return (f"| {title} | {value['count']} | {value['perSecond']:.0f} | {value['p50Milliseconds']:.1f} "
            f"| {value['p99Milliseconds']:.1f} | {kinds} |")


titles = {"one": "one instance", "three": "three instances", "chaos": "three instances, killed"}
processors = os.cpu_count()
version = subprocess.run(["nginx", "-v"], capture_output=True, text=True).stderr.strip().split("/")[-1]
print(f"""# How far the service scales

Written by `make scale`: {exchanges} exchanges of codes and {calls} calls, half of them with bearer tokens and half with proofs of possession, by 64 clients at once,
through nginx {version}, on one PostgreSQL; built for {build}. Clients, provider, proxy, instances and database share {processors} processors, so these figures say how runs
compare with each other, and less than what a machine of one's own would do.

| Run | Count | A second | p50 (ms) | p99 (ms) | Answers of all attempts |
| --- | --- | --- | --- | --- | --- |""")
for name, title in titles.items():
    found = reports(name)
    if found is None:
        continue
    for kind in ["exchanges", "calls"]:
        print(row(f"{title}: {kind}", found[0][kind]))
print("""
An exchange is timed from the first request of the app to the last, with all that it asks again in between; one in ten apps sends its request twice at once. In the
last run instances are killed with `kill -9` and the database is stopped at once, again and again, five of a hundred answers of the provider come 1.5 seconds late, and
an app whose code was lost with its instance gives up: the person verifies once more.

## What held
""")
for name, title in titles.items():
    found = reports(name)
    if found is None:
        continue
    print(f"* {title}:")
    for line in found[1]:
        print(f"    * {line}")
killed = os.path.join(folder, "killed")
if os.path.exists(killed):
    words = [line.strip() for line in open(killed)]
    print(f"\nKilled meanwhile: {words.count('instance')} instances, and the database {words.count('database')} times.")
print("""
## Sizes

* **Connections.** An instance uses `connections` of them (default 10, here 8), and one request at most one at a time. Instances times `connections` has to stay below the server's
  `max_connections`, with some left for a person. More connections than twice the database's processors add waiting there and no throughput.
* **Instances.** A call with a bearer token asks the database nothing; a call with a proof is one insert, an exchange is five or six statements. Add instances for signatures, and
  processors and a faster disk of the database for proofs and exchanges.
* **The database** keeps a proof for a bit over a minute, a redeemed code for an hour, a session until it ends and a verification until it is removed: at 1,000 proofs a second about 80,000 rows.
* **Disk.** Each change waits for the disk. `synchronous_commit = off` is faster and may lose what was answered last in a power failure; replayed proofs could then pass.""")
