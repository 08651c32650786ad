"""The administration of our own provider: schemathesis (PyPI) sends what the OpenAPI file allows, and what not."""

import secrets
import shutil

from harness.command import binary
from harness.machine import PythonEnvironment
from harness.peer import Peer
from harness.places import INTEROP, STATE
from harness.processes import must, run
from harness.scenario import Scenario, Step
from peers.relying_parties.provider import ISSUER, PORT

ENVIRONMENT = PythonEnvironment("schemathesis")
DOCUMENT = INTEROP.parent / "docs" / "provider-admin.json"
CONFIGURATION = """
base-url = "{issuer}/admin"
headers = {{ Authorization = "Bearer ${{ADMINISTRATION_TOKEN}}" }}

# A body that breaks its schema may be too large as well.
[checks.negative_data_rejection]
expected-statuses = [400, 401, 403, 404, 405, 409, 413, 415]
"""


class Administration:
    def start(self, servers):
        self.home = STATE / "peers" / "administration"
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir(parents=True)
        self.token = secrets.token_hex(32)
        file = self.home / "token"
        file.touch(mode=0o600)
        file.write_text(self.token)
        (self.home / "schemathesis.toml").write_text(CONFIGURATION.format(issuer=ISSUER))
        command = [binary(), "idp", "serve", "--port", str(PORT), "--admin-token-file", str(file)]
        extra = {"HOME": str(self.home)}
        servers.start("development-provider", command, ISSUER + "/health", extra=extra, cwd=self.home)

    def scenarios(self):
        step = Step("every operation", expect=self.holds, quirk="more than 400 requests", timeout=120)
        yield Scenario("its OpenAPI file", (step,))

    def holds(self, _):
        command = [ENVIRONMENT.path / "bin" / "schemathesis", "run", DOCUMENT]
        # A schema cannot say which texts are redirect URIs, or name a scenario.
        command += ["--exclude-checks", "positive_data_acceptance", "--max-examples", "15", "--seed", "1", "--no-color"]
        extra = {"ADMINISTRATION_TOKEN": self.token, "HOME": str(self.home)}
        answer = run(command, timeout=120, extra=extra, cwd=self.home)
        report = self.home / "report.txt"
        report.write_text(answer.stdout + answer.stderr)
        must(answer, f"schemathesis, whose report is {report},")


ADMINISTRATION = Administration()
PEERS = [
    Peer(
        name="administration of the development provider",
        family="development-provider",
        version=lambda: f"schemathesis {ENVIRONMENT.pinned('schemathesis')}",
        start=ADMINISTRATION.start,
        scenarios=ADMINISTRATION.scenarios,
        environments=(ENVIRONMENT,),
    )
]
