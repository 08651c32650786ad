"""Applications that others wrote, set up by their manuals: id, secret, redirect URI and scope, and nothing else."""

import json
import shutil

from harness.conversation import Conversation
from harness.machine import PythonEnvironment
from harness.peer import Peer
from harness.places import INTEROP, STATE
from harness.scenario import Scenario
from peers.relying_parties import provider

DJANGO, FLASK = PythonEnvironment("applications-django"), PythonEnvironment("applications-flask")
STREAMLIT, GRADIO = PythonEnvironment("applications-streamlit"), PythonEnvironment("applications-gradio")
JUPYTERHUB = PythonEnvironment("applications-jupyterhub")
SCOPE = "openid email profile"
WITHOUT_PKCE = "asks without PKCE, which only the rules oidc serve a client with a secret"
OF_THE_ID_TOKEN = "reads the ID token alone; returns to its redirect URI after a sign-out"
POSTED = "posts its secret, whatever it is registered for"
BY_POST = WITHOUT_PKCE + "; " + POSTED


class Application:
    """An application in a program of its own, at a port of its own."""

    def __init__(self, package, environment, port, callback, quirk):
        self.package, self.environment, self.quirk = package, environment, quirk
        self.origin = f"http://127.0.0.1:{port}"
        self.callback = callback
        self.servers = None

    def start(self, servers):
        self.servers = servers
        client = {
            "client_id": self.package,
            "client_secret": provider.SECRET,
            "redirect_uris": [self.origin + self.callback],
            "scope": SCOPE,
        }
        # Nobody has to press a button: the pages have scenarios of their own.
        provider.start(servers, "application", [client], options=("--sign-in-as", provider.NAME))

    def scenarios(self):
        told = self.program()
        email = provider.CLAIMS["email"]
        yield Scenario(
            "set up by its manual",
            (
                told.step("sign in", self.quirk, gate=True, email=email, status=200),
                told.step("sign out", email=None, status=200),
            ),
        )

    def program(self):
        folder = STATE / "applications" / self.package
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        plan = {
            "issuer": provider.ISSUER,
            "client": self.package,
            "secret": provider.SECRET,
            "scope": SCOPE,
            "origin": self.origin,
            "database": str(folder / "database"),
        }
        name = self.package.lower().replace("-", "_")
        command = [self.environment.python, "-B", INTEROP / "clients" / f"{name}_program.py"]
        return Conversation(self.servers, self.package, command, None, {"INTEROP_PLAN": json.dumps(plan)})

    @property
    def peer(self):
        return Peer(
            name=f"{self.package} as a client" if self.package == "django-allauth" else self.package,
            family="relying-parties",
            version=lambda: self.environment.pinned(self.package),
            start=self.start,
            scenarios=self.scenarios,
            environments=(self.environment,),
        )


APPLICATIONS = [
    Application("mozilla-django-oidc", DJANGO, 4618, "/oidc/callback/", BY_POST),
    Application("django-allauth", DJANGO, 4619, "/accounts/oidc/ostiary/login/callback/", WITHOUT_PKCE),
    Application("Flask-AppBuilder", FLASK, 4620, "/oauth-authorized/ostiary", WITHOUT_PKCE),
    Application("Streamlit", STREAMLIT, 4621, "/oauth2callback", OF_THE_ID_TOKEN),
    Application("Gradio", GRADIO, 4622, "/auth", WITHOUT_PKCE),
    Application("JupyterHub", JUPYTERHUB, 4623, "/hub/oauth_callback", POSTED),
]
PEERS = [application.peer for application in APPLICATIONS]
