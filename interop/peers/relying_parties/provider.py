"""The development provider of this project, `ostiary idp serve`, for clients that others wrote."""

import json
import secrets
import shutil

from harness.command import binary
from harness.peer import GOODBYE
from harness.places import STATE

PORT = 4614
ISSUER = f"http://127.0.0.1:{PORT}"
CALLBACK = "http://127.0.0.1/callback"

NAME, SUBJECT = "alice", "user-alice"
PASSWORD = secrets.token_urlsafe(12)
CLAIMS = {"name": "Alice Example", "email": "alice@example.com"}
SECRET = secrets.token_urlsafe(24)

CODE = "authorization_code"
REFRESH = "refresh_token"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
ITSELF = "client_credentials"


def client(name, method, grants=(CODE, REFRESH), **more):
    """One client of the configuration file, with the names of RFC 7591."""
    secret = {"client_secret": SECRET} if method.startswith("client_secret") else {}
    # Only a client that authenticates may ask about tokens.
    asks = method != "none"
    return {
        "client_id": name,
        "client_name": name,
        "token_endpoint_auth_method": method,
        "redirect_uris": [CALLBACK],
        "post_logout_redirect_uris": [GOODBYE],
        "grant_types": list(grants),
        "may_introspect": asks,
        "scope": "openid profile email offline_access" + (" api" if ITSELF in grants else ""),
        **secret,
        **more,
    }


def start(servers, name, clients, options=(), secret=None, **settings):
    """Starts the provider with these clients in a folder of its own; anybody may register another client.

    `options` are further options of the command, `secret` that of the user's authenticator app.
    """
    home = STATE / "peers" / name
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    configuration = home / "provider.json"
    configuration.touch(mode=0o600)
    user = {"name": NAME, "password": PASSWORD, "sub": SUBJECT, "claims": CLAIMS}
    if secret:
        user["one_time_password"] = {"secret": secret}
    plan = {
        "name": "Ostiary",
        "clients": clients,
        "users": [user],
        "scopes": [{"scope": "api", "sentence": "Use the example API", "claims": []}],
        # The clients are here: they may name this machine for logout tokens.
        "registration": {"access": "open", "loopback_uris": True},
        **settings,
    }
    configuration.write_text(json.dumps(plan))
    command = [binary(), "idp", "serve", "--port", str(PORT), "--config", str(configuration), *options]
    ready = ISSUER + "/.well-known/openid-configuration"
    servers.start("development-provider", command, ready, extra={"HOME": str(home)}, cwd=home)
    return home
