"""MSAL (PyPI), Microsoft's client, at an issuer of another vendor: that has to be https, and to have a path."""

from harness.peer import Peer
from harness.scenario import Scenario
from peers.relying_parties import provider, python, tls
from peers.relying_parties.provider import CODE, DEVICE, ITSELF, REFRESH, SUBJECT

NEITHER = "MSAL reads no user info and revokes nothing"


class Visit:
    """The visit of MSAL: its provider behind TLS, and the programs that its scenarios start."""

    def start(self, servers):
        self.servers = servers
        clients = [
            provider.client("public", "none", (CODE, REFRESH, DEVICE)),
            provider.client("confidential", "client_secret_post", (CODE, REFRESH, ITSELF)),
        ]
        folder = provider.start(servers, "msal", clients, issuer=tls.ISSUER)
        self.certificate = tls.start(servers, folder)

    def scenarios(self):
        for name, method in (("public", "none"), ("confidential", "client_secret_post")):
            told = self.program(name, method, "journey")
            yield Scenario(f"{name} client", tuple(journey(told, name)))
        told = self.program("public", "none", "code")
        steps = [
            told.step("sign in", gate=True, subject=SUBJECT),
            told.step("redeem the code again", error="invalid_grant"),
            told.step("refresh after that", error="invalid_grant"),
        ]
        yield Scenario("a code that is redeemed twice", tuple(steps))

    def program(self, client, method, name):
        return python.conversation(
            self.servers,
            "msal",
            f"{client} {name}",
            method,
            issuer=tls.ISSUER,
            authority=str(self.certificate),
            client=client,
        )


def journey(told, name):
    fresh = {"subject": SUBJECT, "from": "identity_provider"}
    yield told.step("sign in", NEITHER, gate=True, **fresh)
    yield told.step("read the cache", renewed=False, **{"from": "cache"})
    yield told.step("refresh", renewed=True, **fresh)
    yield told.step("refresh again", renewed=True, **fresh)
    yield told.step("sign out", accounts=0)
    if name == "public":
        yield told.step("sign in on a device", **fresh)
    else:
        yield told.step("act for itself", error=None, type="Bearer", **{"from": "cache"})


VISIT = Visit()
PEERS = [
    Peer(
        name="MSAL",
        family="relying-parties",
        version=lambda: python.ENVIRONMENT.pinned("msal"),
        start=VISIT.start,
        scenarios=VISIT.scenarios,
        packages=tls.PACKAGES,
        environments=(python.ENVIRONMENT,),
    )
]
