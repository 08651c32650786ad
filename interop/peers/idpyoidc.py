"""idpyoidc (PyPI, IdentityPython) behind a small site: token exchange, and everything signed with ES256 for one client."""

import json
import shutil
from pathlib import Path

from harness.journey import Journey
from harness.machine import PythonEnvironment
from harness.peer import CALLBACK, NATIVE, WEB, Peer
from harness.person import Person
from harness.places import STATE
from harness.scenario import Scenario

ISSUER = "http://127.0.0.1:4597"
AUDIENCE = "https://api.example.com"
NAME, PASSWORD = "alice", "alice-pass"
ENVIRONMENT = PythonEnvironment("idpyoidc")
PROGRAM = Path(__file__).resolve().with_name("idpyoidc_site") / "program.py"


def start(servers):
    state = STATE / "peers" / "idpyoidc"
    shutil.rmtree(state, ignore_errors=True)
    state.mkdir(parents=True)
    (state / "plan.json").write_text(json.dumps(plan(state)))
    command = [ENVIRONMENT.python, "-B", PROGRAM, state / "plan.json"]
    servers.start("idpyoidc", command, ISSUER + "/.well-known/openid-configuration", cwd=state)


def plan(state):
    """What the program inside idpyoidc's environment is to set up."""
    es256 = {"id_token_signed_response_alg": "ES256", "userinfo_signed_response_alg": "ES256"}
    return {
        "issuer": ISSUER,
        "audience": AUDIENCE,
        "state": str(state),
        "callback": CALLBACK,
        "person": {"name": NAME, "password": PASSWORD},
        "clients": [
            {"id": NATIVE.id, "authentication": "none"},
            {"id": WEB.id, "secret": WEB.secret, "authentication": WEB.authentication, **es256},
        ],
    }
