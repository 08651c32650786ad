"""LemonLDAP::NG (Perl, Debian package, certified): a portal whose sessions are the provider's."""

from urllib.parse import parse_qsl, urlencode

from harness.command import METADATA, SIGN_IN
from harness.journey import ACCESS_TOKEN_FILE, Journey, refused_with
from harness.packages import version_of
from harness.peer import NATIVE, WEB, Peer
from harness.person import Forms, Person
from harness.registration import Registering
from harness.scenario import Scenario
from harness.tokens import active
from peers.lemonldap_ng.server import ISSUER, end_sessions, name_of_client, start

# Several of these are only recommended by the package, and it does not run without them.
PACKAGES = (
    "lemonldap-ng",
    "libgd-securityimage-perl",
    "libcrypt-openssl-bignum-perl",
    "libcrypt-openssl-x509-perl",
    "libcrypt-openssl-rsa-perl",
    "libio-string-perl",
    "libconvert-base32-perl",
    "libstring-random-perl",
    "libmime-tools-perl",
    "libunicode-string-perl",
    "libipc-run-perl",
    "libemail-sender-perl",
    "openssl",
)
NAME = PASSWORD = "dwho"
"""A user of the package's own demonstration."""
UNKNOWN = {"refresh": "a refresh token that nobody knows is answered with invalid_request, not invalid_grant"}
MADE_UP = {"register": "identifier and secret may have a slash, and must then not be form-encoded: no sign-in follows"}
SECRETS = (WEB.secret,)
"""The user's password is the name, which is no secret."""


class PortalUser(Person):
    """A user whose refusal is a value that a script of the portal puts into the form."""

    def act(self, url, status, text):
        target, body = super().act(url, status, text)
        refusing = [button["val"] for form in Forms(text).all for button in form.refusing if "val" in button]
        if not self.declines or not refusing or body is None:
            return target, body
        values = {**dict(parse_qsl(body.decode(), keep_blank_values=True)), "confirm": refusing[0]}
        return target, urlencode(values).encode()


def journey(client, *options, **more):
    user = PortalUser(NAME, PASSWORD)
    return Journey(ISSUER, client, NAME, PASSWORD, options=options, agent="manual", person=user, **more)


def scenarios():
    stay = {"refresh": "there is no new refresh token"}
    public = journey(NATIVE, quirks=stay)
    confidential = journey(WEB, "--userinfo-alg", "RS256", quirks={**stay, "read user info": "a JWT signed with RS256"})
    # A consent is remembered, so the refusal comes first.
    refusing = journey(NATIVE, quirks={"the person declines": "the error is consent_required, not access_denied"})
    user, decliner = PortalUser(NAME, PASSWORD), PortalUser(NAME, PASSWORD, declines=True)
    yield Scenario("refusals", tuple(refusing.refusals(user, decliner, (SIGN_IN,))), SECRETS)
    yield Scenario("public client", tuple(round_trip(public)), SECRETS)
    yield Scenario("confidential client", tuple(round_trip(confidential)), SECRETS)
    yield Scenario("introspection", tuple(introspection(confidential)), SECRETS)
    yield Scenario("an administrator ends the session", tuple(ended(journey(NATIVE, quirks=UNKNOWN))), SECRETS)
    registering = Registering(journey(WEB, quirks=MADE_UP), known_as=name_of_client)
    register, *_ = registering.once()
    known = registering.journey.step("the provider knows the client by its name", expect=registering.known("Ostiary"))
    yield Scenario("registration", (register, known), SECRETS)


def round_trip(journey):
    yield from journey.sign_in()
    yield from journey.refresh()
    yield from journey.sign_out(revocation="notOffered")


def introspection(journey):
    yield from journey.sign_in()
    yield journey.step("ask about the session's token", ["introspect", "--json"], expect=active(True))
    yield from journey.sign_out(revocation="notOffered")
    about = ["introspect", *journey.as_client(), "--token-file", ACCESS_TOKEN_FILE]
    yield journey.step("ask about the token of before", about, expect=active(False))


def ended(journey):
    yield from journey.sign_in()
    yield journey.step("the administrator removes all sessions", expect=lambda _: end_sessions())
    yield journey.step("refresh", ["refresh", "--json"], exits=(METADATA,), expect=refused_with("invalid_request"))
    # Only invalid_grant ends a session here: the user is not signed out by an answer that can have another cause.
    yield journey.step("the session is still there", ["token"])
    yield journey.step("sign out", ["logout", "--json"])
    yield journey.step("nothing is left", ["token"], exits=(SIGN_IN,))


PEERS = [
    Peer(
        name="LemonLDAP::NG",
        family="lemonldap-ng",
        version=lambda: (version_of("lemonldap-ng") or "missing").split("+")[0],
        start=start,
        scenarios=scenarios,
        issuer=ISSUER,
        packages=PACKAGES,
    )
]
