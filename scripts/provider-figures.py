#!/usr/bin/env python3
"""Measures the development provider beside two from PyPI, in one run: start, memory at rest, code flows.

    scripts/provider-figures.py [--write]    prints the table; --write puts it into docs/performance.md

Needs a release build (swift build --package-path Tools -c release --product ostiary) or OSTIARY, the path of a program. The other
providers are those of `make interop`, in its Python environments, which are made when they are missing.

Every figure but memory is processor time of the provider's processes alone, user and system, so that a busy machine changes little.
"""
import base64
import hashlib
import http.client
import json
import os
import secrets
import statistics
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "interop"))
sys.dont_write_bytecode = True

from harness.peer import CALLBACK, NATIVE, WEB  # noqa: E402
from harness.person import Person  # noqa: E402
from harness.processes import Failure, must, run, spawn, stop  # noqa: E402
from peers import canaille, oidc_provider_mock  # noqa: E402

PROGRAM = Path(os.environ.get("OSTIARY") or ROOT / "Tools/.build/release/ostiary").resolve()
PAGE, HEADING, BEFORE = ROOT / "docs/performance.md", "## The development provider beside others", "## Goals"
STARTS, ROUNDS = 5, 3
TICK = os.sysconf("SC_CLK_TCK")


def processes(leader):
    """The processes of a session, which `spawn` begins for each command."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == leader.pid:
                yield entry, fields


def processor_time(leader):
    """Seconds, with those of children that have ended."""
    return sum(sum(map(int, fields[11:15])) for _, fields in processes(leader)) / TICK


def memory(leader):
    """Resident bytes."""
    return sum(int(fields[21]) for _, fields in processes(leader)) * os.sysconf("SC_PAGE_SIZE")


class Provider:
    """A provider, how it starts, and how a signed-in user's browser gets a code there."""

    flows, pause = 50, 0.0
    authorize_body = None

    def __init__(self, folder):
        self.folder = folder
        self.prepare()

    def prepare(self):
        pass

    def start(self):
        """Starts it and waits for its metadata; the leader and the processor time until then."""
        with (self.folder / "log").open("w") as log:
            leader = spawn(self.command, self.settings, self.folder, log, log)
        address = urllib.parse.urlsplit(self.issuer)
        for _ in range(3000):
            try:
                connection = http.client.HTTPConnection(address.hostname, address.port, timeout=20)
                connection.request("GET", "/.well-known/openid-configuration")
                response = connection.getresponse()
                self.metadata = json.loads(response.read())
                return leader, processor_time(leader)
            except (OSError, ValueError):
                if leader.poll() is not None:
                    break
                time.sleep(0.01)
        stop(leader)
        raise Failure(f"{self.name} did not start:\n" + (self.folder / "log").read_text()[-2000:])

    def measure(self):
        started = []
        for _ in range(STARTS):
            leader, seconds = self.start()
            started.append(seconds)
            if len(started) < STARTS:
                stop(leader)
        try:
            time.sleep(2)
            rest = memory(leader)
            self.sign_in()
            for _ in range(min(self.flows, 20)):
                self.flow()
            rounds = []
            for _ in range(ROUNDS):
                before = processor_time(leader)
                for _ in range(self.flows):
                    self.flow()
                rounds.append((processor_time(leader) - before) / self.flows)
        finally:
            stop(leader)
        return statistics.median(started), rest, min(rounds)

    def sign_in(self):
        """Makes the cookies of a signed-in browser, and the connection for the flows."""
        person = Person(canaille.NAME, canaille.PASSWORD)
        if self.authorize_body is None:
            person(self.authorization()[0])
        self.cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in person.cookies)
        address = urllib.parse.urlsplit(self.issuer)
        self.connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)

    def authorization(self):
        """The URL of a request with PKCE, and its verifier."""
        verifier = secrets.token_urlsafe(32)
        digest = hashlib.sha256(verifier.encode()).digest()
        query = {
            "response_type": "code", "client_id": self.client.id, "redirect_uri": CALLBACK, "scope": "openid profile",
            "state": secrets.token_urlsafe(16), "nonce": secrets.token_urlsafe(16), "code_challenge_method": "S256",
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
        }
        return self.metadata["authorization_endpoint"] + "?" + urllib.parse.urlencode(query), verifier

    def send(self, method, url, body=None, fields=None):
        """One request; status, Location and body. A connection that the server has closed is opened again."""
        parts = urllib.parse.urlsplit(url)
        headers = {"Cookie": self.cookies, **(fields or {})}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        self.connection.request(method, parts.path + ("?" + parts.query if parts.query else ""), body, headers)
        response = self.connection.getresponse()
        return response.status, response.getheader("Location") or "", response.read()

    def flow(self):
        """A code and its tokens, ID token included."""
        url, verifier = self.authorization()
        status, location, text = self.send("POST" if self.authorize_body else "GET", url, self.authorize_body)
        code = urllib.parse.parse_qs(urllib.parse.urlsplit(location).query).get("code")
        if not code:
            raise Failure(f"{self.name} gave no code: status {status}, {text[:300]!r}")
        form = {"grant_type": "authorization_code", "code": code[0], "redirect_uri": CALLBACK, "code_verifier": verifier}
        fields = {}
        if self.client.secret:
            pair = f"{self.client.id}:{self.client.secret}".encode()
            fields["Authorization"] = "Basic " + base64.b64encode(pair).decode()
        else:
            form["client_id"] = self.client.id
        status, _, text = self.send("POST", self.metadata["token_endpoint"], urllib.parse.urlencode(form), fields)
        if status != 200 or "id_token" not in json.loads(text):
            raise Failure(f"{self.name} gave no tokens: status {status}, {text[:300]!r}")
        time.sleep(self.pause)


class Ostiary(Provider):
    name, issuer, client, settings, flows = "`ostiary idp serve`", "http://127.0.0.1:4597", NATIVE, {}, 2000
    signs = "ES256, no password"

    def prepare(self):
        configuration = {
            "clients": [{"client_id": NATIVE.id, "token_endpoint_auth_method": "none", "redirect_uris": [CALLBACK],
                         "scope": "openid profile", "require_consent": False}],
            "users": [{"name": canaille.NAME, "password": canaille.PASSWORD}],
            "signing_algorithms": ["ES256"],
        }
        file = self.folder / "provider.json"
        file.write_text(json.dumps(configuration))
        self.command = [PROGRAM, "idp", "serve", "--config", file, "--port", "4597", "--sign-in-as", canaille.NAME]


class Mock(Provider):
    issuer, client, settings = oidc_provider_mock.ISSUER, WEB, {}
    name = "oidc-provider-mock " + oidc_provider_mock.ENVIRONMENT.pinned("oidc-provider-mock")
    authorize_body, signs = "sub=alice", "RS256, no password"

    def prepare(self):
        oidc_provider_mock.ENVIRONMENT.prepare()
        port = self.issuer.rpartition(":")[2]
        self.command = [oidc_provider_mock.ENVIRONMENT.python.with_name("oidc-provider-mock"), "--port", port]


class Canaille(Provider):
    issuer, client = canaille.ISSUER, NATIVE
    name = "canaille " + canaille.ENVIRONMENT.pinned("canaille")
    # Two access tokens of one second are the same JWT, and its database refuses the second one.
    flows, pause, signs = 10, canaille.A_SECOND, "RS512, signed in"

    def prepare(self):
        canaille.ENVIRONMENT.prepare()
        plan = self.folder / "plan.json"
        plan.write_text(json.dumps(canaille.plan(self.folder)))
        program = [canaille.ENVIRONMENT.python, canaille.PROGRAM, plan]
        self.settings = {"CANAILLE_CONFIG": str(self.folder / "canaille.toml"), "PYTHONDONTWRITEBYTECODE": "1"}
        must(run([*program, "prepare"], timeout=60, extra=self.settings, cwd=self.folder), "preparing canaille")
        self.command = [*program, "serve"]


def main():
    if not PROGRAM.exists():
        sys.exit(f"{PROGRAM} is missing: swift build --package-path Tools -c release --product ostiary")
    rows = []
    for kind in (Ostiary, Mock, Canaille):
        with tempfile.TemporaryDirectory() as folder:
            start, rest, flow = kind(Path(folder)).measure()
        rows.append(f"| {kind.name} | {kind.signs} | {start * 1000:.0f} ms | {rest / 1e6:.0f} MB | {1 / flow:,.0f} |")
        print(rows[-1], flush=True)
    text = f"""{HEADING}

`scripts/provider-figures.py` starts each provider on this machine, and writes this table. Times are processor time of the provider alone: from the
start to the first response with metadata (median of {STARTS} starts), and for a code flow of a signed-in user (best of {ROUNDS} rounds): an
authorization request with PKCE, and a token request for an ID token and an access token. Memory is resident, two seconds after the start.

| Provider | Signature, sign-in | Start | Memory at rest | Code flows a second |
|---|---|---:|---:|---:|
""" + "\n".join(rows) + "\n\n"
    if sys.argv[1:] != ["--write"]:
        print("\n" + text, end="")
        return
    page = PAGE.read_text()
    before, _, after = page.partition(BEFORE)
    PAGE.write_text(before.partition(HEADING)[0] + text + BEFORE + after)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(f"provider-figures: {failure}")
