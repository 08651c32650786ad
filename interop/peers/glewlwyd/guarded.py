"""A route that the backend kit guards, called by a client nobody here wrote with tokens of glewlwyd."""

import json
from dataclasses import replace

from harness.command import binary
from harness.machine import PythonEnvironment
from harness.peer import CALLBACK, NATIVE, require
from harness.places import INTEROP
from harness.processes import must, run
from harness.scenario import Scenario
from peers.glewlwyd.api import ISSUER, RESOURCE

ENVIRONMENT = PythonEnvironment("requests-oauth2client")
PROGRAM = INTEROP / "clients" / "requests_oauth2client_program.py"
PORT = 4612
HOME = f"http://127.0.0.1:{PORT}"
METADATA = ISSUER + "/.well-known/openid-configuration"


def start(servers):
    command = [binary(), "serve-api", "--issuer", ISSUER, "--audience", RESOURCE, "--port", str(PORT)]
    servers.start("api", command, HOME + "/health")


def scenarios(journey):
    journey = replace(journey, quirks={})
    steps = [
        journey.step("a bearer token, shown by requests_oauth2client", expect=called("bearer")),
        journey.step("a token bound by DPoP, shown by requests_oauth2client", expect=called("dpop")),
    ]
    yield Scenario("route guarded by the backend kit", tuple(steps), journey.secrets)


def called(kind):
    def look(visit):
        command = [ENVIRONMENT.python, "-B", PROGRAM, INTEROP, ISSUER, METADATA, NATIVE.id, CALLBACK, RESOURCE]
        answer = run([*command, HOME + "/whoami", kind], timeout=60)
        must(answer, "requests_oauth2client")
        told = json.loads(answer.stdout.strip().splitlines()[-1])
        require(told["type"].lower() == kind, f"the token is of the type {told['type']}")
        for name in ("own", "again"):
            require(told[name]["status"] == 200, f"its token was answered {told[name]}")
            require(told[name]["told"]["bound"] is (kind == "dpop"), "the token is not bound as it should be")
        by_itself = 401 if kind == "dpop" else 200
        require(told["bearer"]["status"] == by_itself, f"the token by itself was answered {told['bearer']}")
        for name in ("broken", "none"):
            require(told[name]["status"] == 401, f"{name} was answered {told[name]}")
            require("resource_metadata=" in told[name]["challenge"], "the challenge does not say where to look")

    return look
