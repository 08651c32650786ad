"""Our own provider, `ostiary idp serve`: the one peer whose pages are ours, so real engines look at them."""

import re
from dataclasses import replace

from harness import browser
from harness.command import DENIED, SIGN_IN, binary
from harness.journey import Journey
from harness.machine import STATE
from harness.peer import CALLBACK, Client, Peer
from harness.person import Person
from harness.processes import Failure
from harness.scenario import Scenario

PORT = 4611
ISSUER = f"http://127.0.0.1:{PORT}"

CLIENT = Client("ostiary-demo")
"""The public client that is always there: it comes back to any port of this machine, and to `/` after signing out."""
NAME = "alice"
GOODBYE = "http://127.0.0.1/"

# The password is made at every start, and told on standard error.
PASSWORD = re.compile(r"\bpassword\b(?:[^:=\n]*[:=])?\s*(\S+)", re.IGNORECASE)
told = {}


def start(servers):
    home = STATE / "peers" / "development-provider"
    home.mkdir(parents=True, exist_ok=True)
    command = [binary(), "idp", "serve", "--port", str(PORT)]
    ready = ISSUER + "/.well-known/openid-configuration"
    log = servers.start("development-provider", command, ready, extra={"HOME": str(home)}, cwd=home)
    password = PASSWORD.search(log.read_text())
    if not password:
        raise Failure(f"no password in what it said:\n{log.read_text()}")
    told["password"] = password.group(1)


def scenarios():
    password = told["password"]
    journey = Journey(ISSUER, CLIENT, NAME, password, redirect=None)
    steps = [*journey.sign_in(), *journey.refresh(), *journey.sign_out(GOODBYE)]
    yield Scenario("http user agent", tuple(steps), journey.secrets)
    for engine, ways in (
        ("chromium", ((), ("--keyboard",), ("--no-scripts",), ("--deny",))),
        ("webkitgtk", ((), ("--keyboard",), ("--deny",))),
    ):
        for options in ways:
            yield Scenario(scenario_name(engine, options), tuple(visit(journey, engine, options)), journey.secrets)
    manual = replace(journey, redirect=CALLBACK)
    person, decliner = Person(NAME, password), Person(NAME, password, declines=True)
    yield Scenario("refusals", tuple(manual.refusals(person, decliner)), journey.secrets)


def scenario_name(engine, options):
    ways = {"--keyboard": "keyboard only", "--no-scripts": "scripts off", "--deny": "declined"}
    return ", ".join([browser.title(engine), *(ways[option] for option in options)])


def visit(journey, engine, options):
    declines = "--deny" in options
    yield journey.step(
        "sign in",
        journey.login(agent="browser"),
        exits=(DENIED,) if declines else (0,),
        expect=None if declines else journey.signed_in,
        opens=browser.Opening(engine, journey.name, journey.password, options),
        timeout=60,
        gate=True,
    )
    if declines:
        yield journey.step("nothing was stored", ["token"], exits=(SIGN_IN,))
    else:
        yield journey.step("show the access token", ["token"])


PEERS = [
    Peer(
        name="development provider",
        family="development-provider",
        version=lambda: "of this project",
        start=start,
        scenarios=scenarios,
        packages=browser.PACKAGES["chromium"] + browser.PACKAGES["webkitgtk"],
        environments=(browser.ENVIRONMENT,),
    )
]
