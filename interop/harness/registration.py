"""Steps of a client that registers itself, looks after its registration, and removes it."""

import json
from dataclasses import dataclass, field

from harness.command import USAGE
from harness.journey import Journey, file_with
from harness.peer import CALLBACK, require
from harness.scenario import file_name

METADATA = {
    "client_name": "Ostiary",
    "redirect_uris": [CALLBACK],
    "grant_types": ["authorization_code", "refresh_token"],
    "response_types": ["code"],
    "token_endpoint_auth_method": "client_secret_basic",
}


@dataclass(frozen=True)
class Registering:
    """`journey` is how its person signs in; its client is known only after the registration."""

    journey: Journey
    known_as: callable
    """What the provider itself says that a client is called, or None."""
    initial_access_token: str | None = None
    more: dict = field(default_factory=dict)
    """Metadata that this provider needs besides."""

    def steps(self):
        """Registers, signs in; looks, changes, signs in again; removes the registration."""
        step = self.journey.step
        yield step("register", self.register(), expect=registered, gate=True)
        yield from self.sign_in()
        yield step("read the registration", self.manage("read"), expect=named("Ostiary"))
        yield step("change the registration", self.manage("update", "--metadata", self.file("Another name")))
        yield step("read it again", self.manage("read"), expect=named("Another name"))
        yield from self.sign_in("sign in after the change")
        yield step("the provider knows the client by its new name", expect=self.known("Another name"))
        yield step("remove the registration", self.manage("delete"))
        yield step("the provider forgot the client", expect=self.known(None))
        yield step("nothing is left to read", self.manage("read"), exits=(USAGE,))

    def once(self):
        """Registers and signs in, at a provider that lets nobody read or change what was registered."""
        yield self.journey.step("register", self.register(), expect=registered, gate=True)
        yield from self.sign_in()

    def register(self):
        arguments = ["register", "--issuer", self.journey.issuer, "--json", "--metadata", self.file("Ostiary")]
        if self.initial_access_token:
            file = file_with(self.initial_access_token, "initial-access-token")
            arguments += ["--initial-access-token-file", file]
        return arguments

    def manage(self, what, *more):
        return ["register", what, "--json", *more]

    def sign_in(self, name="sign in"):
        meeting = self.journey.meeting(self.journey.agent)
        arguments = ["login", "--json", "--timeout", "45", "--redirect-uri", CALLBACK, *meeting]
        yield self.journey.step(name, arguments, person=self.journey.person, expect=self.signed_in)

    def signed_in(self, visit):
        claims = visit.result.json.get("claims") or {}
        require(claims.get("iss") == self.journey.issuer, f"the ID token is from {claims.get('iss')}")
        require(claims.get("aud") in (visit.client, [visit.client]), f"it is for {claims.get('aud')}")

    def known(self, name):
        def look(visit):
            known = self.known_as(visit.client)
            require(known == name, f"the provider calls the client {known}")

        return look

    def file(self, name):
        return file_with(json.dumps({**METADATA, **self.more, "client_name": name}), file_name(name) + ".json")


def registered(visit):
    visit.client = visit.result.json.get("clientID")
    require(visit.client, "no client identifier was told")


def named(name):
    def look(visit):
        told = visit.result.json.get("metadata") or {}
        require(told.get("client_name") == name, f"the client is called {told.get('client_name')}")

    return look
