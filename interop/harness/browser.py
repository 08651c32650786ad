"""Gives `ostiary` a `BROWSER` that opens a real engine, and finds out how the visit went."""

import contextlib
import json
import os
import shlex
import signal
import time
from dataclasses import dataclass

from harness.command import write_program
from harness.machine import PythonEnvironment
from harness.packages import version_of
from harness.places import INTEROP
from harness.processes import Failure

ENVIRONMENT = PythonEnvironment("browser")
PACKAGES = {
    "chromium": ("chromium", "chromium-driver"),
    "webkitgtk": ("webkit2gtk-driver", "libwebkit2gtk-4.1-0", "xvfb", "xauth"),
}
PREFIX = {"webkitgtk": "xvfb-run --auto-servernum "}


@dataclass(frozen=True)
class Opening:
    """Which engine a person uses, who they are, and what the driver is told besides."""

    engine: str
    name: str
    password: str
    options: tuple = ()


def title(engine):
    """The engine with as much of its version as matters here."""
    name, package, parts = {
        "chromium": ("Chromium", "chromium", 1),
        "webkitgtk": ("WebKitGTK", "webkit2gtk-driver", 2),
    }[engine]
    return f"{name} {'.'.join((version_of(package) or 'missing').split('.')[:parts])}"


class NoWindow:
    """Nothing is opened."""

    environment = {}

    def check(self):
        pass

    def tail(self):
        return ""


class Window:
    """One visit of an engine. The command in `BROWSER` returns at once, as the usual ones do; the engine goes on."""

    def __init__(self, opening, log):
        self.engine, self.log = opening.engine, log.with_suffix(".browser.log")
        self.report, self.process = log.with_suffix(".browser.json"), log.with_suffix(".browser.pid")
        self.report.unlink(missing_ok=True)
        self.process.unlink(missing_ok=True)
        log.parent.mkdir(parents=True, exist_ok=True)
        program = INTEROP / "browser" / f"{self.engine}.py"
        files = ["--report", self.report, "--screenshots", log.with_suffix(".pages")]
        words = [ENVIRONMENT.python, "-B", program, *opening.options, *files]
        visit = PREFIX.get(self.engine, "") + " ".join(shlex.quote(str(word)) for word in words)
        command = log.with_suffix(".browser.sh").resolve()
        lines = (
            "unset XDG_RUNTIME_DIR",  # the engine puts sockets there, and their paths must be short
            f"export OSTIARY_PERSON_NAME={shlex.quote(opening.name)}",
            f"export OSTIARY_PERSON_PASSWORD={shlex.quote(opening.password)}",
            f"""setsid {visit} "$1" >'{self.log}' 2>&1 </dev/null &""",
            f"echo $! >'{self.process}'",
        )
        write_program(command, "\n".join(lines))
        self.environment = {"BROWSER": str(command)}

    def check(self):
        """Waits for the engine's report: what it saw must be in order, too."""
        end = time.monotonic() + 30
        while not self.report.exists() and time.monotonic() < end:
            time.sleep(0.1)
        if not self.report.exists():
            raise Failure(f"{self.engine} did not report how the visit went{self.tail()}")
        problems = json.loads(self.report.read_text())["problems"]
        if problems:
            raise Failure(f"{self.engine} saw:\n" + "\n".join("    " + problem for problem in problems))

    def tail(self):
        if not self.log.exists():
            return f"\n    {self.engine} was not opened"
        lines = self.log.read_text(errors="replace").splitlines()[-8:]
        return "".join(f"\n    {self.engine}: {line}" for line in lines)

    def close(self):
        """Gives the engine a moment to end by itself, then stops its whole session."""
        if not self.process.exists():
            return
        leader = int(self.process.read_text())
        for kind, patience in ((None, 3), (signal.SIGTERM, 3), (signal.SIGKILL, 3)):
            for process in belongs_to_session(leader) if kind else ():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, kind)
            end = time.monotonic() + patience
            while belongs_to_session(leader) and time.monotonic() < end:
                time.sleep(0.1)


def belongs_to_session(leader):
    """The processes that still live in the session that `leader` began."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                if os.getsid(int(entry)) == leader:
                    found.append(int(entry))
    return found


@contextlib.contextmanager
def opened(opening, log):
    if opening is None:
        yield NoWindow()
        return
    window = Window(opening, log)
    try:
        yield window
    finally:
        window.close()
