"""A client of others as a program that takes one step of its journey at a time, and says what came of it.

Both sides write JSON, one object a line. The harness sends `{"step": …}`. The program may first name an address for
the user to visit (`{"visit": …}`, answered with the address that the provider redirects to) or one where a device is
let in (`{"allow": …}`). It ends the step with `{"told": …}` or `{"error": …}`.
"""

import json
import queue
import threading
import time

from harness.peer import require
from harness.processes import Budget, Failure
from harness.scenario import Step, file_name

PATIENCE = 45


class Conversation:
    """One program, started by its first step; the servers of the visit end it."""

    def __init__(self, servers, name, command, person, extra=None):
        self.servers, self.name, self.command, self.person = servers, name, command, person
        self.extra = extra
        self.process, self.lines = None, queue.Queue()

    def begin(self):
        self.process = self.servers.converse(file_name(self.name), self.command, self.extra)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def say(self, **words):
        try:
            self.process.stdin.write(json.dumps(words) + "\n")
            self.process.stdin.flush()
        except OSError:
            raise Failure(f"{self.name} has ended; its log is {self.log}") from None

    @property
    def log(self):
        return self.servers.log(file_name(self.name))

    def hear(self, end):
        try:
            line = self.lines.get(timeout=max(0.1, min(end - time.monotonic(), Budget.left())))
        except queue.Empty:
            raise Failure(f"{self.name} said nothing; its log is {self.log}") from None
        if line is None:
            raise Failure(f"{self.name} has ended; its log is {self.log}")
        return json.loads(line)

    def take(self, step):
        """Has the program take a step; returns what it told."""
        if self.process is None:
            self.begin()
        self.say(step=step)
        end = time.monotonic() + PATIENCE
        while True:
            heard = self.hear(end)
            if "visit" in heard:
                self.say(redirect=self.person(heard["visit"]))
            elif "allow" in heard:
                self.say(page=self.person.allow(heard["allow"]))
            elif "error" in heard:
                raise Failure(f"{self.name} says: {heard['error']}\n    log: {self.log}")
            else:
                return heard["told"]

    def step(self, name, /, quirk="", gate=False, **wanted):
        """A step that the program takes, and the facts that it must tell of it."""
        require(wanted, f"the step {name} expects nothing")

        def look(_):
            told = self.take(name)
            for fact, value in wanted.items():
                found = told.get(fact)
                right = value(found) if callable(value) else found == value
                require(right, f"{fact} is {found}" + ("" if callable(value) else f", {value} expected"))

        return Step(name, expect=look, quirk=quirk, gate=gate)
