"""Passkeys of our own provider in Chromium, whose virtual authenticator makes and uses them."""

import json
import secrets
import shutil

from harness import browser
from harness.command import binary
from harness.conversation import Conversation
from harness.machine import PythonEnvironment
from harness.peer import Peer
from harness.places import INTEROP, STATE
from harness.scenario import Scenario

ENVIRONMENT = PythonEnvironment("accessibility")
PORT = 4632
# An IP address is no relying party, so the issuer has a name.
ISSUER = f"http://localhost:{PORT}"
CALLBACK = "http://127.0.0.1:9/callback"
PASSWORD = secrets.token_urlsafe(12)
SIGNED_IN = {"sub": "user-alice", "amr": ["hwk", "pop", "user", "mfa"], "acr": "urn:ostiary:passkey", "complaints": []}


class Passkeys:
    def start(self, servers):
        home = STATE / "peers" / "passkeys"
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        configuration = home / "provider.json"
        configuration.touch(mode=0o600)
        client = {"client_id": "shop", "redirect_uris": ["http://127.0.0.1/callback"], "require_consent": False}
        user = {"name": "alice", "password": PASSWORD, "sub": "user-alice"}
        configuration.write_text(json.dumps({"passkeys": True, "clients": [client], "users": [user]}))
        command = [
            binary(), "idp", "serve", "--port", str(PORT), "--issuer", ISSUER, "--config", str(configuration),
            "--store", f"file:{home}/provider.sqlite",
        ]
        servers.start("provider with passkeys", command, f"http://127.0.0.1:{PORT}/health")
        plan = {"issuer": ISSUER, "client": "shop", "callback": CALLBACK, "name": "alice", "password": PASSWORD}
        program = [ENVIRONMENT.python, "-B", INTEROP / "clients" / "passkeys_program.py"]
        self.told = Conversation(servers, "passkeys", program, None, {"INTEROP_PLAN": json.dumps(plan)})

    def scenarios(self):
        def begins(text):
            return lambda found: found.startswith(text)

        step = self.told.step
        steps = [
            step("add a passkey", listed=1, kept=1, found=[], complaints=[]),
            step("add it again", status="This device has a passkey already.", listed=1),
            step("sign in with the button", found=[], **SIGNED_IN),
            step("sign in by autofill", **SIGNED_IN),
            step("sign in without being verified", status=begins("The passkey was not used.")),
            step("sign in with a copy", alert=begins("A copy of this passkey may be in use.")),
            step("remove the passkey", listed=0, kept=1),
            step("sign in with the removed passkey", alert=begins("This passkey is not known here.")),
        ]
        yield Scenario("Chromium's virtual authenticator", tuple(steps))


PASSKEYS = Passkeys()
PEERS = [
    Peer(
        name="passkeys at the development provider",
        family="development-provider",
        version=lambda: "of this project",
        start=PASSKEYS.start,
        scenarios=PASSKEYS.scenarios,
        packages=browser.PACKAGES["chromium"],
        environments=(ENVIRONMENT,),
    )
]
