"""Steps about a token that is there already: what it says, what its issuer says, giving it back, trading it in."""

import base64
import json
import ssl
import urllib.error
import urllib.request

from harness.command import METADATA, REFUSED, SERVER, SIGN_IN
from harness.journey import ACCESS_TOKEN_FILE, an_explained_failure, refused_with, same_person
from harness.peer import require

NEW_TOKEN_FILE = "new-token"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"


def claims_of(token):
    """What a token says that is a JWT, whoever signed it."""
    return part(token, 1)


def header_of(token):
    return part(token, 0)


def part(token, number):
    parts = token.split(".")
    require(len(parts) == 3, "the token is no JWT")
    return json.loads(base64.urlsafe_b64decode(parts[number] + "=" * (-len(parts[number]) % 4)))


def says(**claims):
    """Expects these claims of the access token that was shown last."""

    def look(visit):
        told = claims_of(visit.tokens[-1])
        for name, wanted in claims.items():
            require(told.get(name) == wanted, f"{name} is {told.get(name)}, {wanted} expected")

    return look


def verified(journey, audience, algorithm):
    """The access token is checked as a resource server would, with the issuer's keys; it is for this audience alone."""
    command = ["jwt", "verify", ACCESS_TOKEN_FILE, "--json", "--issuer", journey.issuer, "--type", "access_token"]

    def good(visit):
        require(visit.result.json.get("verified") is True, "the answer does not say verified")
        used = header_of(visit.tokens[-1]).get("alg")
        require(used == algorithm, f"it is signed with {used}")

    right, other = ([*command, "--audience", name] for name in (audience, "https://other.example"))
    yield journey.step(f"verify an access token signed with {algorithm}", right, expect=good)
    yield journey.step("it is not for another audience", other, exits=(REFUSED,), expect=an_explained_failure)


def introspected(journey, ends_session=True):
    """The issuer is asked about the access token while it lives, and after it was given back.

    `ends_session` is whether the refresh token goes with it; where it stays, `ostiary` renews the session.
    """
    about = [*journey.as_client(), "--token-file", ACCESS_TOKEN_FILE]
    yield journey.step("ask about the session's token", ["introspect", "--json"], expect=active(True))
    yield journey.step("ask about a token in a file", ["introspect", *about], expect=active(True))
    yield journey.step("revoke the token in the file", ["revoke", *about])
    yield journey.step("ask about it again", ["introspect", *about], expect=active(False))
    if ends_session:
        yield journey.step("read user info with it", ["userinfo", "--json"], exits=(SIGN_IN, SERVER))
    else:
        yield journey.step("read user info with a new token", ["userinfo", "--json"], expect=same_person)


def active(wanted):
    def look(visit):
        told = visit.result.json
        require(told.get("active") is wanted, f"active is {told.get('active')}, {wanted} expected")

    return look


def exchange(journey, audience, *more):
    """The command that trades the access token for one with another audience."""
    files = ["--subject-token-file", ACCESS_TOKEN_FILE, "--output-file", NEW_TOKEN_FILE]
    return ["exchange", *journey.as_client(), *files, "--audience", audience, *more]


def exchanged(journey, audience, scope, strange):
    """The access token is traded for one with another audience; not for a `strange` one."""

    def traded(visit):
        told = visit.result.json
        require(told.get("issuedTokenType") == ACCESS_TOKEN, f"issued was {told.get('issuedTokenType')}")
        file = visit.ostiary.home / NEW_TOKEN_FILE
        require(file.stat().st_mode & 0o077 == 0, "others can read the new token")
        claims = claims_of(file.read_text().strip())
        require(claims["aud"] in (audience, [audience]), f"the new token is for {claims['aud']}")
        require(claims["sub"] == visit.claims["sub"], "the new token is about somebody else")
        require(set(claims["scope"].split()) == set(scope.split()), f"the scope is {claims['scope']}")

    yield journey.step("exchange the access token", exchange(journey, audience, "--scope", scope), expect=traded)
    yield journey.step(
        "another audience",
        exchange(journey, strange),
        exits=(METADATA, SERVER),
        expect=refused_with("invalid_target"),
    )


def status_for(token, url, authority=None):
    """The status of the answer to a request with a bearer token, or with none.

    `authority` is a file with the certificate to trust, instead of those that the machine trusts.
    """
    request = urllib.request.Request(url, headers={"Authorization": "Bearer " + token} if token else {})
    trust = ssl.create_default_context(cafile=authority)
    try:
        with urllib.request.urlopen(request, timeout=20, context=trust) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def refused_as_bearer(url):
    """A token that is bound to a key is worth nothing without it."""

    def look(visit):
        status = status_for(visit.tokens[-1], url)
        require(status == 401, f"{url} answered {status}")

    return look
