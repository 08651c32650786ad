"""A scenario is a table of steps that one person takes at one provider; this runs it."""

import re
import time
import traceback
from dataclasses import dataclass

from harness.browser import Opening, opened
from harness.command import OK, Ostiary
from harness.processes import Failure

PASSED, FAILED, NOT_REACHED = "passed", "failed", "not reached"


@dataclass(frozen=True)
class Step:
    """One call of `ostiary` and what must come of it, or a look at the provider where there are no `arguments`."""

    name: str
    arguments: tuple = ()
    exits: tuple = (OK,)
    expect: callable = None
    """Takes the `Visit`; raises `Failure` when something is not as it must be."""
    person: callable = None
    """Answers an address that `ostiary` prints with the address where the provider sent the browser."""
    approver: callable = None
    """Lets a device in at the address that `ostiary` tells."""
    opens: Opening = None
    """The engine that `ostiary` opens."""
    quirk: str = ""
    pause: float = 0
    timeout: float = 50
    gate: bool = False
    """Whether the steps after it mean nothing when this one fails."""


@dataclass(frozen=True)
class Scenario:
    name: str
    steps: tuple
    secrets: tuple = ()
    """What no output may contain."""


@dataclass(frozen=True)
class Row:
    """One line of the result."""

    peer: object
    scenario: str
    step: Step
    outcome: str
    reason: str = ""


class Visit:
    """What is known while a scenario runs: the last result, the person, the tokens seen, a client that registered."""

    def __init__(self, ostiary):
        self.ostiary = ostiary
        self.result = None
        self.claims = {}
        self.tokens = ostiary.tokens
        self.client = None


def play(peer, scenario, folder, tell):
    """Runs the steps in order; yields a row for each."""
    visit = Visit(Ostiary(folder / "home", scenario.secrets))
    blocked = False
    for number, step in enumerate(scenario.steps, 1):
        if blocked:
            row = Row(peer, scenario.name, step, NOT_REACHED)
        else:
            row = take(peer, scenario, step, visit, folder / f"{number:02}-{file_name(step.name)}.log")
        blocked = blocked or (step.gate and row.outcome != PASSED)
        tell(row)
        yield row


def take(peer, scenario, step, visit, log):
    time.sleep(step.pause)
    try:
        if step.arguments:
            call(step, visit, log)
        if step.expect:
            step.expect(visit)
        return Row(peer, scenario.name, step, PASSED)
    except Failure as failure:
        return Row(peer, scenario.name, step, FAILED, f"{failure}\n    log: {log}")
    except Exception:
        return Row(peer, scenario.name, step, FAILED, f"{traceback.format_exc()}\n    log: {log}")


def call(step, visit, log):
    with opened(step.opens, log) as window:
        visit.result = visit.ostiary.call(
            step.arguments, step.timeout, step.person, step.approver, window.environment, log
        )
        if visit.result.status not in step.exits:
            wanted = " or ".join(map(str, step.exits))
            raise Failure(f"{visit.result.ending}, {wanted} expected\n{visit.result.tail()}{window.tail()}")
        window.check()


def file_name(text):
    return re.sub(r"[^a-z0-9.]+", "-", text.lower())
