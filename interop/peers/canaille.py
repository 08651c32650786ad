"""canaille (PyPI, built on Authlib): EdDSA ID tokens and ES256 user info for the one client, defaults for the other."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

from harness.journey import Journey
from harness.machine import PythonEnvironment
from harness.peer import CALLBACK, GOODBYE, NATIVE, WEB, Client, Peer
from harness.person import Person
from harness.places import STATE
from harness.processes import must, run
from harness.scenario import Scenario

HOME = ISSUER = "http://127.0.0.1:4595"
NAME, PASSWORD = "alice", "alice-pass-1234"
ENVIRONMENT = PythonEnvironment("canaille")
PROGRAM = Path(__file__).resolve().with_name("canaille_site") / "program.py"

UNKNOWN = Client("unknown")
"""A client that nobody has consented to: canaille remembers a consent, and asks no second time."""


def start(servers):
    state = STATE / "peers" / "canaille"
    shutil.rmtree(state, ignore_errors=True)
    state.mkdir(parents=True)
    (state / "plan.json").write_text(json.dumps(plan(state)))
    program = [ENVIRONMENT.python, PROGRAM, state / "plan.json"]
    settings = {"CANAILLE_CONFIG": str(state / "canaille.toml"), "PYTHONDONTWRITEBYTECODE": "1"}
    must(run([*program, "prepare"], timeout=60, extra=settings, cwd=state), "preparing canaille")
    ready = ISSUER + "/.well-known/openid-configuration"
    servers.start("canaille", [*program, "serve"], ready, extra=settings, cwd=state)


def plan(state):
    """What the program inside canaille's environment is to set up."""
    return {
        "home": HOME,
        "state": str(state),
        "callback": CALLBACK,
        "goodbye": GOODBYE,
        "person": {"name": NAME, "password": PASSWORD},
        "clients": [
            {"id": NATIVE.id, "authentication": "none"},
            {"id": UNKNOWN.id, "authentication": "none"},
            {
                "id": WEB.id,
                "secret": WEB.secret,
                "authentication": WEB.authentication,
                "id_token_signed_response_alg": "EdDSA",
                "userinfo_signed_response_alg": "ES256",
            },
        ],
    }


# Two access tokens of one second are the same JWT, and canaille's database refuses the second one.
A_SECOND = 1.2


def scenarios():
    signed = Journey(
        ISSUER,
        WEB,
        NAME,
        PASSWORD,
        options=("--id-token-alg", "EdDSA", "--userinfo-alg", "ES256"),
        quirks={
            "sign in": "at_hash of an EdDSA ID token is made with SHA-512; auth_time is not whole",
            "read user info": "a JWT signed with ES256, while the ID token is signed with EdDSA",
            "refresh": "the answer has no ID token; two refreshes within a second are answered with 500",
        },
    )
    native = Journey(
        ISSUER,
        NATIVE,
        NAME,
        PASSWORD,
        options=("--id-token-alg", "RS512"),
        quirks={
            "sign in": "a client that chose no algorithm gets RS512",
            "refresh": "the answer has no ID token",
            "sign out": "revocation by a public client is answered with 401",
        },
    )
    yield round_trip("confidential client, signed user info", signed)
    yield round_trip("native client", native, revocation="failed")
    person, decliner = Person(NAME, PASSWORD), Person(NAME, PASSWORD, declines=True)
    refusals = replace(native, client=UNKNOWN, quirks={}).refusals(person, decliner)
    yield Scenario("refusals", tuple(refusals), native.secrets)


def round_trip(name, journey, **sign_out):
    steps = [*journey.sign_in(), *journey.refresh(pause=A_SECOND), *journey.sign_out(**sign_out)]
    return Scenario(name, tuple(steps), journey.secrets)


PEERS = [
    Peer(
        name="canaille",
        family="canaille",
        version=lambda: ENVIRONMENT.pinned("canaille"),
        start=start,
        scenarios=scenarios,
        issuer=ISSUER,
        environments=(ENVIRONMENT,),
    )
]
