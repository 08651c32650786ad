"""What glewlwyd can do that few others can: every scenario starts from a journey that signs in the usual way."""

from dataclasses import replace

from harness.command import METADATA, SERVER
from harness.device import on_a_device
from harness.journey import an_access_token, refused_with
from harness.peer import require
from harness.registration import Registering
from harness.scenario import Scenario
from harness.tokens import claims_of, introspected, refused_as_bearer, says
from peers.glewlwyd.administrator import Administrator
from peers.glewlwyd.api import ISSUER, RESOURCE, SCOPE
from peers.glewlwyd.person import GlewlwydPerson

STRANGE = "https://other.example.com/"


def scenarios(public, confidential):
    yield pushed("pushed request, public client", public)
    yield pushed("pushed request, confidential client", confidential)
    yield bound("DPoP, public client", public, "--par", "never")
    yield bound("DPoP and pushed request, confidential client", confidential, "--par", "always")
    yield resource(public)
    asking = [*confidential.sign_in(), *introspected(confidential, ends_session=False)]
    yield Scenario("introspection and revocation", tuple(asking), confidential.secrets)
    yield registration(public)
    for name, journey in (("public", public), ("confidential", confidential)):
        plain = replace(journey, quirks={})
        steps = on_a_device(plain, GlewlwydPerson(journey.client).allow, "openid profile", identified=True)
        yield Scenario(f"device, {name} client", tuple(steps), journey.secrets)


def with_options(journey, *options, quirks=None, **changes):
    return replace(journey, options=(*journey.options, *options), quirks=quirks or {}, **changes)


def pushed(name, journey):
    journey = with_options(journey, "--par", "always", "--explain")
    signing_in, *rest = journey.sign_in()
    steps = [
        signing_in,
        journey.step("the request was pushed", expect=asked("authorization", 201)),
        *rest,
        *journey.refresh(),
    ]
    return Scenario(name, tuple(steps), journey.secrets)


def asked(stage, *statuses):
    """Expects requests of one stage of the sign-in, answered like this."""

    def look(visit):
        found = tuple(request["status"] for request in visit.result.json["requests"] if request["stage"] == stage)
        require(found == statuses, f"requests of the stage {stage} were answered {found}, {statuses} expected")

    return look


def bound(name, journey, *options):
    """Tokens that are bound to a key: glewlwyd wants a nonce of its own in every proof."""
    quirks = {
        "sign in": "a proof needs a nonce, and a pushed request takes no proof: it says dpop_jkt",
        "refresh": "the answer has no ID token",
    }
    journey = with_options(journey, "--dpop", "--explain", *options, quirks=quirks, token_type="dpop")
    signing_in, *rest = journey.sign_in()
    steps = [
        signing_in,
        journey.step("the first proof was answered with a nonce", expect=asked("token", 400, 200)),
        *rest,
        journey.step("the token is bound to a key", expect=has_a_key),
        journey.step("the token is refused without it", expect=refused_as_bearer(ISSUER + "/userinfo")),
        *journey.refresh(),
        journey.step("the new token is bound to it, too", expect=has_the_same_key),
        journey.step("it is refused without it, too", expect=refused_as_bearer(ISSUER + "/userinfo")),
    ]
    return Scenario(name, tuple(steps), journey.secrets)


def thumbprint(token):
    return (claims_of(token).get("cnf") or {}).get("jkt")


def has_a_key(visit):
    require(thumbprint(visit.tokens[-1]), "the access token names no key")


def has_the_same_key(visit):
    has_a_key(visit)
    require(len({thumbprint(token) for token in visit.tokens}) == 1, "the key changed")


def resource(journey):
    for_it = with_options(journey, "--resource", RESOURCE, *SCOPE)
    # Pushed, such a request is answered with 403 and an empty body.
    strange = with_options(journey, "--resource", STRANGE, *SCOPE, "--par", "never")
    steps = [
        *for_it.sign_in(),
        for_it.step("the token is for the resource", expect=says(aud=RESOURCE)),
        *for_it.refresh(),
        for_it.step("the new token is for it, too", expect=says(aud=RESOURCE)),
        for_it.step("show a token for the resource", ["token", "--resource", RESOURCE], expect=an_access_token),
        for_it.step("it is for the resource", expect=says(aud=RESOURCE)),
        for_it.step(
            "show a token for another resource",
            ["token", "--json", "--resource", STRANGE],
            exits=(METADATA, SERVER),
            expect=refused_with("invalid_target"),
        ),
        strange.step(
            "sign in for another resource",
            strange.login(),
            exits=(METADATA, SERVER),
            expect=refused_with("invalid_target"),
            person=strange.person,
        ),
    ]
    return Scenario("resource indicator", tuple(steps), journey.secrets)


def registration(journey):
    quirks = {
        "register": "the answer is 200, not 201",
        "change the registration": "the client secret is another one afterwards",
        "read it again": "token_endpoint_auth_method is a list",
        "remove the registration": "the answer is 200, not 204",
    }
    steps = Registering(replace(journey, quirks=quirks), Administrator().name_of_client).steps()
    return Scenario("registration", tuple(steps), journey.secrets)
