"""The inspector of our own provider in both engines: a live page, its keyboard, its exports, and 10,000 exchanges."""

import json

from harness import browser
from harness.conversation import Conversation
from harness.machine import PythonEnvironment
from harness.peer import Peer
from harness.places import INTEROP
from harness.scenario import Scenario
from peers.relying_parties import provider

# With axe-core, and with the driver of both engines.
ENVIRONMENT = PythonEnvironment("accessibility")
CLIENT = "shop"
SIGNED_IN = {
    "first": [
        "Browser to Provider: GET /authorize",
        f"Provider to Browser: 303 to {provider.CALLBACK}",
        f"Browser to App: {provider.CALLBACK} code, state, iss",
    ],
    "second": ["App to Provider: POST /token", lambda text: text.startswith("Provider to App: 200 access_token, ")],
    "third": ["App to Provider: GET /userinfo", "Provider to App: 200"],
}
VERIFIER = ["code_verifier", "[redacted]", "The secret behind the code_challenge.", "RFC 7636 section 4.5"]
# The harness has read the metadata before.
FIRST, ALL, REFUSED = "Flows (1, 0 refused)", "Flows (4, 2 refused)", "Flows (2, 2 refused)"
OF_CLIENT, ONE = "Flows (2, 1 refused)", "Flows (1, 0 refused)"


def like(wanted):
    """Whether a list has these texts, or texts that these functions accept."""

    def look(found):
        return len(found) == len(wanted) and all(
            part(text) if callable(part) else part == text for part, text in zip(wanted, found)
        )

    return look


class Inspector:
    def __init__(self, engine):
        self.engine = engine

    def start(self, servers):
        clients = [provider.client(CLIENT, "none", require_consent=False)]
        # The sign-in needs no page, so that each of its requests can be waited for.
        provider.start(servers, "inspector", clients, options=("--inspector", "--sign-in-as", provider.NAME))
        plan = {
            "issuer": provider.ISSUER,
            "callback": provider.CALLBACK,
            "client": CLIENT,
            "schemes": ["light", "dark"] if self.engine == "chromium" else ["light"],
            "screenshots": str(servers.logs / f"{self.engine}.pages"),
        }
        program = [ENVIRONMENT.python, "-B", INTEROP / "browser" / "inspector.py", self.engine]
        # xvfb-run would send errors where the answers go. The engine puts sockets into that folder, whose paths must be short.
        command = f"unset XDG_RUNTIME_DIR; exec {browser.PREFIX.get(self.engine, '')}sh -c 'exec \"$@\" 2>\"$0\"' \"$@\""
        log = servers.log(f"{self.engine}.engine")
        extra = {"INTEROP_PLAN": json.dumps(plan)}
        self.told = Conversation(servers, self.engine, ["sh", "-c", command, "sh", log, *program], None, extra)

    def scenarios(self):
        step = self.told.step
        parties = ["App", "Browser", "Provider"]
        texts = {name: like(wanted) for name, wanted in SIGNED_IN.items()}
        signed_in = {**texts, "parties": parties, "title": f"Flow 2: {CLIENT}, {provider.NAME}", "leaks": []}
        yield Scenario(
            browser.title(self.engine),
            (
                step("open the page", heading="Inspector", flows=FIRST, found=[], gate=True),
                step("sign in while the page looks on", **signed_in),
                step("explain the parameters", verifier=VERIFIER, found=[]),
                step("copy as curl", copied=True, command=lambda text: '"code=$CODE"' in text),
                step("refuse a request", told=lambda text: text.startswith("Refused: "), found=[]),
                step("show hostile values as text", title=lambda text: "Inspector" in text, elements=0, options=True),
                step("filter the flows", all=ALL, refused=REFUSED, client=OF_CLIENT, user=ONE, endpoint=ONE),
                step(
                    "use the keyboard alone",
                    searched=ONE,
                    cleared=ALL,
                    list="flows",
                    chosen=signed_in["title"],
                    message=lambda text: text.endswith("POST /token"),
                    # It was opened before, and closes.
                    expanded="false",
                    back="flows",
                ),
                step(
                    "export the flow",
                    jsonl=True,
                    har=True,
                    mmd=True,
                    diagram=["sequenceDiagram", "    participant app as App"],
                    entries=6,
                ),
                *[step("receive a quarter of ten thousand exchanges", statuses=[200])] * 4,
                step("show ten thousand flows", nodes=True, rows=[True] * 4, found=[]),
                step("look at the console", complaints=[]),
            ),
        )


def peer(engine):
    inspector = Inspector(engine)
    return Peer(
        name=f"inspector in {engine}",
        family="development-provider",
        version=lambda: "of this project",
        start=inspector.start,
        scenarios=inspector.scenarios,
        packages=browser.PACKAGES[engine],
        environments=(ENVIRONMENT,),
    )


PEERS = [peer(engine) for engine in browser.PACKAGES]
