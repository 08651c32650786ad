"""Where glewlwyd is, and one request to its JSON API."""

import json

from harness.processes import Failure

HOME = "http://localhost:4593"
API = HOME + "/api"
ISSUER = API + "/oidc"
NAME, PASSWORD = "alice", "alice-pass"
SCOPES = ("openid", "profile", "email", "offline_access", "api")
ALGORITHMS = ("ES256", "EdDSA", "PS256", "RS256")
RESOURCE = "https://api.example.com/"
"""What an access token with the scope `api` is for."""
SCOPE = ("--scope", "openid api offline_access")


def send(person, method, path, value=None):
    """One request with a JSON body to glewlwyd's API."""
    body = None if value is None else json.dumps(value).encode()
    status, _, text = person.fetch(API + path, body, method, kind="application/json")
    if status != 200:
        raise Failure(f"glewlwyd answered {status} to {method} {path}: {text[:300]}")
    return json.loads(text) if text else None
