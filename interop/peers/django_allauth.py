"""django-allauth (PyPI) as a provider, in a small Django site: JWT access tokens, secrets as they are."""

import secrets
import shutil
import urllib.parse
from dataclasses import replace
from pathlib import Path

from harness.command import METADATA
from harness.device import on_a_device
from harness.journey import Journey, refused_with
from harness.machine import PythonEnvironment
from harness.peer import CALLBACK, NATIVE, WEB, Client, Peer
from harness.person import Person
from harness.places import STATE
from harness.processes import must, run
from harness.registration import Registering
from harness.scenario import Scenario
from harness.tokens import introspected, says

HOME = ISSUER = "http://127.0.0.1:4599"
RESOURCE = HOME + "/api"
NAME, PASSWORD = "alice", secrets.token_urlsafe(12)
ENVIRONMENT = PythonEnvironment("django-allauth")
PROJECT = Path(__file__).resolve().with_name("django_allauth_site")
PUNCTUATION = "%)#=!$@^*" + secrets.token_urlsafe(12)
BY_POST = Client(WEB.id, WEB.secret, "client_secret_post")


def start(servers):
    state = STATE / "peers" / "django-allauth"
    shutil.rmtree(state, ignore_errors=True)
    state.mkdir(parents=True)
    settings = {
        "DJANGO_SETTINGS_MODULE": "settings",
        "PYTHONPATH": str(PROJECT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SITE_STATE": str(state),
        "SITE_USER": f"{NAME} {PASSWORD}",
        "SITE_CALLBACK": CALLBACK,
        "SITE_CLIENTS": f"{NATIVE.id} {WEB.id}:{WEB.secret} punctuation:{PUNCTUATION}",
    }
    must(run(["openssl", "genrsa", "-out", state / "key.pem", "2048"], timeout=30), "openssl genrsa")
    must(run([ENVIRONMENT.python, PROJECT / "fill.py"], timeout=60, extra=settings), "filling the site's database")
    command = [ENVIRONMENT.python, "-m", "django", "runserver", "--noreload", urllib.parse.urlsplit(HOME).netloc]
    ready = ISSUER + "/.well-known/openid-configuration"
    servers.start("django-allauth", command, ready, extra=settings)


def punctuation():
    """The secrets that django-allauth makes for registered clients are of this kind, so these authenticate by post."""
    by_basic, by_post = (
        Journey(ISSUER, Client("punctuation", PUNCTUATION, method), NAME, PASSWORD, quirks=quirks)
        for method, quirks in (
            ("client_secret_basic", {"sign in by basic": "a secret in the header must not be form-encoded"}),
            ("client_secret_post", {}),
        )
    )
    yield by_basic.step("sign in by basic", by_basic.login(), exits=(METADATA,), expect=refused_with("invalid_client"))
    yield from by_post.sign_in()


def scenarios():
    public, by_basic, by_post = (Journey(ISSUER, client, NAME, PASSWORD) for client in (NATIVE, WEB, BY_POST))
    for name, journey in (
        ("public client", public),
        ("confidential client, basic", by_basic),
        ("confidential client, post", by_post),
    ):
        steps = [*journey.sign_in(), *journey.refresh(), *journey.sign_out()]
        yield Scenario(name, tuple(steps), journey.secrets)
    steps = [*by_basic.sign_in(), *introspected(by_basic, ends_session=False)]
    yield Scenario("introspection and revocation", tuple(steps), by_basic.secrets)
    device = replace(public, quirks={"sign in on a device": "there is no ID token, so openid is not asked for"})
    steps = on_a_device(device, Person(NAME, PASSWORD).allow, "profile", identified=False)
    yield Scenario("device", tuple(steps), public.secrets)
    for_it = replace(public, options=("--resource", RESOURCE))
    steps = [*for_it.sign_in()[:2], for_it.step("the token is for the resource", expect=says(aud=[RESOURCE]))]
    yield Scenario("resource indicator", tuple(steps), public.secrets)
    more = {"scope": "openid profile email offline_access", "token_endpoint_auth_method": "client_secret_post"}
    steps = Registering(by_post, known_as=None, more=more).once()
    yield Scenario("registration", tuple(steps), by_basic.secrets)
    yield Scenario("secret with punctuation", tuple(punctuation()), (PASSWORD, PUNCTUATION))
    elsewhere = replace(public, redirect="http://127.0.0.1:49152/callback")
    yield Scenario("another loopback port", tuple(elsewhere.sign_in()), public.secrets)
    decliner = Person(NAME, PASSWORD, declines=True)
    yield Scenario("refusals", tuple(public.refusals(Person(NAME, PASSWORD), decliner)), public.secrets)


PEERS = [
    Peer(
        name="django-allauth",
        family="django-allauth",
        version=lambda: ENVIRONMENT.pinned("django-allauth"),
        start=start,
        scenarios=scenarios,
        issuer=ISSUER,
        packages=("openssl",),
        environments=(ENVIRONMENT,),
    )
]
