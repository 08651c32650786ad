"""Apache with two hosts: the client of one is registered at the provider, the other one's registers itself."""

import json
import shutil
from urllib.parse import quote

from harness import apache
from harness.places import STATE
from peers.relying_parties import provider, tls
from peers.relying_parties.provider import CODE, REFRESH, SECRET
from peers.relying_parties.tls import ISSUER

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
