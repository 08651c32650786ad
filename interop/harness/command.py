"""The `ostiary` command line, as a person or a script would call it."""

import json
import os
import subprocess
import threading
import time
import traceback
from dataclasses import dataclass
from pathlib import Path

from harness.places import INTEROP
from harness.processes import Answer, Budget, Failure, spawn, stop

# What the exit status of `ostiary` means.
OK, OTHER, USAGE, METADATA, NETWORK, DENIED, SIGN_IN, REFUSED, SERVER, TIMED_OUT, STORE = range(11)

WITHOUT_A_SESSION = ("discover", "doctor", "jwks", "jwt")


def binary():
    """The program under test: what `OSTIARY` names, else what a plain build leaves."""
    path = Path(os.environ.get("OSTIARY") or INTEROP.parent / "Tools/.build/debug/ostiary").resolve()
    if not os.access(path, os.X_OK):
        raise Failure(f"no ostiary at {path}; build it with `swift build --package-path Tools`, or set OSTIARY")
    return path


@dataclass(frozen=True)
class Result(Answer):
    """What one call of `ostiary` gave back."""

    @property
    def json(self):
        """The one JSON object on standard output; where there is one a line, the last one."""
        try:
            lines = self.stdout.strip().splitlines()
            value = json.loads(lines[-1] if len(lines) > 1 and lines[0].startswith("{") else self.stdout)
        except ValueError:
            raise Failure("standard output is not one JSON value") from None
        if not isinstance(value, dict):
            raise Failure("standard output is not a JSON object")
        return value

    @property
    def error(self):
        value = self.json
        error = value.get("error")
        if value.get("ok") is not False or not isinstance(error, dict):
            raise Failure('no {"ok":false,"error":{…}} on standard output')
        return error


class Ostiary:
    """One home folder, one profile and one store: what belongs to one person at one provider."""

    def __init__(self, home, secrets=()):
        self.binary = binary()
        self.home = Path(home)
        self.secrets = [secret for secret in secrets if secret]
        self.tokens = []
        """The access tokens that were shown so far."""
        self.home.mkdir(parents=True, exist_ok=True)
        self.browser = self.home / "unexpected-browser"
        self.opened = self.home / "unexpected-browser.txt"
        write_program(self.browser, f"""echo "$1" >>'{self.opened}'""")

    def environment(self, extra):
        folders = {
            "HOME": self.home,
            "XDG_CONFIG_HOME": self.home / "config",
            "XDG_DATA_HOME": self.home / "data",
            "XDG_STATE_HOME": self.home / "state",
            "XDG_CACHE_HOME": self.home / "cache",
            "XDG_RUNTIME_DIR": self.home / "runtime",
        }
        for folder in folders.values():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        paths = {name: str(folder) for name, folder in folders.items()}
        return {**paths, "BROWSER": str(self.browser), "NO_COLOR": "1", **extra}

    def keep(self, name, text):
        """A file in the home folder, where `ostiary` runs, that only its owner reads."""
        path = self.home / name
        path.touch(mode=0o600)
        path.write_text(text + "\n")

    def call(self, arguments, timeout, person=None, approver=None, extra=None, log=None):
        """Runs `ostiary`. With a `person`, each address it prints is handed over and the answer typed in.

        With an `approver`, the address at which a device is let in is handed over.
        """
        session = ["--profile", "interop", "--store", f"file:{self.home / 'sessions'}"]
        command = [str(self.binary), *arguments, *([] if arguments[0] in WITHOUT_A_SESSION else session)]
        began = time.monotonic()
        process = spawn(command, self.environment(extra or {}), self.home, subprocess.PIPE, subprocess.PIPE)
        talk = Talk(process, person, approver)
        try:
            talk.listen(min(timeout, Budget.left()))
            result = Result(process.poll(), talk.stdout, talk.stderr)
        finally:
            stop(process)
            if log:
                log.parent.mkdir(parents=True, exist_ok=True)
                log.write_text(
                    "$ " + " ".join(command) + "\n"
                    f"status {process.poll()} after {time.monotonic() - began:.2f} s\n"
                    f"--- standard output\n{talk.stdout}\n--- standard error\n{talk.stderr}\n"
                )
        if talk.failed:
            raise Failure("the person could not answer: " + talk.failed)
        self.check_discretion(result, arguments)
        return result

    def check_discretion(self, result, arguments):
        """No password or client secret is ever printed, no token unless asked for; nobody opens a browser unasked."""
        printed = result.stdout + result.stderr
        if any(secret in printed for secret in self.secrets):
            raise Failure("a password or client secret was printed")
        if arguments[0] != "token" and any(token in printed for token in self.tokens):
            raise Failure("an access token was printed")
        if self.opened.exists():
            raise Failure("a browser was opened although none was asked for: " + self.opened.read_text().strip())


class Talk:
    """Reads both outputs of a process; answers the addresses on its standard error, and lets its device in."""

    def __init__(self, process, person, approver):
        self.process, self.person, self.approver = process, person, approver
        self.stdout = self.stderr = ""
        self.failed = None

    def listen(self, timeout):
        threads = [threading.Thread(target=work, daemon=True) for work in (self.read_output, self.read_errors)]
        for thread in threads:
            thread.start()
        if self.person is None:
            self.hang_up()
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            stop(self.process)
            self.stderr += "\n(stopped: out of time)\n"
        for thread in threads:
            thread.join(5)

    def read_output(self):
        for line in self.process.stdout:
            self.stdout += line
            if self.approver and "verification_uri" in line:
                self.approve(json.loads(line))

    def approve(self, offer):
        try:
            self.approver(offer.get("verification_uri_complete") or offer["verification_uri"])
        except (Failure, OSError, KeyError, ValueError) as error:
            self.failed = f"{type(error).__name__}: {error}"
            self.stderr += traceback.format_exc()
            stop(self.process)

    def read_errors(self):
        for line in self.process.stderr:
            self.stderr += line
            if self.person and line.startswith("http"):
                self.answer(line.strip())

    def answer(self, url):
        try:
            self.process.stdin.write(self.person(url) + "\n")
            self.process.stdin.flush()
        except (Failure, OSError, KeyError, ValueError) as error:
            self.failed = f"{type(error).__name__}: {error}"
            self.stderr += traceback.format_exc()
            self.hang_up()

    def hang_up(self):
        try:
            self.process.stdin.close()
        except OSError:
            pass


def write_program(path, body):
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
