"""Steps of a device without a browser, whose person lets it in elsewhere."""

from harness.journey import an_access_token
from harness.peer import require


def on_a_device(journey, approver, scope, identified):
    """`identified` is whether the provider says who let the device in, with an ID token."""

    def let_in(visit):
        answer = visit.result.json
        claims = answer.get("claims") or {}
        require(answer.get("ok") is True, "the answer does not say ok")
        require(bool(claims) is identified, "an ID token is there" if claims else "no ID token is there")
        if identified:
            require(claims.get("iss") == journey.issuer, f"the ID token is from {claims.get('iss')}")
            visit.claims = claims

    arguments = ["device", *journey.as_client(), "--scope", scope, "--timeout", "45"]
    yield journey.step("sign in on a device", arguments, approver=approver, expect=let_in, gate=True, timeout=60)
    yield journey.step("show the access token", ["token"], expect=an_access_token)
