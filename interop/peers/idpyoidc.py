"""idpyoidc (PyPI, IdentityPython) behind a small site: token exchange, and one client for which all is signed ES256."""

import json
import shutil
from pathlib import Path

from harness.journey import Journey, declined_at
from harness.machine import PythonEnvironment
from harness.peer import CALLBACK, NATIVE, WEB, Client, Peer
from harness.person import Person
from harness.places import STATE
from harness.scenario import Scenario
from harness.tokens import exchanged, introspected

ISSUER = "http://127.0.0.1:4597"
AUDIENCE = "https://api.example.com"
NAME, PASSWORD = "alice", "alice-pass"
ENVIRONMENT = PythonEnvironment("idpyoidc")
FOLDER = STATE / "peers" / "idpyoidc"
PROGRAM = Path(__file__).resolve().with_name("idpyoidc_site") / "program.py"


SIGNING = Client("signing", authentication="private_key_jwt", key=FOLDER / "client-key.json")


def start(servers):
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    (FOLDER / "plan.json").write_text(json.dumps(plan()))
    command = [ENVIRONMENT.python, "-B", PROGRAM, FOLDER / "plan.json"]
    servers.start("idpyoidc", command, ISSUER + "/.well-known/openid-configuration", cwd=FOLDER)


def plan():
    """What the program inside idpyoidc's environment is to set up."""
    es256 = {"id_token_signed_response_alg": "ES256", "userinfo_signed_response_alg": "ES256"}
    return {
        "issuer": ISSUER,
        "audience": AUDIENCE,
        "state": str(FOLDER),
        "callback": CALLBACK,
        "person": {"name": NAME, "password": PASSWORD},
        "clients": [
            {"id": NATIVE.id, "authentication": "none"},
            {"id": WEB.id, "secret": WEB.secret, "authentication": WEB.authentication, **es256},
            {"id": SIGNING.id, "authentication": SIGNING.authentication, "key": str(SIGNING.key)},
        ],
    }


def scenarios():
    def journey(client, options=(), quirks=None):
        # Without `prompt=consent`, asking for a refresh token is answered with an error page.
        options = (*options, "--scope", "openid profile email")
        return Journey(
            ISSUER, client, NAME, PASSWORD, options=options, quirks=quirks or {}, refreshable=False
        )

    signed = journey(
        WEB,
        ("--id-token-alg", "ES256", "--userinfo-alg", "ES256"),
        {"sign in": "there is no at_hash", "read user info": "a JWT signed with ES256"},
    )
    yield Scenario("confidential client, everything signed with ES256", tuple(signed.sign_in()), signed.secrets)
    asking = [*signed.sign_in(), *introspected(signed)]
    yield Scenario("introspection and revocation", tuple(asking), signed.secrets)
    trading = [*signed.sign_in(), *exchanged(signed, AUDIENCE, "openid profile", "https://other.example")]
    yield Scenario("token exchange", tuple(trading), signed.secrets)
    signing = journey(SIGNING, ("--id-token-alg", "RS256"))
    yield Scenario("client with a key", tuple([*signing.sign_in(), *introspected(signing)]), signing.secrets)
    public = journey(NATIVE, ("--id-token-alg", "RS256"))
    yield Scenario("public client", tuple(public.sign_in()), public.secrets)
    person = Person(NAME, PASSWORD)
    yield Scenario("refusals", tuple(public.refusals(person, declined_at(ISSUER))), public.secrets)


PEERS = [
    Peer(
        name="idpyoidc",
        family="idpyoidc",
        version=lambda: ENVIRONMENT.pinned("idpyoidc"),
        start=start,
        scenarios=scenarios,
        issuer=ISSUER,
        environments=(ENVIRONMENT,),
    )
]
