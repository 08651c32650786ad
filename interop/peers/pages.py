"""The pages of our own provider, each in light and in dark, held to WCAG 2.2 AA by axe-core in Chromium."""

import base64
import json
import secrets

from harness import browser
from harness.command import binary
from harness.conversation import Conversation
from harness.machine import PythonEnvironment
from harness.peer import Peer
from harness.places import INTEROP
from harness.scenario import Scenario
from peers.relying_parties import provider

ENVIRONMENT = PythonEnvironment("accessibility")
# Another provider, which signs users in with a button.
PORT = 4631
BUTTONS = f"http://127.0.0.1:{PORT}"
LANGUAGES = ["en", "de", "fr", "es", "ja"]
SECRET = base64.b32encode(secrets.token_bytes(20)).decode()
PAGES = (
    ("front page", "Development provider"),
    ("error page", "The request failed"),
    ("error page with a reason", "The request failed"),
    ("sign-in page", "Sign in"),
    ("sign-in page after a wrong password", "Sign in"),
    ("page of the one-time password", "Enter your one-time code"),
    ("page after a wrong one-time password", "Enter your one-time code"),
    ("consent page", "Allow access?"),
    ("page that posts the answer", "Back to the app"),
    ("sign-in page in another language", "ログイン"),
    ("error page in another language", "Die Anfrage ist fehlgeschlagen"),
    ("account chooser", "Choose an account"),
    ("device page", "Connect a device"),
    ("device page after a wrong code", "Connect a device"),
    ("device page with the code", "Connect a device"),
    ("account chooser of a device", "Choose an account"),
    ("device consent page", "Connect this device?"),
    ("device page at the end", "Connect a device"),
    ("sign-out page", "Sign out?"),
    ("page after the sign-out", "Signed out"),
    ("sign-in page with buttons", "Sign in"),
)


class Pages:
    def start(self, servers):
        clients = [provider.client("shop", "none"), provider.client("television", "none", grants=(provider.DEVICE,))]
        provider.start(servers, "pages", clients, secret=SECRET, accounts="several", languages=LANGUAGES)
        command = [binary(), "idp", "serve", "--port", str(PORT), "--without-passwords"]
        servers.start("provider with buttons", command, BUTTONS + "/health")
        plan = {
            "issuer": provider.ISSUER,
            "buttons": BUTTONS,
            "client": "shop",
            "device": "television",
            "callback": provider.CALLBACK,
            "name": provider.NAME,
            "password": provider.PASSWORD,
            "secret": SECRET,
        }
        program = [ENVIRONMENT.python, "-B", INTEROP / "clients" / "accessibility_program.py"]
        self.told = Conversation(servers, "axe-core", program, None, {"INTEROP_PLAN": json.dumps(plan)})

    def scenarios(self):
        steps = [self.told.step(name, heading=heading, found=[]) for name, heading in PAGES]
        yield Scenario("axe-core, WCAG 2.2 AA, light and dark", tuple(steps))


PAGES_OF_OURS = Pages()
PEERS = [
    Peer(
        name="pages of the development provider",
        family="development-provider",
        version=lambda: "of this project",
        start=PAGES_OF_OURS.start,
        scenarios=PAGES_OF_OURS.scenarios,
        packages=browser.PACKAGES["chromium"],
        environments=(ENVIRONMENT,),
    )
]
