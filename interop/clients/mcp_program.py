"""An MCP server of FastMCP, its client and that of the mcp package (PyPI). Its plan stands in `INTEROP_PLAN`."""

import asyncio
import json
import os
import threading
import time
import urllib.error
import urllib.request
import webbrowser
from urllib.parse import parse_qs, urlsplit

import httpx2
from fastmcp import Client, FastMCP
from fastmcp.client.auth import OAuth
from fastmcp.server.auth import RemoteAuthProvider
from fastmcp.server.auth.providers.jwt import JWTVerifier
from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.auth.oauth2 import AuthorizationCodeResult
from mcp.shared.auth import OAuthClientMetadata

from steps import play

PLAN = json.loads(os.environ["INTEROP_PLAN"])
CALLBACK = "http://127.0.0.1:8765/callback"
INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "interop", "version": "1"}},
}


def server():
    """A server whose tools need a token for it with the plan's scope."""
    verifier = JWTVerifier(
        jwks_uri=PLAN["issuer"] + "/jwks", issuer=PLAN["issuer"], audience=PLAN["resource"], algorithm="ES256",
        required_scopes=[PLAN["scope"]],
    )
    auth = RemoteAuthProvider(
        token_verifier=verifier, authorization_servers=[PLAN["issuer"]], base_url=PLAN["origin"]
    )
    tools = FastMCP("interop", auth=auth)

    @tools.tool
    def add(a: int, b: int) -> int:
        return a + b

    return tools


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def place_after(url):
    """Where the provider, which shows no page, sends a browser."""
    try:
        urllib.request.build_opener(NoRedirect).open(url, timeout=20)
    except urllib.error.HTTPError as redirect:
        return redirect.headers["Location"]
    raise RuntimeError("the provider showed a page")


def browse(url, *_, **__):
    """A browser for FastMCP's client: it loads the client's own page at the end."""

    def load():
        place = place_after(url)
        # The client may listen only after it has opened the browser.
        for _ in range(200):
            try:
                return urllib.request.urlopen(place, timeout=20).close()
            except urllib.error.HTTPError:
                raise
            except urllib.error.URLError:
                time.sleep(0.1)

    threading.Thread(target=load, daemon=True).start()
    return True


class Memory(TokenStorage):
    def __init__(self):
        self.tokens = self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Journey:
    def __init__(self):
        webbrowser.open = browse
        place = urlsplit(PLAN["origin"])
        serving = server().run_async(transport="http", host=place.hostname, port=place.port, show_banner=False)
        threading.Thread(target=lambda: asyncio.run(serving), daemon=True).start()
        for _ in range(300):
            try:
                urllib.request.urlopen(PLAN["resource"], timeout=5).close()
            except urllib.error.HTTPError:
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("the MCP server did not come up")

    def call_a_tool_with_fastmcp(self):
        async def call():
            async with Client(PLAN["resource"], auth=OAuth()) as client:
                tools = [tool.name for tool in await client.list_tools()]
                return {"tools": tools, "result": (await client.call_tool("add", {"a": 1, "b": 2})).data}

        return asyncio.run(call())

    def initialize_and_refresh_with_mcp(self):
        memory, visit = Memory(), {}
        metadata = OAuthClientMetadata(
            client_name="interop", redirect_uris=[CALLBACK], grant_types=["authorization_code", "refresh_token"],
            response_types=["code"], token_endpoint_auth_method="none",
        )

        async def show(url):
            visit["url"] = url

        async def answer():
            query = parse_qs(urlsplit(place_after(visit["url"])).query)
            return AuthorizationCodeResult(code=query["code"][0], state=query["state"][0], iss=query["iss"][0])

        async def initialize():
            auth = OAuthClientProvider(PLAN["resource"], metadata, memory, show, answer)
            fields = {"Accept": "application/json, text/event-stream"}
            async with httpx2.AsyncClient(auth=auth, timeout=20, headers=fields) as client:
                first = await client.post(PLAN["resource"], json=INITIALIZE)
                token = memory.tokens
                # The client takes its token for expired.
                auth.context.token_expiry_time = 1
                second = await client.post(PLAN["resource"], json=INITIALIZE)
            return {
                "statuses": [first.status_code, second.status_code],
                "scope": sorted(token.scope.split()),
                "is renewed": memory.tokens.access_token != token.access_token,
            }

        return asyncio.run(initialize())


play(Journey())
