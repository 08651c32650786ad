"""mod_auth_openidc (Debian package, certified): Apache as a relying party and as a resource server."""

import json
import shutil
import ssl
import urllib.error
import urllib.request
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from harness import apache
from harness.packages import version_of
from harness.peer import Peer, require
from harness.person import Forms, Person
from harness.places import STATE
from harness.scenario import Scenario, Step
from peers.relying_parties import provider, tls
from peers.relying_parties.provider import CLAIMS, CODE, NAME, PASSWORD, REFRESH, SECRET, SUBJECT
from peers.relying_parties.tls import ISSUER

PACKAGES = (*tls.PACKAGES, "libapache2-mod-auth-openidc")
MISTAKEN = "the iss of a refusal is taken for the choice of a provider: the user sees another error"
STATIC, DYNAMIC = 4616, 4617
FOLDER = STATE / "peers" / "mod-auth-openidc-apache"
METADATA = ISSUER + "/.well-known/openid-configuration"


class Trust:
    """The certificate of the provider in this visit."""

    certificate = None


def home(port):
    return f"http://127.0.0.1:{port}"


def redirect_uri(port):
    return home(port) + "/callback"


def start(servers):
    client = provider.client(
        "web",
        "client_secret_basic",
        (CODE, REFRESH),
        redirect_uris=[redirect_uri(STATIC)],
        post_logout_redirect_uris=[home(STATIC) + "/"],
    )
    folder = provider.start(servers, "mod-auth-openidc", [client], issuer=ISSUER)
    Trust.certificate = tls.start(servers, folder)
    shutil.rmtree(FOLDER, ignore_errors=True)
    # Apache's own user writes down there who the client is after a registration.
    registrations = FOLDER / "registrations"
    registrations.mkdir(parents=True)
    registrations.chmod(0o777)
    # By itself it registers for the implicit grant as well, which the development provider does not have.
    (registrations / (quote(ISSUER.removeprefix("https://"), safe="") + ".conf")).write_text(json.dumps({
        "registration_endpoint_json": json.dumps({"grant_types": [CODE, REFRESH], "response_types": ["code"]})
    }))
    for name in ("protected", "api"):
        place = FOLDER / "pages" / name
        place.mkdir(parents=True)
        (place / "index.html").write_text("let in\n")
    (FOLDER / "pages" / "index.html").write_text("up\n")
    modules = ["authz_user", "dir", "headers", "auth_openidc"]
    lines = [
        f"Listen 127.0.0.1:{DYNAMIC}",
        "LogLevel warn auth_openidc:info",
        f"DocumentRoot {FOLDER / 'pages'}",
        "DirectoryIndex index.html",
        *site(STATIC, static_client()),
        *site(DYNAMIC, [f"OIDCMetadataDir {registrations}", "OIDCClientName interop"]),
    ]
    apache.start(servers, "apache", FOLDER, STATIC, modules, lines, home(STATIC) + "/")


def static_client():
    return [
        f"OIDCProviderMetadataURL {METADATA}",
        "OIDCClientID web",
        f"OIDCClientSecret {SECRET}",
        f"OIDCOAuthIntrospectionEndpoint {ISSUER}/introspect",
        "OIDCOAuthClientID web",
        f"OIDCOAuthClientSecret {SECRET}",
        "OIDCOAuthRemoteUserClaim sub",
        "<Location /api>",
        "  AuthType oauth20",
        "  Require valid-user",
        "</Location>",
    ]


def site(port, lines):
    """A host of its own, with one place that only a signed-in user may read."""
    return [
        f"<VirtualHost 127.0.0.1:{port}>",
        f"OIDCRedirectURI {redirect_uri(port)}",
        "OIDCCryptoPassphrase only-for-the-interop-run-only-for-it",
        'OIDCScope "openid profile email offline_access"',
        "OIDCPKCEMethod S256",
        "OIDCResponseType code",
        "OIDCInfoHook access_token id_token userinfo refresh_token session",
        "OIDCRemoteUserClaim sub",
        "OIDCCookieSameSite Off",
        f"OIDCCABundlePath {Trust.certificate}",
        *lines,
        "<Location /protected>",
        "  AuthType openid-connect",
        "  Require valid-user",
        '  Header always set X-Remote-User "expr=%{REMOTE_USER}"',
        "</Location>",
        "<Location /callback>",
        "  AuthType openid-connect",
        "  Require valid-user",
        "</Location>",
        "</VirtualHost>",
    ]


class Browsing:
    """One user's browser, at Apache and at the provider."""

    def __init__(self, port, declines=False):
        self.port = port
        self.user = Person(NAME, PASSWORD, declines=declines, authority=Trust.certificate)
        self.page = home(port) + "/protected/"

    def get(self, url):
        """Status, the place that it leads to, and the text."""
        status, headers, text = self.user.fetch(url)
        return status, headers.get("Location"), text

    def to_the_provider(self, url=None):
        """The authorization request that Apache answers with."""
        status, place, text = self.get(url or self.page)
        require(status == 302 and (place or "").startswith(ISSUER), f"Apache answered {status} {place}: {text[:200]}")
        return place

    def sign_in(self, url=None):
        request = self.to_the_provider(url)
        require("code_challenge=" in request, f"there is no code challenge in {request}")
        self.redirect = self.user(request)
        status, place, text = self.get(self.redirect)
        require((status, place) == (302, self.page), f"Apache answered {status} {place}: {text[:200]}")
        self.let_in()

    def let_in(self):
        status, headers, text = self.user.fetch(self.page)
        require(status == 200 and "let in" in text, f"Apache answered {status}: {text[:200]}")
        name = headers.get("X-Remote-User", "")
        require(name.startswith(SUBJECT), f"the user's name is {name}")

    def session(self):
        """Apache's record of the session, which holds what the provider issued."""
        status, _, text = self.get(redirect_uri(self.port) + "?info=json")
        require(status == 200, f"Apache answered {status}: {text[:200]}")
        return json.loads(text)

    def look(self):
        told = self.session()
        require(told["id_token"]["sub"] == SUBJECT, f"the ID token is about {told['id_token']['sub']}")
        for name, value in {"sub": SUBJECT, **CLAIMS}.items():
            require(told["userinfo"].get(name) == value, f"{name} is {told['userinfo'].get(name)}")
        self.token = told["access_token"]

    def refresh(self):
        before = self.session()
        question = urlencode({"refresh": self.page, "access_token": before["access_token"]})
        status, place, text = self.get(f"{redirect_uri(self.port)}?{question}")
        require((status, place) == (302, self.page), f"Apache answered {status} {place}: {text[:200]}")
        after = self.session()
        for name in ("access_token", "refresh_token"):
            require(after[name] != before[name], f"{name} is that of before")
        require(userinfo(after["access_token"]) == 200, "the new access token opens no user info")
        self.token = after["access_token"]

    def sign_out(self):
        """Apache revokes what it holds and has the provider end the session; both want the user to sign in again."""
        goodbye = home(self.port) + "/"
        status, place, text = self.get(f"{redirect_uri(self.port)}?{urlencode({'logout': goodbye})}")
        require(status == 302 and place.startswith(ISSUER + "/end-session"), f"Apache answered {status} {place}")
        require("id_token_hint" in parse_qs(urlsplit(place).query), "there is no ID token in the request")
        back = self.user(place)
        require(back.partition("?")[0] == goodbye, f"the provider led to {back}")
        require(userinfo(self.token) == 401, "the access token still opens user info")
        status, place, text = self.get(self.to_the_provider())
        require(status == 200 and "password" in text, f"the provider answered {status} {place}, no password asked")

    def choice(self):
        """Apache's page for a user who is to name a provider, filled with the one of this visit."""
        status, _, text = self.get(self.page)
        forms = [form for form in Forms(text).all if form.has("iss")]
        require(forms, f"Apache answered {status} and asked for no provider: {text[:200]}")
        fields = {field["name"]: field.get("value", "") for field in forms[0].fields if field.get("name")}
        return f"{redirect_uri(self.port)}?{urlencode({**fields, 'iss': ISSUER})}"

    def somebody_elses_redirect(self):
        other = Browsing(self.port)
        status, place, _ = other.get(self.redirect)
        require(status != 302 or place != self.page, "another browser was let in with the redirect")
        require(other.get(self.page)[0] == 302, "another browser was let in")

    def decline(self):
        redirect = self.user(self.to_the_provider())
        error = parse_qs(urlsplit(redirect).query).get("error")
        require(error == ["access_denied"], f"the provider answered {redirect}")
        status, place, text = self.get(redirect)
        require(status == 200 and "Error" in text, f"Apache answered {status} {place}: {text[:200]}")
        require(self.get(self.page)[0] == 302, "the user was let in")

    def guarded(self):
        """The resource server lets the user's token in after an introspection, and no other."""
        for token, wanted in ((self.token, 200), (self.token[:-4] + "AAAA", 401), (None, 401)):
            found = api(token)
            require(found == wanted, f"the resource answered {found}, {wanted} expected")


def userinfo(token):
    return status_of(ISSUER + "/userinfo", token)


def api(token):
    return status_of(home(STATIC) + "/api/", token)


def status_of(url, token):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})
    try:
        trust = ssl.create_default_context(cafile=Trust.certificate)
        with urllib.request.urlopen(request, timeout=20, context=trust) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def scenarios():
    decliner = Browsing(STATIC, declines=True)
    # The provider remembers what a user has allowed a client, so the refusal comes first.
    yield Scenario("declined", (Step("decline", expect=lambda _: decliner.decline(), quirk=MISTAKEN),))
    one = Browsing(STATIC)
    yield played(
        "registered client",
        ("sign in", one.sign_in),
        ("read the session", one.look),
        ("refresh", one.refresh),
        ("the page is still open", one.let_in),
        ("the redirect in another browser", one.somebody_elses_redirect),
        ("sign out", one.sign_out),
    )
    guard = Browsing(STATIC)
    yield played(
        "resource server that introspects",
        ("sign in", guard.sign_in),
        ("read the session", guard.look),
        ("show the token at the resource", guard.guarded),
    )
    dynamic = Browsing(DYNAMIC)
    yield played(
        "client that registers itself",
        ("sign in at a provider that the user names", lambda: dynamic.sign_in(dynamic.choice())),
        ("read the session", dynamic.look),
        ("refresh", dynamic.refresh),
    )


def played(name, *steps):
    """Each of the steps needs the one before it."""
    return Scenario(name, tuple(Step(step, expect=lambda _, act=act: act(), gate=True) for step, act in steps))


PEERS = [
    Peer(
        name="mod_auth_openidc",
        family="relying-parties",
        version=lambda: (version_of("libapache2-mod-auth-openidc") or "missing").split("-")[0],
        start=start,
        scenarios=scenarios,
        packages=PACKAGES,
    )
]
