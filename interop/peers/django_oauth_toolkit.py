"""django-oauth-toolkit (PyPI) in a small Django site.

Its endpoints are spread over two documents: user info and end session stand only in the OpenID Connect one,
revocation and introspection only in the RFC 8414 one.
"""

import json
import re
import secrets
import shutil
import sqlite3
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import replace
from pathlib import Path

from harness.command import DENIED, REFUSED, SIGN_IN
from harness.device import on_a_device
from harness.journey import Journey, an_explained_failure
from harness.machine import PythonEnvironment
from harness.peer import CALLBACK, GOODBYE, NATIVE, WEB, Client, Peer, require
from harness.person import Person
from harness.places import STATE
from harness.processes import must, run
from harness.registration import Registering
from harness.scenario import Scenario, Step
from harness.tokens import introspected

HOME = "http://127.0.0.1:4596"
ISSUER = HOME + "/o"
RESOURCE = HOME + "/api"
INITIAL_TOKEN = secrets.token_urlsafe()
NAME, PASSWORD = "alice", "alice-pass"
ENVIRONMENT = PythonEnvironment("django-oauth-toolkit")
PROJECT = Path(__file__).resolve().with_name("django_oauth_toolkit_site")


class Site:
    """A fresh site, and a look into its database: what the provider itself knows about its tokens."""

    def __init__(self):
        self.state = state = STATE / "peers" / "django-oauth-toolkit"
        self.settings = {
            "DJANGO_SETTINGS_MODULE": "settings",
            "PYTHONPATH": str(PROJECT),
            "PYTHONDONTWRITEBYTECODE": "1",
            "SITE_STATE": str(state),
            "SITE_HOME": HOME,
            "SITE_PERSON": f"{NAME} {PASSWORD}",
            "SITE_CALLBACK": CALLBACK,
            "SITE_GOODBYE": GOODBYE,
            "SITE_RESOURCE": RESOURCE,
            "SITE_INITIAL_TOKEN": INITIAL_TOKEN,
            "SITE_CLIENTS": f"{NATIVE.id} {WEB.id}:{WEB.secret}",
        }

    def start(self, servers):
        shutil.rmtree(self.state, ignore_errors=True)
        self.state.mkdir(parents=True)
        key = self.state / "key.pem"
        must(run(["openssl", "genrsa", "-out", key, "2048"], timeout=30), "openssl genrsa")
        fill = [ENVIRONMENT.python, PROJECT / "fill.py"]
        must(run(fill, timeout=60, extra=self.settings), "filling the site's database")
        command = [ENVIRONMENT.python, "-m", "django", "runserver", "--noreload", urllib.parse.urlsplit(HOME).netloc]
        ready = ISSUER + "/.well-known/openid-configuration"
        servers.start("django-oauth-toolkit", command, ready, extra=self.settings)

    def refresh_tokens(self, client):
        """All refresh tokens of a client, oldest first: the token, and whether it still works."""
        question = """
            SELECT token, revoked IS NULL FROM oauth2_provider_refreshtoken
            WHERE application_id = (SELECT id FROM oauth2_provider_application WHERE client_id = ?) ORDER BY id
        """
        return [(token, bool(alive)) for token, alive in self.ask(question, client.id)]

    def registered(self, client):
        """What a client that registered itself is called, or None."""
        names = self.ask("SELECT name FROM oauth2_provider_application WHERE client_id = ?", client)
        return names[0][0] if names else None

    def ask(self, question, value):
        database = sqlite3.connect(f"file:{self.state / 'site.sqlite'}?mode=ro", uri=True, timeout=10)
        try:
            return database.execute(question, [value]).fetchall()
        finally:
            database.close()

    def replay(self, client, token):
        """Sends a refresh token as a thief would; returns the status of the answer."""
        values = {"grant_type": "refresh_token", "refresh_token": token, "client_id": client.id}
        if client.secret:
            values["client_secret"] = client.secret
        body = urllib.parse.urlencode(values).encode()
        try:
            with urllib.request.urlopen(ISSUER + "/token/", body, timeout=20) as response:
                return response.status
        except urllib.error.HTTPError as error:
            return error.code


site = Site()
BY_POST = Client(WEB.id, WEB.secret, "client_secret_post")
NO_DEVICE_ENDPOINT = "its endpoint stands in neither document: the run adds it; there is no ID token"
SPREAD = "end session and revocation stand in two different metadata documents"


def scenarios():
    public, by_basic, by_post = (
        Journey(ISSUER, client, NAME, PASSWORD, quirks={"sign out": SPREAD}) for client in (NATIVE, WEB, BY_POST)
    )
    for name, journey in (
        ("public client", public),
        ("confidential client, basic", by_basic),
        ("confidential client, post", by_post),
    ):
        yield Scenario(name, tuple(round_trip(journey)), journey.secrets)
    yield Scenario("stolen refresh token", tuple(theft(public)), public.secrets)
    elsewhere = replace(public, redirect="http://127.0.0.1:49152/callback", quirks={})
    yield Scenario("another loopback port", tuple(elsewhere.sign_in()), public.secrets)
    yield from extensions(public, by_basic)
    person, decliner = Person(NAME, PASSWORD), Person(NAME, PASSWORD, declines=True)
    refusals = replace(
        public,
        quirks={"the person declines": "the refusal has no iss although it is announced, so it may count as bent"},
    ).refusals(person, decliner, (DENIED, REFUSED))
    yield Scenario("refusals", tuple(refusals), public.secrets)


def extensions(public, confidential):
    yield Scenario("metadata", tuple(metadata(public)), public.secrets)
    quirks = {"change the registration": "the registration token is another one afterwards"}
    steps = Registering(replace(confidential, quirks=quirks), site.registered, INITIAL_TOKEN).steps()
    yield Scenario("registration", tuple(steps), (PASSWORD, INITIAL_TOKEN))
    asking = [*confidential.sign_in(), *introspected(confidential)]
    yield Scenario("introspection and revocation", tuple(asking), confidential.secrets)
    device = replace(public, client=Client("device"), quirks={"sign in on a device": NO_DEVICE_ENDPOINT})
    steps = on_a_device(device, Person(NAME, PASSWORD).allow, "profile", identified=False)
    yield Scenario("device", tuple(steps), device.secrets)


def metadata(journey):
    """From a resource that refuses, by its own metadata and the issuer's two documents, to a token that it takes."""
    for_it = replace(journey, options=("--resource", RESOURCE), quirks={})
    yield Step("the resource names its issuer", expect=names_the_issuer)
    yield journey.step(
        "read the resource's metadata", ["discover", "--resource", RESOURCE, "--json"], expect=leads_to_the_issuer
    )
    yield journey.step("discover the issuer", ["discover", "--issuer", ISSUER, "--json"], expect=both_documents)
    # A token for the resource is not for user info: that is left out.
    yield from for_it.sign_in()[:2]
    yield Step("the resource takes the token", expect=opens_the_resource)


def names_the_issuer(_):
    status, challenge, _ = ask_resource()
    place = re.search(r'resource_metadata="([^"]+)"', challenge or "")
    require(status == 401 and place, f"the resource answered {status} and the challenge {challenge}")
    with urllib.request.urlopen(place[1], timeout=20) as response:
        document = json.load(response)
    require(document["resource"] == RESOURCE, f"the metadata is of {document['resource']}")
    require(document["authorization_servers"] == [ISSUER], f"the issuers are {document['authorization_servers']}")


def leads_to_the_issuer(visit):
    found = visit.result.json
    require(found["resource"] == RESOURCE, f"the metadata is of {found['resource']}")
    require(found["authorizationServers"] == [ISSUER], f"the issuers are {found['authorizationServers']}")


def opens_the_resource(visit):
    status, _, text = ask_resource(visit.tokens[-1])
    require(status == 200 and json.loads(text) == {"person": NAME}, f"the resource answered {status}: {text[:100]}")


def ask_resource(token=None):
    """Status, challenge and text of the resource's answer."""
    request = urllib.request.Request(RESOURCE, headers={"Authorization": f"Bearer {token}"} if token else {})
    try:
        response = urllib.request.urlopen(request, timeout=20)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        return response.status, response.headers.get("WWW-Authenticate"), response.read().decode()


def both_documents(visit):
    """Endpoints that only the one document names, and such that only the other one does."""
    found = visit.result.json["endpoints"]
    for name in ("userinfo", "end_session", "revocation", "introspection", "registration"):
        require(found.get(name + "_endpoint", "").startswith(ISSUER + "/"), f"no {name} endpoint was found")


def round_trip(journey):
    client = journey.client
    yield from journey.sign_in()
    yield from journey.refresh()
    yield Step("the provider retired the old refresh token", expect=lambda _: one_alive(client))
    yield from journey.sign_out()
    yield Step("the provider says that no refresh token is alive", expect=lambda _: none_alive(client))


def theft(journey):
    yield from journey.sign_in()
    yield from journey.refresh()
    yield Step("somebody sends the old refresh token", expect=lambda _: replayed(journey.client))
    quirk = "the reuse of one token ends all tokens of the family"
    yield Step("refresh", ("refresh", "--json"), exits=(SIGN_IN,), expect=an_explained_failure, quirk=quirk)
    yield Step("nothing is left", ("token",), exits=(SIGN_IN,))


def one_alive(client):
    tokens = site.refresh_tokens(client)
    require(len(tokens) >= 2, f"the provider knows {len(tokens)} refresh tokens of {client.id}, 2 or more expected")
    require([alive for _, alive in tokens[-2:]] == [False, True], "not exactly the last refresh token is alive")


def none_alive(client):
    alive = [token for token, alive in site.refresh_tokens(client) if alive]
    require(not alive, f"{len(alive)} refresh tokens of {client.id} still work")
    last = site.refresh_tokens(client)[-1][0]
    status = site.replay(client, last)
    require(status == 400, f"the token endpoint answered {status} to the last refresh token")


def replayed(client):
    old = site.refresh_tokens(client)[-2][0]
    status = site.replay(client, old)
    require(status == 400, f"the token endpoint answered {status} to a refresh token that was used before")


PEERS = [
    Peer(
        name="django-oauth-toolkit",
        family="django-oauth-toolkit",
        version=lambda: ENVIRONMENT.pinned("django-oauth-toolkit"),
        start=site.start,
        scenarios=scenarios,
        issuer=ISSUER,
        packages=("openssl",),
        environments=(ENVIRONMENT,),
    )
]
