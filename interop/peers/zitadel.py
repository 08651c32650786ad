"""zitadel/oidc (Go, certified by the OpenID Foundation, from Debian's backports): the server of its own example."""

from dataclasses import replace
from pathlib import Path

from harness.command import NETWORK
from harness.device import on_a_device
from harness.journey import Journey, an_explained_failure
from harness.machine import GoProgram
from harness.packages import version_of
from harness.peer import CALLBACK, GOODBYE, NATIVE, WEB, Client, Peer, require
from harness.person import Person
from harness.places import STATE
from harness.scenario import Scenario
from harness.tokens import exchange, introspected

HOME = "http://localhost:4598"
ISSUER = HOME + "/"
NAME, PASSWORD = "test-user@localhost", "verysecure"
BACKPORTS = ("golang-1.23-go", "golang-github-zitadel-oidc-dev")
SOURCE = Path(__file__).resolve().with_name("zitadel_site") / "main.go"
PROGRAM = GoProgram("zitadel", SOURCE, BACKPORTS, toolchain="/usr/lib/go-1.23")

DEVICE = Client("device", WEB.secret, "client_secret_basic")


def start(servers):
    settings = {"SITE_ISSUER": ISSUER, "SITE_CALLBACK": CALLBACK, "SITE_GOODBYE": GOODBYE, "SITE_SECRET": WEB.secret}
    servers.start("zitadel", [PROGRAM.path], ISSUER + ".well-known/openid-configuration", extra=settings, cwd=STATE)


class ZitadelPerson(Person):
    """The example's pages for devices let one in with a button that is a script."""

    def allow(self, url):
        super().allow(url)
        status, _, text = self.fetch(HOME + "/device/confirm?action=allowed")
        require("Device authorization allowed" in text, f"the device was not let in (status {status}): {text[:200]}")


def scenarios():
    def journey(client, quirks=None, **more):
        person = ZitadelPerson(NAME, PASSWORD)
        return Journey(
            ISSUER, client, NAME, PASSWORD, agent="manual", person=person, quirks=quirks or {}, **more
        )

    public, confidential = journey(NATIVE), journey(WEB)
    yield round_trip("public client", public)
    yield round_trip("confidential client", confidential)
    elsewhere = replace(public, redirect="http://127.0.0.1:49152/callback")
    yield Scenario("another loopback port", tuple(elsewhere.sign_in()), public.secrets)
    asking = [*confidential.sign_in(), *introspected(confidential)]
    yield Scenario("introspection and revocation", tuple(asking), confidential.secrets)
    device = journey(DEVICE)
    steps = on_a_device(device, ZitadelPerson(NAME, PASSWORD).allow, "openid profile", identified=True)
    yield Scenario("device", tuple(steps), device.secrets)
    steps = [*confidential.sign_in(), crash(confidential)]
    yield Scenario("token exchange", tuple(steps), confidential.secrets)


def round_trip(name, journey):
    steps = [*journey.sign_in(), *journey.refresh(), *journey.sign_out()]
    return Scenario(name, tuple(steps), journey.secrets)


def crash(journey):
    return journey.step(
        "exchange the access token",
        exchange(journey, "https://api.example.com"),
        exits=(NETWORK,),
        expect=an_explained_failure,
    )


PEERS = [
    Peer(
        name="zitadel/oidc",
        family="zitadel",
        version=lambda: (version_of("golang-github-zitadel-oidc-dev") or "missing").split("-")[0],
        start=start,
        scenarios=scenarios,
        issuer=ISSUER,
        backports=BACKPORTS,
        programs=(PROGRAM,),
    )
]
