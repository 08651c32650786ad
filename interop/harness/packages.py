"""Debian's packages: which are there, and installing those that are not."""

import contextlib
import os
import platform
from pathlib import Path

from harness.places import STATE
from harness.processes import Failure, must, run

POLICY = Path("/usr/sbin/policy-rc.d")
QUIET = {"DEBIAN_FRONTEND": "noninteractive"}
OPTIONS = ("-q", "-y", "-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=3")


def version_of(package):
    """The installed version of a Debian package, or None."""
    answer = run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Version}", package], timeout=20)
    installed = answer.status == 0 and answer.stdout.startswith("ii ")
    return answer.stdout[3:].strip() if installed else None


def install(packages, preseed=(), backports=()):
    """Installs what is missing, without questions and without starting a daemon.

    What is named in `backports` comes from there, with what it depends on; the rest does not.
    """
    usual, newer = ([name for name in names if version_of(name) is None] for names in (packages, backports))
    if not usual and not newer:
        return
    if os.geteuid() != 0:
        missing = " ".join([*usual, *newer])
        raise Failure("these Debian packages are missing and only root can install them: " + missing)
    with no_daemons():
        for line in preseed:
            must(run(["debconf-set-selections"], timeout=30, text=line + "\n"), "debconf-set-selections")
        if usual:
            fetch(usual)
        if newer:
            fetch(newer, *with_backports())


def fetch(packages, *options):
    print("installing " + " ".join(packages), flush=True)
    update(*options)
    command = ["apt-get", *OPTIONS, *options, "install", "--no-install-recommends", *packages]
    must(run(command, timeout=400, extra=QUIET), "apt-get install")


def update(*options):
    must(run(["apt-get", *OPTIONS, *options, "update"], timeout=120, extra=QUIET), "apt-get update")


def known_archives(release):
    """The mirrors that this machine's apt has lists of a release from."""
    command = ["apt-get", "indextargets", "Created-By: Packages", "--format", "$(CODENAME)|$(RELEASE)|$(REPO_URI)"]
    targets = [line.split("|") for line in run(command, timeout=30).stdout.splitlines()]
    return [archive for *names, archive in targets if release in names]


def with_backports():
    """Options that add the backports to what this machine's apt knows, for one command and in lists of its own."""
    release = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    if not (archives := known_archives(release)):
        update()
        archives = known_archives(release)
    if not archives:
        raise Failure(f"apt knows no archive of {release}, so that of its backports is not known either")
    backports = release + "-backports"
    # Where the machine knows them already, saying so twice would be an error.
    more = "" if known_archives(backports) else f"deb {archives[0]} {backports} main\n"
    folder = STATE / "apt"
    (folder / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    usual = Path("/etc/apt/sources.list")
    sources = usual.read_text() if usual.exists() else ""
    (folder / "sources.list").write_text(sources + "\n" + more)
    places = {"Dir::Etc::sourcelist": folder / "sources.list", "Dir::State::lists": folder / "lists"}
    for name, place in places.items():
        yield from ("-o", f"{name}={place}")
    yield from ("-t", backports)


@contextlib.contextmanager
def no_daemons():
    """Keeps packages from starting their daemons: a policy that is already there stays as it is."""
    if POLICY.exists():
        yield
        return
    POLICY.write_text("#!/bin/sh\nexit 101\n")
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink()
