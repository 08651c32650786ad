"""Clients and a server of the Model Context Protocol, at the provider as its own page starts it: without a file."""

import json
import shutil

from harness.command import binary
from harness.conversation import Conversation
from harness.machine import PythonEnvironment
from harness.peer import Peer
from harness.places import INTEROP, STATE
from harness.scenario import Scenario
from peers.relying_parties import provider

ENVIRONMENT = PythonEnvironment("mcp")
ORIGIN = "http://127.0.0.1:4630"
RESOURCE, SCOPE = ORIGIN + "/mcp", "mcp:tools"
QUIRK = "registers itself; the resource in both requests"


def conversation(servers):
    home = STATE / "peers" / "mcp"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    options = ["--rules", "mcp", "--resource", RESOURCE, "--scope", SCOPE, "--sign-in-as", provider.NAME]
    command = [binary(), "idp", "serve", "--port", str(provider.PORT), *options]
    ready = provider.ISSUER + "/.well-known/openid-configuration"
    servers.start("development-provider", command, ready, extra={"HOME": str(home)}, cwd=home)
    plan = {"issuer": provider.ISSUER, "origin": ORIGIN, "resource": RESOURCE, "scope": SCOPE}
    program = [ENVIRONMENT.python, "-B", INTEROP / "clients" / "mcp_program.py"]
    # FastMCP keeps nothing of another run.
    extra = {"INTEROP_PLAN": json.dumps(plan), "HOME": str(home)}
    return Conversation(servers, "mcp", program, None, extra)


class Protocol:
    def start(self, servers):
        self.told = conversation(servers)

    def scenarios(self):
        yield Scenario(
            "without a configuration file",
            (
                self.told.step("call a tool with fastmcp", QUIRK, tools=["add"], result=3),
                self.told.step(
                    "initialize and refresh with mcp",
                    QUIRK,
                    statuses=[200, 200],
                    scope=lambda scope: SCOPE in scope,
                    **{"is renewed": True},
                ),
            ),
        )


PROTOCOL = Protocol()
PEERS = [
    Peer(
        name="mcp",
        family="relying-parties",
        version=lambda: f"{ENVIRONMENT.pinned('mcp')}, fastmcp {ENVIRONMENT.pinned('fastmcp')}",
        start=PROTOCOL.start,
        scenarios=PROTOCOL.scenarios,
        environments=(ENVIRONMENT,),
    )
]
