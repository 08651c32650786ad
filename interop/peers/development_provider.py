"""Our own provider, `ostiary idp serve`: the one peer whose pages are ours, so real engines look at them."""

import json
import secrets

from harness import browser
from harness.command import DENIED, SIGN_IN, binary
from harness.journey import Journey
from harness.places import STATE
from harness.peer import CALLBACK, Client, Peer
from harness.person import Person
from harness.scenario import Scenario
from peers import apache

PORT = 4611
ISSUER = f"http://127.0.0.1:{PORT}"

NAME = "alice"
PASSWORD = secrets.token_urlsafe(12)
GOODBYE = "http://127.0.0.1/"

WAYS = {
    "chromium": ((), ("--keyboard",), ("--no-scripts",), ("--deny",)),
    "webkitgtk": ((), ("--keyboard",), ("--deny",)),
}


def client(*words):
    """One client a scenario: the provider remembers what a person has allowed a client, and would not ask again."""
    return "-".join(word.strip("-") for word in words)


CLIENTS = ["http", "manual", "apache", *(client(engine, *options) for engine, ways in WAYS.items() for options in ways)]


def start(servers):
    home = STATE / "peers" / "development-provider"
    home.mkdir(parents=True, exist_ok=True)
    configuration = home / "provider.json"
    configuration.touch(mode=0o600)
    configuration.write_text(json.dumps({
        "name": "Ostiary",
        "clients": [
            {
                "client_id": name,
                "client_name": name,
                "redirect_uris": ["http://127.0.0.1/callback"],
                "post_logout_redirect_uris": [GOODBYE],
            }
            for name in CLIENTS
        ],
        "users": [{"name": NAME, "password": PASSWORD, "sub": "user-alice", "claims": {"name": "Alice Example"}}],
    }))
    command = [binary(), "idp", "serve", "--port", str(PORT), "--config", str(configuration)]
    servers.start(
        "development-provider", command, ISSUER + "/.well-known/openid-configuration", extra={"HOME": str(home)}, cwd=home
    )
    apache.start(servers, ISSUER + "/jwks")


def scenarios():
    def journey(name, redirect=None):
        return Journey(ISSUER, Client(name), NAME, PASSWORD, redirect=redirect)

    whole = journey("http")
    steps = [*whole.sign_in(), *whole.refresh(), *whole.sign_out(GOODBYE)]
    yield Scenario("http user agent", tuple(steps), whole.secrets)
    api = journey("apache")
    steps = [*api.sign_in(), api.step("Apache's mod_oauth2 accepts it", expect=apache.accepts_the_token)]
    yield Scenario("access token, mod_oauth2", tuple(steps), api.secrets)
    for engine, ways in WAYS.items():
        for options in ways:
            one = journey(client(engine, *options))
            yield Scenario(scenario_name(engine, options), tuple(visit(one, engine, options)), one.secrets)
    manual = journey("manual", CALLBACK)
    person, decliner = Person(NAME, PASSWORD), Person(NAME, PASSWORD, declines=True)
    yield Scenario("refusals", tuple(manual.refusals(person, decliner)), manual.secrets)


def scenario_name(engine, options):
    ways = {"--keyboard": "keyboard only", "--no-scripts": "scripts off", "--deny": "declined"}
    return ", ".join([browser.title(engine), *(ways[option] for option in options)])


def visit(journey, engine, options):
    declines = "--deny" in options
    yield journey.step(
        "sign in",
        journey.login(agent="browser"),
        exits=(DENIED,) if declines else (0,),
        expect=None if declines else journey.signed_in,
        opens=browser.Opening(engine, journey.name, journey.password, options),
        timeout=60,
        gate=True,
    )
    if declines:
        yield journey.step("nothing was stored", ["token"], exits=(SIGN_IN,))
    else:
        yield journey.step("show the access token", ["token"])


PEERS = [
    Peer(
        name="development provider",
        family="development-provider",
        version=lambda: "of this project",
        start=start,
        scenarios=scenarios,
        issuer=ISSUER,
        packages=browser.PACKAGES["chromium"] + browser.PACKAGES["webkitgtk"] + apache.PACKAGES,
        environments=(browser.ENVIRONMENT,),
    )
]
