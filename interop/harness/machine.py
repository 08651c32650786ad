"""What a run needs from the machine: Debian packages and Python environments."""

import contextlib
import hashlib
import os
import shutil
import sys
from pathlib import Path

from harness.processes import Failure, run

INTEROP = Path(__file__).resolve().parent.parent
STATE = Path(os.environ.get("OSTIARY_INTEROP_STATE") or INTEROP / ".state").resolve()
LOGS = STATE / "logs"

POLICY = Path("/usr/sbin/policy-rc.d")


def version_of(package):
    """The installed version of a Debian package, or None."""
    answer = run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Version}", package], timeout=20)
    installed = answer.status == 0 and answer.stdout.startswith("ii ")
    return answer.stdout[3:].strip() if installed else None


def install(packages, preseed=()):
    """Installs what is missing, without questions and without starting a daemon."""
    missing = [package for package in packages if version_of(package) is None]
    if not missing:
        return
    if os.geteuid() != 0:
        raise Failure("these Debian packages are missing and only root can install them: " + " ".join(missing))
    print("installing " + " ".join(missing), flush=True)
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    for line in preseed:
        must(run(["debconf-set-selections"], timeout=30, text=line + "\n"), "debconf-set-selections")
    options = ["-q", "-y", "-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=3"]
    with no_daemons():
        must(run(["apt-get", *options, "update"], timeout=120, extra=quiet), "apt-get update")
        command = ["apt-get", *options, "install", "--no-install-recommends", *missing]
        must(run(command, timeout=400, extra=quiet), "apt-get install")


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


class PythonEnvironment:
    """A virtual environment made once from a file of pinned requirements, and again when that file changes."""

    def __init__(self, name):
        self.requirements = INTEROP / f"requirements-{name}.txt"
        self.path = STATE / "python" / name
        self.python = self.path / "bin" / "python"

    def prepare(self):
        stamp = self.path / "stamp"
        wanted = hashlib.sha256(sys.version.encode() + self.requirements.read_bytes()).hexdigest()
        if stamp.exists() and stamp.read_text() == wanted:
            return
        print("making the Python environment of " + self.requirements.name, flush=True)
        shutil.rmtree(self.path, ignore_errors=True)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        must(run([sys.executable, "-m", "venv", str(self.path)], timeout=120), "python3 -m venv")
        command = [str(self.python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        command += ["--only-binary", ":all:", "--requirement", str(self.requirements)]
        must(run(command, timeout=400), "pip install")
        stamp.write_text(wanted)

    def pinned(self, package):
        """The version that the requirements file pins."""
        for line in self.requirements.read_text().splitlines():
            name, _, version = line.partition("==")
            if name.strip().lower() == package.lower():
                return version.strip()
        raise Failure(f"{self.requirements.name} does not pin {package}")


def must(answer, what):
    """Stops the run with the last lines of a command that failed."""
    if answer.status != 0:
        raise Failure(f"{what} {answer.ending}\n{answer.tail()}")
