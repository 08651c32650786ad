"""oidc-agent (Debian package, in C): keeps an account's tokens for the commands of a user, as ssh-agent keeps keys."""

import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import urllib.request
from functools import partial

from harness.packages import version_of
from harness.peer import Peer, require
from harness.person import Person
from harness.places import STATE
from harness.processes import Budget, must, run, spawn, stop
from harness.scenario import Scenario, Step
from harness.tokens import claims_of, status_for
from peers.relying_parties import provider
from peers.relying_parties.provider import CODE, DEVICE, ISSUER, NAME, PASSWORD, REFRESH, SECRET, SUBJECT

PACKAGES = ("oidc-agent-cli",)
SCOPE = "openid profile email offline_access"
SEALED_WITH = "--pw-cmd=echo only-for-the-interop-run"
PATIENCE = 40
CLIENTS = {"public": "none", "basic": "client_secret_basic"}


def redirect(client):
    """Where the agent listens by itself: it takes no other host, and it is slow to let go of a port."""
    return f"http://localhost:{8765 + list(CLIENTS).index(client)}/callback"


class Agent:
    """The agent of one visit, and the user's commands that speak to it."""

    def start(self, servers):
        clients = [
            provider.client(name, method, (CODE, REFRESH, DEVICE), redirect_uris=[redirect(name)])
            for name, method in CLIENTS.items()
        ]
        provider.start(servers, "oidc-agent", clients)
        self.accounts = STATE / "peers" / "oidc-agent-accounts"
        shutil.rmtree(self.accounts, ignore_errors=True)
        self.accounts.mkdir(parents=True)
        # The path of a socket has to be short.
        self.folder = tempfile.TemporaryDirectory(prefix="oidc-agent-")
        self.socket = os.path.join(self.folder.name, "agent")
        command = ["oidc-agent", "--console", "--no-autoload", "--always-allow-idtoken", "--bind_address", self.socket]
        servers.converse("oidc-agent", command, extra=self.environment)
        end = time.monotonic() + 10
        while not os.path.exists(self.socket) and time.monotonic() < end:
            time.sleep(0.05)

    @property
    def environment(self):
        return {"HOME": str(self.accounts), "OIDC_CONFIG_DIR": str(self.accounts), "OIDC_SOCK": self.socket}

    def run(self, *command):
        answer = run(command, timeout=PATIENCE, extra=self.environment)
        must(answer, command[0])
        return answer.stdout.strip()

    def make(self, account, client, secret, flow):
        """Makes an account: the user visits the page that the agent names."""
        command = ["oidc-gen", account, "--manual", f"--issuer={ISSUER}", f"--client-id={client}"]
        command += [f"--client-secret={secret}", f"--redirect-uri={redirect(client)}", f"--scope={SCOPE}"]
        command += [f"--flow={flow}", "--no-url-call", "--prompt=none", "--confirm-default", SEALED_WITH]
        process = spawn(command, self.environment, self.accounts, subprocess.PIPE, subprocess.STDOUT)
        process.stdin.close()
        timer = threading.Timer(min(PATIENCE, Budget.left()), stop, [process])
        timer.start()
        told, visited = "", False
        visit = visit_the_page if flow == "code" else let_the_device_in
        try:
            for line in process.stdout:
                told += line
                visited = visited or visit(told)
            process.wait()
        finally:
            timer.cancel()
            stop(process)
        require(process.returncode == 0, f"oidc-gen ended with {process.returncode}: {told[-400:]}")
        self.token = None

    def show(self, account, *options):
        return self.run("oidc-token", *options, account)

    def keep(self, account):
        self.token = self.show(account)
        require(claims_of(self.token)["sub"] == SUBJECT, f"the token is about {claims_of(self.token)['sub']}")
        require(self.show(account) == self.token, "the agent asked for another token")
        require(userinfo(self.token) == 200, "the token opens no user info")

    def renew(self, account):
        new = self.show(account, "--force-new")
        require(new != self.token, "it is the token of before")
        require(userinfo(new) == 200, "the new token opens no user info")
        self.token = new

    def narrow(self, account):
        token = self.show(account, "--force-new", "--scope=profile")
        require(claims_of(token)["scope"] == "profile", f"the scope is {claims_of(token)['scope']}")

    def identify(self, account):
        claims = claims_of(self.show(account, "--id-token"))
        require(claims["sub"] == SUBJECT and claims["iss"] == ISSUER, f"the ID token is of {claims['iss']}")

    def load_again(self, account):
        """The refresh token has changed since the account was made: the agent must have written it down."""
        self.run("oidc-add", "--remove", account)
        self.run("oidc-add", SEALED_WITH, account)
        self.renew(account)

    def delete(self, account):
        self.run("oidc-gen", "--delete", account, "--prompt=none", "--confirm-yes", SEALED_WITH)
        require(userinfo(self.token) == 401, "the token still opens user info")
        left = run(["oidc-token", account], timeout=PATIENCE, extra=self.environment)
        require(left.status != 0, "the agent still has a token")


def visit_the_page(told):
    """Goes to the address that `oidc-gen` has told, and on to where the agent listens; false when there is none yet."""
    found = re.search(r"(http://\S+response_type=code\S*)\s", told)
    if not found:
        return False
    with urllib.request.urlopen(Person(NAME, PASSWORD)(found[1]), timeout=20) as page:
        require(b"Success" in page.read(), "the agent did not take the redirect")
    return True


def let_the_device_in(told):
    page, code = re.search(r"(http://\S+/device)\s", told), re.search(r"\b[A-Z]{4}-[A-Z]{4}\b", told)
    if not page or not code:
        return False
    Person(NAME, PASSWORD).allow(f"{page[1]}?user_code={code[0]}")
    return True


def userinfo(token):
    return status_for(token, ISSUER + "/userinfo")


AGENT = Agent()


def scenarios():
    for name, method in CLIENTS.items():
        secret = "" if method == "none" else SECRET
        account = f"{name}-account"
        yield played(
            f"client that authenticates with {method}",
            ("make an account", partial(AGENT.make, account, name, secret, "code")),
            *kept(account),
        )
    yield played(
        "device",
        ("make an account on a device", lambda: AGENT.make("device-account", "public", "", "device")),
        *kept("device-account"),
    )


def kept(account):
    yield "show a token", lambda: AGENT.keep(account)
    yield "show a new token", lambda: AGENT.renew(account)
    yield "show a token with one scope", lambda: AGENT.narrow(account)
    yield "show an ID token", lambda: AGENT.identify(account)
    yield "load the account again", lambda: AGENT.load_again(account)
    yield "delete the account", lambda: AGENT.delete(account)


def played(name, *steps):
    """Nothing is left to do when the first step fails."""
    return Scenario(
        name,
        tuple(
            Step(step, expect=lambda _, act=act: act(), gate=number == 0) for number, (step, act) in enumerate(steps)
        ),
    )


PEERS = [
    Peer(
        name="oidc-agent",
        family="relying-parties",
        version=lambda: (version_of("oidc-agent-cli") or "missing").split("-")[0],
        start=AGENT.start,
        scenarios=scenarios,
        packages=PACKAGES,
    )
]
