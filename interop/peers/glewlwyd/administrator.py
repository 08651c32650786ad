"""Configures glewlwyd through its own administration API."""

import json

from harness.peer import CALLBACK, GOODBYE, NATIVE, WEB
from harness.person import Person
from harness.processes import run
from peers.glewlwyd.api import ALGORITHMS, API, ISSUER, NAME, PASSWORD, RESOURCE, SCOPES, send


EXTENSIONS = {
    "device-authorization-expiration": 600,
    "device-authorization-interval": 1,
    "oauth-par-allowed": True,
    "oauth-par-required": False,
    "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:",
    "oauth-par-duration": 90,
    "oauth-dpop-allowed": True,
    "oauth-dpop-iat-duration": 60,
    "oauth-dpop-iat-gap-duration": 5,
    "oauth-dpop-dpop_bound_access_tokens-property": "dpop_bound_access_tokens",
    "oauth-dpop-nonce-mandatory": True,
    "oauth-dpop-nonce-counter": 1000000,
    "resource-allowed": True,
    "resource-scope": {"api": [RESOURCE]},
    "resource-client-property": "resource",
    "resource-scope-and-client-property": False,
    "register-client-allowed": True,
    "register-client-auth-scope": [],
    "register-client-credentials-scope": [],
    "register-client-management-allowed": True,
    "register-resource-specify-allowed": True,
    "register-resource-default": [],
}


class Administrator(Person):
    def __init__(self):
        super().__init__("admin", "password")

    def sign_in(self):
        send(self, "POST", "/auth", {"username": self.name, "password": self.password})

    def name_of_client(self, client):
        """What a client is called, or None. One that was removed is still there, and turned off."""
        self.sign_in()
        status, _, text = self.fetch(f"{API}/client/{client}")
        known = json.loads(text) if status == 200 else {}
        return known["name"] if known.get("enabled") else None

    def configure(self, algorithm):
        self.sign_in()
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


def registration(client):
    public = client.secret is None
    return {
        "client_id": client.id,
        "name": client.id,
        "enabled": True,
        "confidential": not public,
        "redirect_uri": [CALLBACK],
        "post_logout_redirect_uris": [GOODBYE],
        "authorization_type": ["code", "refresh_token", "device_authorization", "delete_token"],
        "token_endpoint_auth_method": ["none"] if public else ["client_secret_basic", "client_secret_post"],
        "scope": [],
        **({} if public else {"client_secret": client.secret}),
    }


def plugin_parameters(algorithm):
    """The OpenID Connect plugin: a key of each kind in the key set, the one that signs first (`default-kid` alone
    does not choose it)."""
    kinds = {"ES256": "EC256", "EdDSA": "Ed25519", "PS256": "RSA2048", "RS256": "RSA2048"}
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
        "auth-type-device-enabled": True,
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
        **EXTENSIONS,
    }
