"""The steps that most clients take, in the words that their programs know."""

from peers.relying_parties.provider import CLAIMS, SUBJECT


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


def reused(told):
    """A refresh token that is presented again is refused, and ends what came of it."""
    yield from signed_in(told)
    yield from refreshed(told)
    yield told.step("present the old refresh token", error="invalid_grant")
    yield told.step("refresh after that", error="invalid_grant")


def replayed(told):
    """A code that is presented again is refused, and ends what was issued for it."""
    yield told.step("redeem the code again", error="invalid_grant")
    yield told.step("read user info after that", status=401)
