"""requests-oauthlib (PyPI) with PyJWT: the session of a client. Its plan stands in `INTEROP_PLAN`."""

import json
import os
import secrets
import time

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

import jwt  # noqa: E402
import requests  # noqa: E402
from oauthlib.oauth2 import BackendApplicationClient, DeviceClient, OAuth2Error  # noqa: E402
from requests.auth import HTTPBasicAuth  # noqa: E402
from requests_oauthlib import OAuth2Session  # noqa: E402

from steps import allowed, play, visited  # noqa: E402


def refusal(call):
    """The code that the provider refuses a call with."""
    try:
        call()
    except OAuth2Error as error:
        return {"error": error.error}
    return {"error": None}


class Journey:
    def __init__(self, plan):
        self.plan = plan
        self.metadata = requests.get(plan["issuer"] + "/.well-known/openid-configuration", timeout=20).json()
        self.keys = jwt.PyJWKClient(self.metadata["jwks_uri"])
        self.session = None

    def endpoint(self, name):
        return self.metadata[name + "_endpoint"]

    def proof(self):
        """How the client authenticates, in the words of `fetch_token` and `refresh_token`."""
        match self.plan["method"]:
            case "client_secret_basic":
                return {"auth": HTTPBasicAuth(self.plan["client"], self.plan["secret"])}
            case "client_secret_post":
                return {"client_id": self.plan["client"], "client_secret": self.plan["secret"]}
            case _:
                return {"client_id": self.plan["client"]}

    def proof_for_codes(self):
        proof = self.proof()
        if proof.pop("client_id", None):
            proof["include_client_id"] = True
        return proof

    def sign_in(self):
        self.session = OAuth2Session(
            self.plan["client"],
            redirect_uri=self.plan["callback"],
            scope=["openid", "profile", "email", "offline_access"],
            pkce="S256",
        )
        nonce = secrets.token_urlsafe()
        url, _ = self.session.authorization_url(self.endpoint("authorization"), nonce=nonce)
        redirect = visited(url)
        self.redeem = lambda: self.session.fetch_token(
            self.endpoint("token"), authorization_response=redirect, **self.proof_for_codes()
        )
        token = self.redeem()
        claims = self.identity(token)
        claims["answers"] = claims.pop("nonce", None) == nonce
        return claims | {"refreshable": "refresh_token" in token}

    def identity(self, token):
        """What the ID token says, after PyJWT's checks of it."""
        key = self.keys.get_signing_key_from_jwt(token["id_token"])
        claims = jwt.decode(
            token["id_token"],
            key,
            algorithms=self.metadata["id_token_signing_alg_values_supported"],
            audience=self.plan["client"],
            issuer=self.plan["issuer"],
            options={"require": ["iss", "aud", "exp", "iat", "sub"]},
        )
        head = jwt.get_unverified_header(token["id_token"])
        return {"subject": claims["sub"], "algorithm": head["alg"], "nonce": claims.get("nonce")}

    def read_user_info(self):
        answer = self.session.get(self.endpoint("userinfo"), timeout=20)
        return {"status": answer.status_code, **(answer.json() if answer.ok else {})}

    read_user_info_after_that = read_user_info

    def refresh(self):
        old = dict(self.session.token)
        self.old = old["refresh_token"]
        new = self.session.refresh_token(self.endpoint("token"), refresh_token=self.old, **self.proof())
        return self.identity(new) | {
            "renewed": new["access_token"] != old["access_token"],
            "rotated": new["refresh_token"] != self.old,
        }

    def refresh_by_itself(self):
        """requests-oauthlib refreshes a token that has expired before it sends a request."""
        kept = []
        old = self.session.token
        self.session = OAuth2Session(
            self.plan["client"],
            token={**old, "expires_in": -1, "expires_at": time.time() - 1},
            auto_refresh_url=self.endpoint("token"),
            auto_refresh_kwargs=self.proof() if self.plan["method"] != "client_secret_basic" else {},
            token_updater=kept.append,
        )
        # With these two, the refresh that comes first authenticates with `client_secret_basic`.
        basic = {"client_id": self.plan["client"], "client_secret": self.plan["secret"]}
        more = basic if self.plan["method"] == "client_secret_basic" else {}
        status = self.session.get(self.endpoint("userinfo"), timeout=20, **more).status_code
        return {"renewed": kept[-1]["access_token"] != old["access_token"], "status": status}

    def revoke_the_refresh_token(self):
        token = self.session.token["refresh_token"]
        extra = {name: value for name, value in self.proof().items() if name != "auth"}
        url, headers, body = self.session._client.prepare_token_revocation_request(
            self.endpoint("revocation"), token, token_type_hint="refresh_token", **extra
        )
        answer = requests.post(url, body, headers=headers, auth=self.proof().get("auth"), timeout=20)
        return {"status": answer.status_code}

    def refresh_after_that(self):
        token = self.session.token["refresh_token"]
        return refusal(
            lambda: self.session.refresh_token(self.endpoint("token"), refresh_token=token, **self.proof())
        )

    def present_the_old_refresh_token(self):
        return refusal(
            lambda: self.session.refresh_token(self.endpoint("token"), refresh_token=self.old, **self.proof())
        )

    def redeem_the_code_again(self):
        return refusal(self.redeem)

    def act_for_itself(self):
        """The client credentials grant."""
        session = OAuth2Session(client=BackendApplicationClient(self.plan["client"], scope=["api"]))
        proof = self.proof_for_codes()
        token = session.fetch_token(self.endpoint("token"), **proof)
        return {"type": token["token_type"], "refreshable": "refresh_token" in token}

    def sign_in_on_a_device(self):
        scope = ["openid", "profile"]
        client = {"client_id": self.plan["client"], "scope": " ".join(scope)}
        offer = requests.post(self.endpoint("device_authorization"), client, timeout=20).json()
        session = OAuth2Session(client=DeviceClient(self.plan["client"], scope=scope))
        code = {"device_code": offer["device_code"], "include_client_id": True}
        pending = refusal(lambda: session.fetch_token(self.endpoint("token"), **code))
        allowed(offer["verification_uri_complete"])
        time.sleep(offer.get("interval", 5))
        token = session.fetch_token(self.endpoint("token"), **code)
        return self.identity(token) | {"before": pending["error"]}


play(Journey(json.loads(os.environ["INTEROP_PLAN"])))
