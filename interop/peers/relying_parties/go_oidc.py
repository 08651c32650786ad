"""go-oidc with golang.org/x/oauth2 (Go, from Debian's backports): the client of many a command line and proxy."""

import json

from harness.conversation import Conversation
from harness.machine import GoProgram
from harness.packages import version_of
from harness.peer import CALLBACK, Peer
from harness.person import Person
from harness.places import INTEROP
from harness.scenario import Scenario
from peers.relying_parties import provider
from peers.relying_parties.provider import CODE, DEVICE, ISSUER, ITSELF, NAME, PASSWORD, REFRESH, SECRET, SUBJECT
from peers.relying_parties.steps import refreshed, replayed, reused, signed_in

LIBRARY = "golang-github-coreos-go-oidc-v3-dev"
BACKPORTS = ("golang-1.23-go", LIBRARY)
SOURCE = INTEROP / "clients" / "go_oidc_program" / "main.go"
PROGRAM = GoProgram("go-oidc", SOURCE, BACKPORTS, toolchain="/usr/lib/go-1.23")
METHODS = ("none", "client_secret_basic", "client_secret_post")


class Visit:
    """The visit of go-oidc: its provider, and the programs that its scenarios start."""

    def start(self, servers):
        self.servers = servers
        clients = [
            provider.client(method, method, (CODE, REFRESH, DEVICE if method == "none" else ITSELF))
            for method in METHODS
        ]
        provider.start(servers, "go-oidc", clients)

    def scenarios(self):
        for method in METHODS:
            told = self.program(method, "journey")
            yield Scenario(f"client that authenticates with {method}", tuple(journey(told, method)))
        told = self.program("none", "reuse")
        yield Scenario("what is used twice", tuple(reused(told)))
        told = self.program("none", "code")
        steps = [*signed_in(told), *replayed(told)]
        yield Scenario("a code that is redeemed twice", tuple(steps))

    def program(self, method, name):
        secret = "" if method == "none" else SECRET
        plan = {"issuer": ISSUER, "client": method, "method": method, "secret": secret, "callback": CALLBACK}
        user = Person(NAME, PASSWORD)
        extra = {"INTEROP_PLAN": json.dumps(plan)}
        return Conversation(self.servers, f"go-oidc {method} {name}", [PROGRAM.path], user, extra)


def journey(told, method):
    yield from signed_in(told, answers=True, hashed=True)
    yield from refreshed(told, subject=SUBJECT)
    if method == "none":
        yield told.step("sign in on a device", subject=SUBJECT)
    else:
        yield told.step("act for itself", type="Bearer", refreshable=False)


VISIT = Visit()
PEERS = [
    Peer(
        name="go-oidc",
        family="relying-parties",
        version=lambda: (version_of(LIBRARY) or "missing").split("-")[0],
        start=VISIT.start,
        scenarios=VISIT.scenarios,
        backports=BACKPORTS,
        programs=(PROGRAM,),
    )
]
