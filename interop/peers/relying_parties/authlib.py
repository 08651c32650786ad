"""Authlib (PyPI), with each way to authenticate that both it and the development provider know."""

import json

from harness.peer import Peer
from harness.places import INTEROP, STATE
from harness.processes import must, run
from harness.scenario import Scenario
from peers.relying_parties import provider, python
from peers.relying_parties.provider import CODE, DEVICE, ITSELF, REFRESH, SUBJECT
from peers.relying_parties.steps import refreshed, replayed, reused, signed_in, withdrawn

METHODS = ("none", "client_secret_basic", "client_secret_post", "private_key_jwt")
KEY = STATE / "peers" / "authlib-key.pem"
ASSERTION = "an assertion is for the token endpoint and for an hour, unless the program says otherwise"
ON_A_DEVICE = ("none", "client_secret_post")


class Visit:
    """The visit of Authlib: its provider, and the programs that its scenarios start."""

    def start(self, servers):
        self.servers = servers
        KEY.parent.mkdir(parents=True, exist_ok=True)
        made = run([python.ENVIRONMENT.python, "-B", INTEROP / "clients" / "make_key.py", KEY], timeout=30)
        must(made, "making a key")
        keys = {"private_key_jwt": {"jwks": json.loads(made.stdout)}}
        clients = [
            provider.client(method, method, grants_of(method), **keys.get(method, {})) for method in METHODS
        ]
        provider.start(servers, "authlib", clients)

    def scenarios(self):
        for method in METHODS:
            told = self.program(method, "journey")
            quirk = ASSERTION if method == "private_key_jwt" else ""
            yield Scenario(f"client that authenticates with {method}", tuple(journey(told, method, quirk)))
        told = self.program("none", "reuse")
        yield Scenario("what is used twice", tuple(reused(told)))
        told = self.program("none", "code")
        steps = [*signed_in(told), *replayed(told)]
        yield Scenario("a code that is redeemed twice", tuple(steps))

    def program(self, method, name):
        keys = {"key": str(KEY)} if method == "private_key_jwt" else {}
        return python.conversation(self.servers, "authlib", f"{method} {name}", method, client=method, **keys)


def grants_of(method):
    """A client that does not authenticate cannot act for itself."""
    return (CODE, REFRESH, DEVICE) if method == "none" else (CODE, REFRESH, DEVICE, ITSELF)


def journey(told, method, quirk):
    yield from signed_in(told, quirk=quirk, algorithm="RS256", hashed=True)
    yield from refreshed(told, subject=SUBJECT)
    yield told.step("refresh by itself", renewed=True, status=200)
    if method == "none":
        yield told.step("revoke the refresh token", status=200)
        yield told.step("refresh after that", error="invalid_grant")
    else:
        yield from withdrawn(told)
        yield told.step("act for itself", type="Bearer", refreshable=False)
    if method in ON_A_DEVICE:
        yield told.step("sign in on a device", before="authorization_pending", subject=SUBJECT)


VISIT = Visit()
PEERS = [
    Peer(
        name="Authlib",
        family="relying-parties",
        version=lambda: python.ENVIRONMENT.pinned("Authlib"),
        start=VISIT.start,
        scenarios=VISIT.scenarios,
        environments=(python.ENVIRONMENT,),
    )
]
