"""What a run makes on the machine before the first visit: Python environments, and the program of a Go library."""

import hashlib
import shutil
import sys
from pathlib import Path

from harness.packages import version_of
from harness.places import INTEROP, STATE
from harness.processes import Failure, must, run


class PythonEnvironment:
    """A virtual environment made once from a file of pinned requirements; again when that file or its place changes."""

    def __init__(self, name):
        self.requirements = INTEROP / f"requirements-{name}.txt"
        self.path = STATE / "python" / name
        self.python = self.path / "bin" / "python"

    def prepare(self):
        stamp = self.path / "stamp"
        # Its programs name the place they were made for.
        made_for = f"{sys.version}\n{self.path}\n".encode()
        wanted = hashlib.sha256(made_for + self.requirements.read_bytes()).hexdigest()
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


class GoProgram:
    """A program around a Go library of Debian, built once, and again when its source or a package changes."""

    def __init__(self, name, source, packages, toolchain):
        self.name, self.source, self.packages, self.toolchain = name, source, packages, Path(toolchain)
        self.folder = STATE / "go" / name

    @property
    def path(self):
        versions = "\n".join(f"{package} {version_of(package)}" for package in self.packages)
        digest = hashlib.sha256(self.source.read_bytes() + versions.encode()).hexdigest()
        return self.folder / digest[:16]

    def prepare(self):
        if self.path.exists():
            return
        print("building " + self.name, flush=True)
        shutil.rmtree(self.folder, ignore_errors=True)
        # Without modules, an import path with a major version in it is found only from a place that has a `go.mod`.
        workspace = self.folder / "workspace"
        place = workspace / "src" / self.name
        place.mkdir(parents=True)
        shutil.copy(self.source, place)
        (place / "go.mod").write_text(f"module {self.name}\n")
        unfinished = self.path.with_suffix(".part")
        settings = {
            "GO111MODULE": "off",
            "GOTOOLCHAIN": "local",
            "GOPATH": f"{workspace}:/usr/share/gocode",
            "GOCACHE": str(STATE / "go-cache"),
            "GOFLAGS": "-p=2",
        }
        command = [self.toolchain / "bin/go", "build", "-o", unfinished, self.name]
        must(run(command, timeout=400, extra=settings, cwd=place), "go build")
        unfinished.rename(self.path)
