"""glewlwyd, a provider in C (Debian package), configured through its own administration API.

Its sign-in page needs JavaScript: the person here speaks the JSON API that the page speaks.
"""

import gzip
import json
import shutil
import sqlite3
import urllib.parse
from pathlib import Path

from harness import browser
from harness.command import METADATA, REFUSED
from harness.journey import Journey, an_explained_failure
from harness.machine import STATE, version_of
from harness.peer import CALLBACK, GOODBYE, NATIVE, WEB, Peer
from harness.person import Person
from harness.processes import Failure, run
from harness.scenario import Scenario

HOME = "http://localhost:4593"
API = HOME + "/api"
ISSUER = API + "/oidc"
NAME, PASSWORD = "alice", "alice-pass"
SCOPES = ("openid", "profile", "email", "offline_access")
ALGORITHMS = ("ES256", "EdDSA", "RS256")

PACKAGES = ("glewlwyd", "dbconfig-no-thanks", "rnbyc")
# Without this answer the package cannot be installed unattended: it asks for a database and stops.
PRESEED = ("glewlwyd glewlwyd/config_type select No configuration",)

DOCUMENTS = Path("/usr/share/doc/glewlwyd")
WEBAPP = Path("/usr/share/glewlwyd/webapp")
WEBAPP_CONFIGURATION = Path("/usr/share/glewlwyd/templates/config.json")


def start(servers, algorithm):
    """Brings up a fresh glewlwyd that signs its ID tokens with `algorithm`."""
    state = STATE / "peers" / "glewlwyd"
    shutil.rmtree(state, ignore_errors=True)
    state.mkdir(parents=True)
    make_database(state / "glewlwyd.db")
    # The packaged web application has a link where its configuration belongs.
    shutil.copytree(WEBAPP, state / "webapp", ignore=shutil.ignore_patterns("config.json"))
    shutil.copy(WEBAPP_CONFIGURATION, state / "webapp/config.json")
    (state / "glewlwyd.conf").write_text(configuration(state))
    command = ["glewlwyd", f"--config-file={state / 'glewlwyd.conf'}"]
    servers.start("glewlwyd", command, ready=HOME + "/config")
    Administrator().configure(algorithm)


def make_database(path):
    """The packaged tables, and one more client property: the plugin reads it, the tables do not know it."""
    where = "FROM g_client_module_instance WHERE gcmi_name = 'database'"
    with sqlite3.connect(path) as database:
        database.executescript(gzip.open(DOCUMENTS / "database/init.sqlite3.sql.gz", "rt").read())
        parameters = json.loads(database.execute("SELECT gcmi_parameters " + where).fetchone()[0])
        parameters["data-format"]["post_logout_redirect_uris"] = {"multiple": True, "read": True, "write": True}
        database.execute("UPDATE g_client_module_instance SET gcmi_parameters = ?", [json.dumps(parameters)])
    database.close()


def configuration(state):
    """The packaged sample, on loopback, with its state in one folder."""
    changes = {
        "bind_address": '"127.0.0.1"',
        "static_files_path": f'"{state / "webapp"}/"',
        "cookie_secure": "0",
        "allow_multiple_user_per_session": "false",
    }
    lines = []
    for line in gzip.open(DOCUMENTS / "glewlwyd.conf.sample.gz", "rt").read().splitlines():
        name = line.partition("=")[0].strip().lstrip("#").strip()
        if line.startswith("cookie_domain"):
            continue
        lines.append(f"{name}={changes.pop(name)}" if name in changes else line)
    text = "\n".join(lines + [f"{name}={value}" for name, value in changes.items()]) + "\n"
    return text.replace("/var/cache/glewlwyd/glewlwyd.db", str(state / "glewlwyd.db"))


class Administrator(Person):
    def __init__(self):
        super().__init__("admin", "password")

    def configure(self, algorithm):
        send(self, "POST", "/auth", {"username": self.name, "password": self.password})
        for scope in SCOPES:
            values = {"display_name": scope, "description": scope, "password_required": True, "scheme": {}}
            if scope == "openid":
                send(self, "PUT", "/scope/openid", values)
            else:
                send(self, "POST", "/scope", {"name": scope, "password_max_age": 0, **values})
        plugin = {"module": "oidc", "name": "oidc", "display_name": "OpenID Connect"}
        send(self, "POST", "/mod/plugin/", {**plugin, "parameters": plugin_parameters(algorithm)})
        for client in (NATIVE, WEB):
            send(self, "POST", "/client/", registration(client))
        person = {"username": NAME, "password": PASSWORD, "name": "Alice Adams", "email": "alice@example.com"}
        send(self, "POST", "/user/", {**person, "enabled": True, "scope": ["g_profile", *SCOPES]})


def send(person, method, path, value=None):
    """One request with a JSON body to glewlwyd's API."""
    body = None if value is None else json.dumps(value).encode()
    status, _, text = person.fetch(API + path, body, method, kind="application/json")
    if status != 200:
        raise Failure(f"glewlwyd answered {status} to {method} {path}: {text[:300]}")
    return json.loads(text) if text else None


def registration(client):
    public = client.secret is None
    return {
        "client_id": client.id,
        "name": client.id,
        "enabled": True,
        "confidential": not public,
        "redirect_uri": [CALLBACK],
        "post_logout_redirect_uris": [GOODBYE],
        "authorization_type": ["code", "refresh_token", "delete_token"],
        "token_endpoint_auth_method": ["none"] if public else ["client_secret_basic", "client_secret_post"],
        "scope": [],
        **({} if public else {"client_secret": client.secret}),
    }


def plugin_parameters(algorithm):
    """The OpenID Connect plugin: a key of each kind in the key set, the one that signs first (`default-kid` alone
    does not choose it)."""
    kinds = {"ES256": "EC256", "EdDSA": "Ed25519", "RS256": "RSA2048"}
    command = ["rnbyc", "-j"]
    for name in sorted(ALGORITHMS, key=lambda name: name != algorithm):
        command += ["-g", kinds[name], "-k", "key-" + name, "-a", name]
    answer = run(command, timeout=30)
    keys = [{**key, "use": "sig"} for key in json.loads(answer.stdout)["keys"] if "d" in key]
    return {
        "iss": ISSUER,
        "jwt-type": "ecdsa",
        "jwt-key-size": "256",
        "jwks-private": json.dumps({"keys": keys}),
        "jwks-show": True,
        "default-kid": "key-" + algorithm,
        "subject-type": "public",
        "name-claim": "mandatory",
        "email-claim": "mandatory",
        "scope-claim": "no",
        "allowed-scope": list(SCOPES),
        "scope": [],
        "access-token-duration": 3600,
        "refresh-token-duration": 1209600,
        "refresh-token-rolling": True,
        "refresh-token-one-use": "always",
        "refresh-token-one-use-public-client": True,
        "client-refresh-token-one-use-parameter": "refresh-token-one-use",
        "code-duration": 600,
        "allow-non-oidc": True,
        "auth-type-code-enabled": True,
        "auth-type-code-revoke-replayed": True,
        "auth-type-token-enabled": False,
        "auth-type-id-token-enabled": True,
        "auth-type-none-enabled": False,
        "auth-type-password-enabled": False,
        "auth-type-client-enabled": False,
        "auth-type-device-enabled": False,
        "auth-type-refresh-enabled": True,
        "pkce-allowed": True,
        "pkce-method-plain-allowed": False,
        "pkce-required": True,
        "pkce-required-public-client": True,
        "introspection-revocation-allowed": True,
        "introspection-revocation-allow-target-client": True,
        "introspection-revocation-auth-scope": [],
        "session-management-allowed": True,
        "session-cookie-name": "GLEWLWYD2_OIDC_SID",
        "session-cookie-expiration": 2419200,
        "oauth-as-iss-id": True,
    }


class GlewlwydPerson(Person):
    """Signs in and out as the pages of glewlwyd do, through its JSON API."""

    def __init__(self):
        super().__init__(NAME, PASSWORD)

    def __call__(self, url):
        return self.sign_out(url) if "/end_session" in url else self.sign_in(url)

    def sign_in(self, url):
        send(self, "POST", "/auth", {"username": self.name, "password": self.password})
        client = query(url)["client_id"]
        send(self, "PUT", f"/auth/grant/{client}", {"scope": " ".join(SCOPES)})
        return super().__call__(url + "&g_continue")

    def sign_out(self, url):
        status, headers, _ = self.fetch(url)
        asked = query(headers.get("Location") or "")
        if asked.get("prompt") != "end_session":
            raise Failure(f"glewlwyd answered {status} to the sign-out and asked nothing")
        send(self, "DELETE", f"/oidc/session/{asked['sid']}")
        send(self, "DELETE", "/auth/")
        return asked["callback_url"]


def query(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))


def declined(url):
    """The redirect of a person who declined: glewlwyd's page offers no such button, so it is written here."""
    asked = query(url)
    answer = {"error": "access_denied", "state": asked["state"], "iss": ISSUER}
    return f"{asked['redirect_uri']}?{urllib.parse.urlencode(answer)}"


def scenarios(algorithm):
    quirks = {"read user info": "auth_time is 0 in the ID token"}
    if algorithm == "EdDSA":
        quirks["sign in"] = "at_hash of an EdDSA ID token is made with SHA-256, others use SHA-512"
    else:
        quirks["sign in"] = "the key set mixes EC, OKP and RSA keys; token_type is bearer in lower case"
    quirks["refresh"] = "the answer has no ID token"

    def journey(client, **more):
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

    public = journey(NATIVE, **{"sign out": "revocation by a public client is answered with 401 and no body"})
    confidential = journey(WEB, **{"sign out": "the post-logout redirect comes from a page with JavaScript"})
    yield round_trip("public client", public, revocation="failed")
    yield round_trip("confidential client", confidential)
    if algorithm == ALGORITHMS[0]:
        yield Scenario("refusals", tuple(refusals(public)), public.secrets)
        yield Scenario(browser.title("chromium"), tuple(real_page(journey(NATIVE))), public.secrets)


def round_trip(name, journey, **sign_out):
    steps = [*journey.sign_in(), *journey.refresh(), *journey.sign_out(**sign_out)]
    return Scenario(name, tuple(steps), journey.secrets)


def refusals(journey):
    by_address = ISSUER.replace("localhost", "127.0.0.1")
    yield journey.step(
        "the issuer under another name",
        journey.login(issuer=by_address),
        exits=(METADATA, REFUSED),
        expect=an_explained_failure,
    )
    yield from journey.refusals(GlewlwydPerson(), declined)


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
        packages=PACKAGES + browser.PACKAGES["chromium"],
        preseed=PRESEED,
        environments=(browser.ENVIRONMENT,),
    )
    for algorithm in ALGORITHMS
]
