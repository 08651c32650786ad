"""What the Python clients share: one environment, one way to start their programs, the steps that all of them take."""

import json

from harness.conversation import Conversation
from harness.machine import PythonEnvironment
from harness.peer import CALLBACK
from harness.person import Person
from harness.places import INTEROP
from peers.relying_parties.provider import CLAIMS, ISSUER, NAME, PASSWORD, SECRET, SUBJECT

ENVIRONMENT = PythonEnvironment("clients")


def conversation(servers, program, name, method, issuer=ISSUER, authority=None, **plan):
    """A client's program, and a user of its own who has not signed in yet.

    `authority` is a file with the certificate that the issuer's is to be checked against.
    """
    secret = SECRET if method.startswith("client_secret") else None
    plan = {"issuer": issuer, "method": method, "secret": secret, "callback": CALLBACK, "authority": authority, **plan}
    command = [ENVIRONMENT.python, "-B", INTEROP / "clients" / f"{program}_program.py"]
    # In `requests` a variable of the caller's environment goes before the file that a program names.
    trust = {"REQUESTS_CA_BUNDLE": authority} if authority else {}
    user = Person(NAME, PASSWORD, authority=authority)
    return Conversation(servers, f"{program} {name}", command, user, {"INTEROP_PLAN": json.dumps(plan), **trust})


def signed_in(told, quirk="", **more):
    yield told.step("sign in", quirk, gate=True, subject=SUBJECT, refreshable=True, **more)
    yield told.step("read user info", status=200, sub=SUBJECT, **CLAIMS)


def refreshed(told, **more):
    yield told.step("refresh", renewed=True, rotated=True, **more)


def withdrawn(told):
    """The provider is asked about the token while it lives, and after the refresh token was revoked."""
    yield told.step("ask about the token", active=True, sub=SUBJECT)
    yield told.step("revoke the refresh token", status=200)
    yield told.step("ask again", active=False)
    yield told.step("refresh after that", error="invalid_grant")


def replayed(told):
    """A code that is presented again is refused, and ends what was issued for it."""
    yield told.step("redeem the code again", error="invalid_grant")
    yield told.step("read user info after that", status=401)
