"""A client for `ostiary probe`, of the standard library alone: `naive` believes everything, `strict` checks it."""

import base64
import hashlib
import http.server
import json
import os
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

STRICT = sys.argv[1] == "strict"
PRINTS = "--print" in sys.argv
ISSUER, CLIENT = os.environ["PROBE_ISSUER"], os.environ["PROBE_CLIENT_ID"]
SECRET, REDIRECT = os.environ.get("PROBE_CLIENT_SECRET"), os.environ["PROBE_REDIRECT_URI"]


def require(condition, why):
    if STRICT and not condition:
        sys.exit(f"refused: {why}")


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(*([NoRedirects] if STRICT else []))


def members(pairs):
    require(len({name for name, _ in pairs}) == len(pairs), "a member stands twice")
    return dict(pairs)


def fetch(url, form=None, fields={}):
    data = urllib.parse.urlencode(form).encode() if form else None
    with OPENER.open(urllib.request.Request(url, data, fields), timeout=10) as response:
        body = response.read()
    require(len(body) < 1_000_000, "a body that is too large")
    return json.loads(body, object_pairs_hook=members)


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def number(text):
    return int.from_bytes(decode(text), "big")


def authorize(metadata, state, nonce, verifier):
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    query = urllib.parse.urlencode({
        "response_type": "code", "client_id": CLIENT, "redirect_uri": REDIRECT, "scope": "openid profile",
        "state": state, "nonce": nonce, "code_challenge": challenge, "code_challenge_method": "S256",
    })
    found = []

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            found.append(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", urllib.parse.urlsplit(REDIRECT).port), Listener) as server:
        url = metadata["authorization_endpoint"] + "?" + query
        if PRINTS:
            print("Open", url, flush=True)
        else:
            subprocess.run([os.environ["BROWSER"], url], check=True)
        server.timeout = 10
        server.handle_request()
    pairs = found[0]
    require(len({name for name, _ in pairs}) == len(pairs), "a parameter stands twice")
    answer = dict(pairs)
    require(answer.get("state") == state, "another state")
    require(answer.get("iss") == ISSUER, "another iss in the redirect")
    require("id_token" not in answer and "access_token" not in answer, "tokens in the redirect")
    return answer["code"]


def verify(token, metadata, nonce, access_token):
    header, payload, signature = token.split(".")
    head, claims = json.loads(decode(header)), json.loads(decode(payload))
    if not STRICT:
        return claims
    require(head["alg"] == "RS256", "another algorithm")
    require("crit" not in head, "an unknown extension")
    require(head.get("typ", "JWT").upper() == "JWT", "not an ID token")

    def keys():
        return [
            key for key in fetch(metadata["jwks_uri"])["keys"]
            if key.get("kty") == "RSA" and key.get("alg", "RS256") == "RS256" and key.get("kid") == head.get("kid")
        ]

    signed_text = f"{header}.{payload}".encode()
    digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(signed_text).digest()
    signed = False
    for key in keys():
        size = (number(key["n"]).bit_length() + 7) // 8
        block = b"\x00\x01" + b"\xff" * (size - len(digest) - 3) + b"\x00" + digest
        signed |= pow(number(signature), number(key["e"]), number(key["n"])).to_bytes(size, "big") == block
    require(signed, "another signature")
    require(claims.get("iss") == ISSUER, "another issuer")
    require(claims.get("aud") in (CLIENT, [CLIENT]), "another audience")
    require(claims.get("azp", CLIENT) == CLIENT, "another authorized party")
    require(claims.get("sub"), "no subject")
    now = time.time()
    require(claims.get("exp", 0) > now, "expired")
    require(now - 600 < claims.get("iat", 0) < now + 60, "issued at another time")
    require(claims.get("nbf", 0) < now + 60, "not valid yet")
    require(claims.get("nonce") == nonce, "another nonce")
    half = hashlib.sha256(access_token.encode()).digest()[:16]
    require("at_hash" not in claims or decode(claims["at_hash"]) == half, "another access token")
    return claims


def main():
    metadata = fetch(ISSUER + "/.well-known/openid-configuration")
    require(metadata["issuer"] == ISSUER, "another issuer in the metadata")
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    code = authorize(metadata, state, nonce, verifier)
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": REDIRECT, "code_verifier": verifier}
    fields = {}
    if SECRET:
        credentials = ":".join(map(urllib.parse.quote_plus, (CLIENT, SECRET)))
        fields["Authorization"] = "Basic " + base64.b64encode(credentials.encode()).decode()
    else:
        form["client_id"] = CLIENT
    tokens = fetch(metadata["token_endpoint"], form, fields)
    require(tokens.get("token_type", "").lower() == "bearer", "another token type")
    if not STRICT and "id_token" not in tokens:
        return
    claims = verify(tokens["id_token"], metadata, nonce, tokens.get("access_token", ""))
    if "access_token" in tokens or STRICT:
        bearer = {"Authorization": "Bearer " + tokens["access_token"]}
        user = fetch(metadata["userinfo_endpoint"], fields=bearer)
        require(user.get("sub") == claims["sub"], "user info of another user")


try:
    main()
except (KeyError, IndexError, ValueError, urllib.error.URLError) as error:
    sys.exit(f"refused: {type(error).__name__}: {error}")
