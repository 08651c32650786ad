"""Clients for `ostiary probe`, written as the documentation of their libraries shows: `authlib` or `requests-oauthlib`."""

import http.server
import os
import secrets
import sys
import urllib.parse
import webbrowser

import requests

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
ISSUER, CLIENT = os.environ["PROBE_ISSUER"], os.environ["PROBE_CLIENT_ID"]
SECRET, REDIRECT = os.environ["PROBE_CLIENT_SECRET"], os.environ["PROBE_REDIRECT_URI"]
SCOPE = "openid profile email"


def redirect_from(url):
    """Opens the browser, and returns the URL at which it comes back."""
    found = []

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            found.append(urllib.parse.urljoin(REDIRECT, self.path))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", urllib.parse.urlsplit(REDIRECT).port), Listener) as server:
        webbrowser.open(url)
        server.timeout = 20
        server.handle_request()
    return found[0]


def authlib(metadata):
    from authlib.integrations.requests_client import OAuth2Session
    from authlib.oidc.core import CodeIDToken
    from joserfc import jwt
    from joserfc.jwk import KeySet

    session = OAuth2Session(CLIENT, SECRET, scope=SCOPE, redirect_uri=REDIRECT, code_challenge_method="S256")
    verifier, nonce = secrets.token_urlsafe(48), secrets.token_urlsafe()
    url, state = session.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce
    )
    token = session.fetch_token(
        metadata["token_endpoint"], authorization_response=redirect_from(url), state=state, code_verifier=verifier
    )
    keys = KeySet.import_key_set(requests.get(metadata["jwks_uri"], timeout=20).json())
    read = jwt.decode(token["id_token"], keys, algorithms=metadata["id_token_signing_alg_values_supported"])
    options = {"iss": {"values": [ISSUER]}, "aud": {"values": [CLIENT]}}
    params = {"client_id": CLIENT, "access_token": token["access_token"], "nonce": nonce}
    CodeIDToken(read.claims, read.header, options, params).validate(leeway=5)
    return session, read.claims


def requests_oauthlib(metadata):
    import jwt
    from requests.auth import HTTPBasicAuth
    from requests_oauthlib import OAuth2Session

    session = OAuth2Session(CLIENT, redirect_uri=REDIRECT, scope=SCOPE.split(), pkce="S256")
    nonce = secrets.token_urlsafe()
    url, _ = session.authorization_url(metadata["authorization_endpoint"], nonce=nonce)
    token = session.fetch_token(
        metadata["token_endpoint"],
        authorization_response=redirect_from(url),
        auth=HTTPBasicAuth(CLIENT, SECRET),
    )
    claims = jwt.decode(
        token["id_token"],
        jwt.PyJWKClient(metadata["jwks_uri"]).get_signing_key_from_jwt(token["id_token"]),
        algorithms=metadata["id_token_signing_alg_values_supported"],
        audience=CLIENT,
        issuer=ISSUER,
        options={"require": ["iss", "aud", "exp", "iat", "sub"]},
    )
    if claims.get("nonce") != nonce:
        sys.exit("another nonce")
    return session, claims


def main():
    metadata = requests.get(ISSUER + "/.well-known/openid-configuration", timeout=20).json()
    sign_in = {"authlib": authlib, "requests-oauthlib": requests_oauthlib}[sys.argv[1]]
    session, claims = sign_in(metadata)
    user = session.get(metadata["userinfo_endpoint"], timeout=20)
    user.raise_for_status()
    if user.json().get("sub") != claims["sub"]:
        sys.exit("user info of another user")


main()
