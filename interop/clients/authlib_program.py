"""Authlib (PyPI) with joserfc: the requests session of a client. Its plan stands in `INTEROP_PLAN`."""

import json
import os
import time
from pathlib import Path

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.jwk import KeySet

from steps import allowed, play, visited

DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"


def refusal(call):
    """The code that the provider refuses a call with."""
    try:
        call()
    except OAuthError as error:
        return {"error": error.error}
    return {"error": None}


class Assertion(PrivateKeyJWT):
    """Authlib's assertion for another audience, and with a shorter life than its hour.

    The claims are made anew each time, because Authlib writes `jti` into what it was given.
    """

    def sign(self, auth, token_endpoint):
        self.claims = {"exp": int(time.time()) + 60}
        return super().sign(auth, token_endpoint)


class Journey:
    def __init__(self, plan):
        self.plan = plan
        self.metadata = requests.get(plan["issuer"] + "/.well-known/openid-configuration", timeout=20).json()
        self.session = self.new_session()

    def new_session(self, **more):
        key = self.plan.get("key") and Path(self.plan["key"]).read_text()
        session = OAuth2Session(
            self.plan["client"],
            key or self.plan["secret"],
            revocation_endpoint_auth_method=self.plan["method"],
            token_endpoint_auth_method=self.plan["method"],
            redirect_uri=self.plan["callback"],
            code_challenge_method="S256",
            **more,
        )
        if self.plan["method"] == PrivateKeyJWT.name:
            session.register_client_auth_method(Assertion(self.plan["issuer"]))
        return session

    def endpoint(self, name):
        return self.metadata[name + "_endpoint"]

    def sign_in(self):
        self.session = self.new_session(scope="openid profile email offline_access")
        verifier, nonce = generate_token(48), generate_token()
        url, state = self.session.create_authorization_url(
            self.endpoint("authorization"), code_verifier=verifier, nonce=nonce
        )
        self.redeem = lambda: self.session.fetch_token(
            self.endpoint("token"), authorization_response=self.redirect, state=state, code_verifier=verifier
        )
        self.redirect = visited(url)
        token = self.redeem()
        return self.identity(token, nonce=nonce) | {"refreshable": "refresh_token" in token}

    def identity(self, token, **expected):
        """What the ID token says, after Authlib's own checks of it."""
        keys = KeySet.import_key_set(requests.get(self.metadata["jwks_uri"], timeout=20).json())
        algorithms = self.metadata["id_token_signing_alg_values_supported"]
        read = jwt.decode(token["id_token"], keys, algorithms=algorithms)
        options = {"iss": {"values": [self.plan["issuer"]]}, "aud": {"values": [self.plan["client"]]}}
        params = {"client_id": self.plan["client"], "access_token": token["access_token"], **expected}
        claims = CodeIDToken(read.claims, read.header, options, params)
        claims.validate(leeway=5)
        return {"subject": claims["sub"], "algorithm": read.header["alg"], "hashed": "at_hash" in claims}

    def read_user_info(self):
        answer = self.session.get(self.endpoint("userinfo"), timeout=20)
        return {"status": answer.status_code, **(answer.json() if answer.ok else {})}

    def refresh(self):
        old = dict(self.session.token)
        self.old = old["refresh_token"]
        new = self.session.refresh_token(self.endpoint("token"), refresh_token=self.old)
        return self.identity(new) | {
            "renewed": new["access_token"] != old["access_token"],
            "rotated": new["refresh_token"] != self.old,
        }

    def refresh_by_itself(self):
        """Authlib refreshes a token that has expired before it sends a request."""
        session = self.new_session(
            token={**self.session.token, "expires_at": int(time.time()) - 1}, token_endpoint=self.endpoint("token")
        )
        old, self.session = self.session.token["access_token"], session
        status = session.get(self.endpoint("userinfo"), timeout=20).status_code
        return {"renewed": session.token["access_token"] != old, "status": status}

    def ask_about_the_token(self):
        answer = self.session.introspect_token(
            self.endpoint("introspection"), token=self.session.token["access_token"], token_type_hint="access_token"
        )
        return answer.json()

    ask_again = ask_about_the_token

    def revoke_the_refresh_token(self):
        answer = self.session.revoke_token(
            self.endpoint("revocation"), token=self.session.token["refresh_token"], token_type_hint="refresh_token"
        )
        return {"status": answer.status_code}

    def refresh_after_that(self):
        return refusal(
            lambda: self.session.refresh_token(
                self.endpoint("token"), refresh_token=self.session.token["refresh_token"]
            )
        )

    def present_the_old_refresh_token(self):
        return refusal(lambda: self.session.refresh_token(self.endpoint("token"), refresh_token=self.old))

    def redeem_the_code_again(self):
        other = self.session.token
        found = refusal(self.redeem)
        self.session.token = other
        return found

    read_user_info_after_that = read_user_info

    def act_for_itself(self):
        """The client credentials grant."""
        token = self.new_session().fetch_token(self.endpoint("token"), grant_type="client_credentials", scope="api")
        return {"type": token["token_type"], "refreshable": "refresh_token" in token}

    def sign_in_on_a_device(self):
        """Authlib has no device request, so this one is made without it."""
        session = self.new_session()
        client = {"client_id": self.plan["client"]}
        if self.plan["secret"]:
            client["client_secret"] = self.plan["secret"]
        offer = requests.post(
            self.endpoint("device_authorization"), {**client, "scope": "openid profile"}, timeout=20
        ).json()
        code = {"grant_type": DEVICE_CODE, "device_code": offer["device_code"]}
        pending = refusal(lambda: session.fetch_token(self.endpoint("token"), **code))
        allowed(offer["verification_uri_complete"])
        time.sleep(offer.get("interval", 5))
        token = session.fetch_token(self.endpoint("token"), **code)
        return self.identity(token) | {"before": pending["error"]}


play(Journey(json.loads(os.environ["INTEROP_PLAN"])))
