"""Commands that run to their end, and servers that run until they are stopped: none outlives this process."""

import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from dataclasses import dataclass

START = time.monotonic()


class Failure(Exception):
    """Something did not go as it must; the text is for the person who reads the run."""


class Budget:
    """Seconds that the whole run may take. Every timeout is cut to what is left of it."""

    whole = 720.0

    @classmethod
    def left(cls):
        return max(1.0, cls.whole - (time.monotonic() - START))


@dataclass(frozen=True)
class Answer:
    """How a command ended. `status` is None when it had to be stopped."""

    status: int | None
    stdout: str
    stderr: str

    @property
    def ending(self):
        return "ran out of time" if self.status is None else f"ended with status {self.status}"

    def tail(self, lines=15):
        text = (self.stdout + "\n" + self.stderr).strip().splitlines()
        return "\n".join("    " + line for line in text[-lines:])


def environment(extra=None):
    """The caller's environment without what would bend a Python program, plus `extra`."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**inherited, **(extra or {})}


def run(command, timeout, text=None, extra=None, cwd=None):
    """Runs a command to its end; stops it and all that it started when the time is over."""
    process = spawn(command, extra, cwd, subprocess.PIPE, subprocess.PIPE)
    try:
        stdout, stderr = process.communicate(text, timeout=min(timeout, Budget.left()))
        return Answer(process.returncode, stdout, stderr)
    except subprocess.TimeoutExpired:
        stop(process)
        stdout, stderr = process.communicate()
        return Answer(None, stdout, stderr)
    finally:
        stop(process)


def must(answer, what):
    """Stops the run with the last lines of a command that failed."""
    if answer.status != 0:
        raise Failure(f"{what} {answer.ending}\n{answer.tail()}")


def spawn(command, extra, cwd, stdout, stderr):
    """Starts a command as the leader of a process group of its own, so that it can be stopped whole."""
    return subprocess.Popen(
        [str(part) for part in command],
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=stderr,
        text=True,
        errors="replace",
        env=environment(extra),
        cwd=cwd,
        start_new_session=True,
    )


def stop(process):
    """Ends a process that `spawn` started, with everything in its group."""
    for kind, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, kind)
        except ProcessLookupError:
            break
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            continue
    process.poll()


class Servers:
    """The servers of a run. Leaving the `with` block stops them, last one first."""

    def __init__(self, logs):
        self.logs = logs
        self.running = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.running):
            stop(process)
        self.running.clear()

    def log(self, name):
        return self.logs / f"{name}.log"

    def converse(self, name, command, extra=None, cwd=None):
        """Starts a program that is spoken to through its input and output."""
        log = self.log(name)
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("w") as sink:
            process = spawn(command, extra, cwd, subprocess.PIPE, sink)
        self.running.append(process)
        return process

    def start(self, name, command, ready, extra=None, cwd=None, patience=60):
        """Starts a server and waits until `ready` answers; returns the path of its log."""
        if answers(ready):
            raise Failure(f"something else already answers at {ready}; stop it first")
        log = self.log(name)
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("w") as sink:
            process = spawn(command, extra, cwd, sink, subprocess.STDOUT)
        self.running.append(process)
        process.stdin.close()
        end = time.monotonic() + min(patience, Budget.left())
        while not answers(ready):
            if process.poll() is not None or time.monotonic() > end:
                last = "\n".join("    " + line for line in log.read_text(errors="replace").splitlines()[-15:])
                raise Failure(f"{name} did not come up at {ready}\n{last}")
            time.sleep(0.1)
        return log


def answers(url):
    try:
        urllib.request.urlopen(url, timeout=3).close()
        return True
    except urllib.error.HTTPError as answer:
        return answer.code != 503  # it listens, and is not ready
    except OSError:
        return False
