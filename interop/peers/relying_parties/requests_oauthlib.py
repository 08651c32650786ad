"""requests-oauthlib (PyPI), the session of `requests` around oauthlib, with PyJWT for the ID token."""

from harness.peer import Peer
from harness.scenario import Scenario
from peers.relying_parties import provider, python
from peers.relying_parties.provider import CODE, DEVICE, ITSELF, REFRESH, SUBJECT
from peers.relying_parties.steps import refreshed, replayed, signed_in

METHODS = ("none", "client_secret_basic", "client_secret_post")


class Visit:
    """The visit of requests-oauthlib: its provider, and the programs that its scenarios start."""

    def start(self, servers):
        self.servers = servers
        clients = [
            provider.client(method, method, (CODE, REFRESH, DEVICE if method == "none" else ITSELF))
            for method in METHODS
        ]
        provider.start(servers, "requests-oauthlib", clients)

    def scenarios(self):
        for method in METHODS:
            told = self.program(method, "journey")
            yield Scenario(f"client that authenticates with {method}", tuple(journey(told, method)))
        told = self.program("none", "code")
        steps = [*signed_in(told), *replayed(told)]
        yield Scenario("a code that is redeemed twice", tuple(steps))

    def program(self, method, name):
        return python.conversation(self.servers, "requests_oauthlib", f"{method} {name}", method, client=method)


def journey(told, method):
    yield from signed_in(told, algorithm="RS256", answers=True)
    yield from refreshed(told, subject=SUBJECT)
    yield told.step("refresh by itself", renewed=True, status=200)
    yield told.step("revoke the refresh token", status=200)
    yield told.step("refresh after that", error="invalid_grant")
    if method == "none":
        yield told.step("sign in on a device", before="authorization_pending", subject=SUBJECT)
    else:
        yield told.step("act for itself", type="Bearer", refreshable=False)


VISIT = Visit()
PEERS = [
    Peer(
        name="requests-oauthlib",
        family="relying-parties",
        version=lambda: python.ENVIRONMENT.pinned("requests-oauthlib"),
        start=VISIT.start,
        scenarios=VISIT.scenarios,
        environments=(python.ENVIRONMENT,),
    )
]
