"""The interop run: see README.md. Started by `interop/run`."""

import argparse
import shutil
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import peers
from harness import doctor, report
from harness.command import binary
from harness.packages import install
from harness.peer import Peer
from harness.places import LOGS
from harness.processes import Failure, Servers
from harness.scenario import FAILED, Row, Step, file_name, play


def main():
    options = arguments()
    chosen = [peer for peer in peers.every() if not options.only or {peer.name, peer.family} & set(options.only)]
    if options.list:
        for peer in peers.every():
            print(peer.name)
        return 0
    if not chosen:
        raise Failure("no peer has that name; --list shows them all")
    prepare(chosen)
    if options.prepare:
        return 0
    if options.serve:
        return serve(chosen[0])
    binary()
    shutil.rmtree(LOGS, ignore_errors=True)
    rows = [row for peer in chosen for row in visit(peer)]
    if not options.only:
        report.write(rows)
    line, passed = report.summary(rows)
    print(line)
    return 0 if passed else 1


def arguments():
    parser = argparse.ArgumentParser(prog="interop/run", description="Signs in at providers that other people wrote.")
    parser.add_argument("--only", action="append", metavar="PEER", help="visit this peer; may be given again")
    parser.add_argument("--list", action="store_true", help="name the peers and stop")
    parser.add_argument("--prepare", action="store_true", help="install what is needed and stop")
    parser.add_argument("--serve", action="store_true", help="bring up the peer of --only and wait, to look around")
    return parser.parse_args()


def prepare(chosen):
    """Everything is installed in one go before the first visit."""
    packages = [package for peer in chosen for package in peer.packages]
    backports = [package for peer in chosen for package in peer.backports]
    environments = {environment.path: environment for peer in chosen for environment in peer.environments}
    if environments:
        packages.append("python3-venv")
    preseed = [line for peer in chosen for line in peer.preseed]
    install(dict.fromkeys(packages), preseed, dict.fromkeys(backports))
    makes = [*environments.values(), *(program for peer in chosen for program in peer.programs)]
    # One downloads while another compiles.
    with ThreadPoolExecutor(max_workers=2) as workers:
        for work in [workers.submit(each.prepare) for each in makes]:
            work.result()


def visit(peer: Peer):
    """Starts a peer, plays its scenarios, and stops it."""
    folder = LOGS / file_name(peer.name)
    with Servers(folder) as servers:
        try:
            peer.start(servers)
            scenarios = [*([doctor.scenario(peer.issuer)] if peer.issuer else []), *peer.scenarios()]
        except Failure as failure:
            row = Row(peer, "start", Step("come up"), FAILED, str(failure))
            report.tell(row)
            return [row]
        return [
            row
            for scenario in scenarios
            for row in play(peer, scenario, folder / file_name(scenario.name), report.tell)
        ]


def serve(peer: Peer):
    with Servers(LOGS / file_name(peer.name)) as servers:
        peer.start(servers)
        print(f"{peer.name} runs; its log is in {servers.logs}. Ctrl-C stops it.")
        signal.pause()


def leave(number, _):
    sys.exit(128 + number)


if __name__ == "__main__":
    for kind in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(kind, leave)
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"interop/run: {failure}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
