"""The steps that a person takes with `ostiary` at any provider, as tables for the peers to put together."""

import secrets
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode, urlsplit

from harness.command import DENIED, METADATA, NETWORK, REFUSED, SERVER, SIGN_IN
from harness.places import STATE
from harness.peer import CALLBACK, GOODBYE, Client, require
from harness.scenario import Step

ACCESS_TOKEN_FILE = "access-token"
"""In the person's home folder, where `ostiary` runs: the access token that was shown last."""

NOBODY_LISTENS = "http://127.0.0.1:1"


@dataclass(frozen=True)
class Journey:
    """One client at one issuer, and how its person meets the provider."""

    issuer: str
    client: Client
    name: str
    password: str
    agent: str = "http"
    """`http`: `ostiary` walks through the forms itself. `manual`: `person` does."""
    person: callable = None
    options: tuple = ()
    redirect: str | None = CALLBACK
    token_type: str = "bearer"
    refreshable: bool = True
    quirks: dict = field(default_factory=dict)
    """What is peculiar about the provider, by the name of the step that meets it."""

    @property
    def secrets(self):
        return tuple(filter(None, (self.password, self.client.secret)))

    def step(self, name, arguments=(), **choices):
        return Step(name, tuple(arguments), quirk=self.quirks.get(name, ""), **choices)

    def sign_in(self, **choices):
        return [
            self.step(
                "sign in",
                self.login(),
                person=self.person,
                expect=self.signed_in,
                gate=True,
                **choices,
            ),
            self.step("show the access token", ["token"], expect=an_access_token),
            self.step("read user info", ["userinfo", "--json"], expect=same_person),
        ]

    def refresh(self, pause=0):
        return [
            self.step("refresh", ["refresh", "--json"], pause=pause),
            self.step("show the new access token", ["token"], expect=another_access_token),
            self.step("read user info with it", ["userinfo", "--json"], expect=same_person),
        ]

    def sign_out(self, goodbye=GOODBYE, revocation="revoked"):
        """`revocation` is what comes of the refresh token: `revoked`, or `failed` where the provider refuses to."""
        arguments = ["logout", "--json", *self.meeting(self.agent), "--post-logout-redirect-uri", goodbye]

        def told(visit):
            answer = visit.result.json
            for name, wanted in (("revocation", revocation), ("endSession", "ended")):
                require(answer.get(name) == wanted, f"{name} is {answer.get(name)}, {wanted} expected")

        return [
            self.step("sign out", arguments, person=self.person, expect=told),
            self.step("nothing is left", ["token"], exits=(SIGN_IN,)),
        ]

    def refusals(self, person, decliner, declined=(DENIED,)):
        """What must not work, and leaves nothing behind.

        `person` signs in for real before the redirect is bent; `decliner` comes back with a refusal.
        """
        wrong = self.issuer + ("x" if urlsplit(self.issuer).path else "/x")
        dead = self.issuer.replace(urlsplit(self.issuer).netloc, urlsplit(NOBODY_LISTENS).netloc)

        def refused(name, login, exits, person=None):
            return self.step(name, login, exits=exits, expect=an_explained_failure, person=person)

        return [
            refused("another issuer", self.login(issuer=wrong), (METADATA, REFUSED, SERVER)),
            refused("a dead port", self.login(issuer=dead), (NETWORK,)),
            *[
                refused(name, self.login(agent="manual"), exits, answer)
                for name, exits, answer in (
                    ("the person declines", declined, decliner),
                    ("a bent state", (REFUSED,), bent(person, state=secrets.token_urlsafe())),
                    ("a missing state", (REFUSED,), bent(person, state=None)),
                    ("another issuer in the redirect", (REFUSED,), bent(person, iss="https://other.example")),
                )
            ],
            self.step("nothing was stored", ["token"], exits=(SIGN_IN,)),
        ]

    def login(self, issuer=None, agent=None):
        arguments = ["login", *self.as_client(issuer), "--timeout", "45"]
        if self.redirect:
            arguments += ["--redirect-uri", self.redirect]
        return [*arguments, *self.options, *self.meeting(agent or self.agent)]

    def as_client(self, issuer=None):
        """What every command is told that speaks to the issuer for the client."""
        arguments = ["--issuer", issuer or self.issuer, "--client-id", self.client.id, "--json"]
        arguments += ["--client-auth", self.client.authentication]
        if self.client.secret:
            arguments += ["--client-secret-file", file_with(self.client.secret, f"{self.client.id}-secret")]
        if self.client.key:
            arguments += ["--client-key", str(self.client.key)]
        return arguments

    def meeting(self, agent):
        """How `ostiary` and the provider's pages meet."""
        arguments = ["--user-agent", agent]
        if agent == "http":
            file = file_with(self.password, f"{urlsplit(self.issuer).port}-{self.name}")
            arguments += ["--http-user", self.name, "--http-password-file", file]
        return arguments

    def signed_in(self, visit):
        answer = visit.result.json
        claims = answer.get("claims") or {}
        audience = claims.get("aud")
        require(answer.get("ok") is True, "the answer does not say ok")
        require(answer.get("issuer") == self.issuer, f"the issuer is {answer.get('issuer')}")
        require(claims.get("iss") == self.issuer, f"the ID token is from {claims.get('iss')}")
        require(self.client.id in ([audience] if isinstance(audience, str) else audience), f"it is for {audience}")
        require(claims.get("sub"), "the claims name no subject")
        require(str(answer.get("tokenType")).lower() == self.token_type, f"the token type is {answer.get('tokenType')}")
        require(answer.get("refreshable") is self.refreshable, f"refreshable is {answer.get('refreshable')}")
        visit.claims = claims


def file_with(text, name):
    """A file that only its owner reads, with one line of text."""
    path = STATE / "secrets" / name
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(text + "\n")
    return str(path)


def an_access_token(visit):
    lines = visit.result.stdout.splitlines()
    require(len(lines) == 1 and lines[0] and not lines[0].split()[1:], "standard output is not one token alone")
    visit.tokens.append(lines[0])
    visit.ostiary.keep(ACCESS_TOKEN_FILE, lines[0])


def another_access_token(visit):
    an_access_token(visit)
    require(len(set(visit.tokens)) == len(visit.tokens), "it is the token of before")


def same_person(visit):
    answer = visit.result.json
    info = next((part for part in (answer, *answer.values()) if isinstance(part, dict) and "sub" in part), {})
    require(info.get("sub") == visit.claims["sub"], f"the subject is {info.get('sub')}, not {visit.claims['sub']}")


def an_explained_failure(visit):
    error = visit.result.error
    for name in ("stage", "reason", "message", "recovery"):
        require(error.get(name), f"the error says no {name}")


def refused_with(code):
    """The failure names what the issuer answered."""

    def look(visit):
        an_explained_failure(visit)
        found = visit.result.error.get("code")
        require(found == code, f"the code is {found}, {code} expected")

    return look


def declined_at(issuer):
    """A person who comes back declined from a provider whose page has no button for that: the redirect is written."""

    def answer(url):
        asked = dict(parse_qsl(urlsplit(url).query))
        values = {"error": "access_denied", "state": asked["state"], "iss": issuer}
        return f"{asked['redirect_uri']}?{urlencode(values)}"

    return answer


def bent(person, **changes):
    """A person who signs in and comes back with a redirect that somebody changed."""

    def answer(url):
        target = urlsplit(person(url))
        values = {**dict(parse_qsl(target.query)), **changes}
        kept = {name: value for name, value in values.items() if value is not None}
        return target._replace(query=urlencode(kept)).geturl()

    return answer
