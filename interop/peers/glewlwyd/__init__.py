"""glewlwyd, a provider in C (Debian package): the peer with the most extensions."""

from dataclasses import replace

from harness import browser
from harness.command import METADATA, REFUSED
from harness.journey import Journey, an_explained_failure, declined_at
from harness.packages import version_of
from harness.peer import NATIVE, WEB, Peer, require
from harness.scenario import Scenario
from harness.tokens import verified
from peers.glewlwyd import extensions, guarded
from peers.glewlwyd.api import ALGORITHMS, ISSUER, NAME, PASSWORD, RESOURCE, SCOPE
from peers.glewlwyd.person import GlewlwydPerson
from peers.glewlwyd.server import start

PACKAGES = ("glewlwyd", "dbconfig-no-thanks", "rnbyc")
# Without this answer the package cannot be installed unattended: it asks for a database and stops.
PRESEED = ("glewlwyd glewlwyd/config_type select No configuration",)


def scenarios(algorithm):
    no_revocation = "revocation by a public client is answered with 401 and no body"
    public = journey(NATIVE, algorithm, **{"sign out": no_revocation})
    confidential = journey(WEB, algorithm, **{"sign out": "the post-logout redirect comes from a page with JavaScript"})
    yield round_trip("public client", public, revocation="failed")
    yield round_trip("confidential client", confidential)
    yield Scenario("keys", tuple(keys(confidential, algorithm)), confidential.secrets)
    if algorithm == ALGORITHMS[0]:
        yield Scenario("refusals", tuple(refusals(public)), public.secrets)
        yield Scenario(browser.title("chromium"), tuple(real_page(journey(NATIVE, algorithm))), public.secrets)
        yield from extensions.scenarios(public, confidential)
        yield from guarded.scenarios(public)


def journey(client, algorithm, **more):
    quirks = {"read user info": "auth_time is 0 in the ID token", "refresh": "the answer has no ID token"}
    if algorithm == "EdDSA":
        quirks["sign in"] = "at_hash of an EdDSA ID token is made with SHA-256, others use SHA-512"
    else:
        quirks["sign in"] = "the key set mixes EC, OKP and RSA keys; token_type is bearer in lower case"
    return Journey(
        ISSUER,
        client,
        NAME,
        PASSWORD,
        agent="manual",
        person=GlewlwydPerson(),
        options=("--id-token-alg", algorithm),
        quirks={**quirks, **more},
    )


def round_trip(name, journey, **sign_out):
    steps = [*journey.sign_in(), *journey.refresh(), *journey.sign_out(**sign_out)]
    return Scenario(name, tuple(steps), journey.secrets)


def keys(journey, algorithm):
    yield journey.step("list the keys", ["jwks", "--issuer", ISSUER, "--json"], expect=all_algorithms)
    for_it = replace(journey, options=(*journey.options, "--resource", RESOURCE, *SCOPE), quirks={})
    yield from for_it.sign_in()
    yield from verified(for_it, RESOURCE, algorithm)


def all_algorithms(visit):
    found = sorted(key["alg"] for key in visit.result.json["keys"])
    require(found == sorted(ALGORITHMS), f"the keys are for {found}")


def refusals(journey):
    by_address = ISSUER.replace("localhost", "127.0.0.1")
    yield journey.step(
        "the issuer under another name",
        journey.login(issuer=by_address),
        exits=(METADATA, REFUSED),
        expect=an_explained_failure,
    )
    # The redirect of a user who declines is written here, with the `state` that stands in a request that is not pushed.
    in_the_address = replace(journey, options=(*journey.options, "--par", "never"))
    yield from in_the_address.refusals(GlewlwydPerson(), declined_at(ISSUER))


def real_page(journey):
    opening = browser.Opening("chromium", NAME, PASSWORD, ("--foreign",))
    yield journey.step(
        "sign in",
        journey.login(agent="browser"),
        expect=journey.signed_in,
        opens=opening,
        timeout=60,
    )


PEERS = [
    Peer(
        name=f"glewlwyd {algorithm}",
        family="glewlwyd",
        version=lambda: (version_of("glewlwyd") or "missing").split("-")[0],
        start=lambda servers, algorithm=algorithm: start(servers, algorithm),
        scenarios=lambda algorithm=algorithm: scenarios(algorithm),
        issuer=ISSUER,
        packages=PACKAGES + browser.PACKAGES["chromium"],
        preseed=PRESEED,
        environments=(browser.ENVIRONMENT, guarded.ENVIRONMENT),
    )
    for algorithm in ALGORITHMS
]
