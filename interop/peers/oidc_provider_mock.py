"""oidc-provider-mock (PyPI, built on Authlib): any client that has a secret, any user, and keys without a name."""

import json
import urllib.request
from dataclasses import replace

from harness.command import METADATA, REFUSED, SIGN_IN
from harness.journey import Journey, an_access_token, an_explained_failure, refused_with, same_person
from harness.machine import PythonEnvironment
from harness.peer import WEB, Client, Peer, require
from harness.person import Person
from harness.places import STATE
from harness.registration import Registering
from harness.scenario import Scenario

HOME = ISSUER = "http://127.0.0.1:4594"
NAME = "alice"
CLAIMS = {"sub": NAME, "name": "Alice Adams", "email": "alice@example.com"}
ENVIRONMENT = PythonEnvironment("oidc-provider-mock")
NO_PASSWORD = ""
BY_POST = Client("web-by-post", WEB.secret, "client_secret_post")


def start(servers):
    program = ENVIRONMENT.python.with_name("oidc-provider-mock")
    port = HOME.rpartition(":")[2]
    command = [program, "--port", port, "--user-claims", json.dumps(CLAIMS), "--require-nonce", "true"]
    servers.start("oidc-provider-mock", command, ISSUER + "/.well-known/openid-configuration", cwd=STATE)


class MockUser(Person):
    """A user of the mock: its page asks for a name and for nothing else."""

    def act(self, url, status, text):
        if "/authorize" not in url:
            return super().act(url, status, text)
        return url, b"action=deny" if self.declines else f"sub={self.name}".encode()


def journey(client, quirks=None, **more):
    user = MockUser(NAME, NO_PASSWORD)
    return Journey(ISSUER, client, NAME, NO_PASSWORD, agent="manual", person=user, quirks=quirks or {}, **more)


def scenarios():
    by_basic = journey(WEB, {"sign in": "no key has a kid", "refresh": "there is no new refresh token"})
    # The refresh token of the first answer is presented twice.
    steps = [*by_basic.sign_in(), *by_basic.refresh(), *by_basic.refresh(), *by_basic.sign_out(revocation="notOffered")]
    yield Scenario("confidential client, basic", tuple(steps), by_basic.secrets)
    by_post = journey(BY_POST, {"refresh": "a refresh takes client_secret_basic and no other method"})
    yield Scenario("confidential client, post", tuple(refused_at_refresh(by_post)), by_post.secrets)
    plain = replace(by_basic, quirks={})
    yield Scenario("an administrator ends the session", tuple([*plain.sign_in(), *revoked(plain)]), plain.secrets)
    yield Scenario("registration", tuple(Registering(plain, known_as=None).once()), plain.secrets)
    elsewhere = replace(plain, redirect="http://127.0.0.1:49152/callback")
    yield Scenario("another loopback port", tuple(elsewhere.sign_in()), plain.secrets)
    refusing = replace(plain, quirks={"the person declines": "the refusal has no state, so it counts as bent"})
    user, decliner = MockUser(NAME, NO_PASSWORD), MockUser(NAME, NO_PASSWORD, declines=True)
    yield Scenario("refusals", tuple(refusing.refusals(user, decliner, (REFUSED,))), plain.secrets)


def refused_at_refresh(journey):
    """A client that the provider refuses is no reason to end its user's session."""
    yield from journey.sign_in()
    yield journey.step("refresh", ["refresh", "--json"], exits=(METADATA,), expect=refused_with("invalid_client"))
    yield journey.step("the session is still there", ["token"], expect=an_access_token)
    yield journey.step("read user info again", ["userinfo", "--json"], expect=same_person)


def revoked(journey):
    yield journey.step("the administrator revokes the user's tokens", expect=lambda _: revoke_tokens())
    yield journey.step("refresh", ["refresh", "--json"], exits=(SIGN_IN,), expect=an_explained_failure)
    yield journey.step("nothing is left", ["token"], exits=(SIGN_IN,))


def revoke_tokens():
    request = urllib.request.Request(f"{HOME}/users/{NAME}/revoke-tokens", method="POST")
    with urllib.request.urlopen(request, timeout=20) as response:
        require(response.status == 204, f"the mock answered {response.status}")


PEERS = [
    Peer(
        name="oidc-provider-mock",
        family="oidc-provider-mock",
        version=lambda: ENVIRONMENT.pinned("oidc-provider-mock"),
        start=start,
        scenarios=scenarios,
        issuer=ISSUER,
        environments=(ENVIRONMENT,),
    )
]
