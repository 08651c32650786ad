"""The settings of a JupyterHub, as the documentation of oauthenticator shows, with the hub alone: nothing is proxied."""

import json
import os

from jupyterhub.proxy import Proxy

PLAN = json.loads(os.environ["INTEROP_PLAN"])


class NoProxy(Proxy):
    """Knows routes and serves none: the hub is reached at its own port."""

    async def start(self):
        pass

    async def stop(self):
        pass

    async def add_route(self, routespec, target, data):
        self.routes = {**getattr(self, "routes", {}), routespec: {"target": target, "data": data}}

    async def delete_route(self, routespec):
        getattr(self, "routes", {}).pop(routespec, None)

    async def get_all_routes(self):
        known = getattr(self, "routes", {})
        return {spec: {"routespec": spec, **route} for spec, route in known.items()}


c = get_config()  # noqa: F821
c.JupyterHub.hub_bind_url = PLAN["origin"]
c.JupyterHub.bind_url = PLAN["origin"].replace("4623", "4624")
c.JupyterHub.proxy_class = NoProxy
c.JupyterHub.db_url = "sqlite:///" + PLAN["database"]
c.JupyterHub.cookie_secret_file = PLAN["database"] + ".cookie"
c.JupyterHub.authenticator_class = "generic-oauth"
c.GenericOAuthenticator.client_id = PLAN["client"]
c.GenericOAuthenticator.client_secret = PLAN["secret"]
c.GenericOAuthenticator.oauth_callback_url = PLAN["origin"] + "/hub/oauth_callback"
c.GenericOAuthenticator.authorize_url = PLAN["issuer"] + "/authorize"
c.GenericOAuthenticator.token_url = PLAN["issuer"] + "/token"
c.GenericOAuthenticator.userdata_url = PLAN["issuer"] + "/userinfo"
c.GenericOAuthenticator.scope = PLAN["scope"].split()
c.GenericOAuthenticator.username_claim = "email"
c.GenericOAuthenticator.allow_all = True
