"""zitadel/oidc (Go, certified by the OpenID Foundation, from Debian's backports): the server of its own example."""

from pathlib import Path

from harness.journey import Journey
from harness.machine import GoProgram
from harness.packages import version_of
from harness.peer import CALLBACK, GOODBYE, NATIVE, WEB, Client, Peer
from harness.person import Person
from harness.places import STATE
from harness.scenario import Scenario

HOME = "http://localhost:4598"
ISSUER = HOME + "/"
NAME, PASSWORD = "test-user@localhost", "verysecure"
BACKPORTS = ("golang-1.23-go", "golang-github-zitadel-oidc-dev")
SOURCE = Path(__file__).resolve().with_name("zitadel_site") / "main.go"
PROGRAM = GoProgram("zitadel", SOURCE, BACKPORTS, toolchain="/usr/lib/go-1.23")

DEVICE = Client("device", WEB.secret, "client_secret_basic")


def start(servers):
    settings = {"SITE_ISSUER": ISSUER, "SITE_CALLBACK": CALLBACK, "SITE_GOODBYE": GOODBYE, "SITE_SECRET": WEB.secret}
    servers.start("zitadel", [PROGRAM.path], ISSUER + ".well-known/openid-configuration", extra=settings, cwd=STATE)
