"""MSAL (PyPI) at an issuer that is not Microsoft's, `oidc_authority`. Its plan stands in `INTEROP_PLAN`.

MSAL reads no user info and revokes nothing: it keeps tokens in a cache of its own, and a sign-out empties that.
"""

import json
import os
from urllib.parse import parse_qsl, urlsplit

import msal
from msal.oauth2cli.oidc import decode_id_token

from steps import allowed, play, visited

SCOPES = ["email"]


def refused(result):
    return {"error": result.get("error")}


class Journey:
    def __init__(self, plan):
        self.plan = plan
        kind = msal.ConfidentialClientApplication if plan["secret"] else msal.PublicClientApplication
        proof = {"client_credential": plan["secret"]} if plan["secret"] else {}
        self.application = kind(
            plan["client"], oidc_authority=plan["issuer"], verify=plan["authority"], **proof
        )

    def sign_in(self):
        flow = self.application.initiate_auth_code_flow(SCOPES, redirect_uri=self.plan["callback"])
        answer = dict(parse_qsl(urlsplit(visited(flow["auth_uri"])).query))
        self.redeem = lambda: self.application.acquire_token_by_auth_code_flow(dict(flow), answer)
        return self.identity(self.redeem())

    def identity(self, result):
        """What the ID token says, after the checks that MSAL has for it."""
        if "error" in result:
            raise RuntimeError(f"{result['error']}: {result.get('error_description')}")
        claims = decode_id_token(result["id_token"], client_id=self.plan["client"], issuer=self.plan["issuer"])
        self.token = result["access_token"]
        return {"subject": claims["sub"], "from": result["token_source"]}

    def account(self):
        accounts = self.application.get_accounts()
        return accounts[0] if accounts else None

    def read_the_cache(self):
        result = self.application.acquire_token_silent(SCOPES, self.account())
        return {"renewed": result["access_token"] != self.token, "from": result["token_source"]}

    def refresh(self):
        old = self.token
        told = self.identity(self.application.acquire_token_silent(SCOPES, self.account(), force_refresh=True))
        return told | {"renewed": self.token != old}

    def refresh_again(self):
        return self.refresh()

    def sign_out(self):
        self.application.remove_account(self.account())
        return {"accounts": len(self.application.get_accounts())}

    def redeem_the_code_again(self):
        return refused(self.redeem())

    def refresh_after_that(self):
        result = self.application.acquire_token_silent_with_error(SCOPES, self.account(), force_refresh=True)
        return refused(result or {})

    def act_for_itself(self):
        """The client credentials grant."""
        result = self.application.acquire_token_for_client(["api"])
        again = self.application.acquire_token_for_client(["api"])
        return refused(result) | {"type": result.get("token_type"), "from": again.get("token_source")}

    def sign_in_on_a_device(self):
        flow = self.application.initiate_device_flow(SCOPES)
        allowed(flow.get("verification_uri_complete") or flow["verification_uri"])
        return self.identity(self.application.acquire_token_by_device_flow(flow))


play(Journey(json.loads(os.environ["INTEROP_PLAN"])))
