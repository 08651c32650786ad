"""What every peer tells about itself, and the clients that are registered at each of them."""

from dataclasses import dataclass
from pathlib import Path

from harness.processes import Failure

CALLBACK = "http://127.0.0.1:8765/callback"
GOODBYE = "http://127.0.0.1:8765/bye"


@dataclass(frozen=True)
class Client:
    id: str
    secret: str | None = None
    authentication: str = "none"
    key: Path | None = None
    """A file with the private key of a client that authenticates with `private_key_jwt`."""


NATIVE = Client("native")
WEB = Client("web", "web-secret-0123456789abcdef0123456789", "client_secret_basic")


@dataclass(frozen=True)
class Peer:
    """A provider, before it runs. One that is tried in several configurations is several peers of one family."""

    name: str
    family: str
    version: callable
    start: callable
    """Brings it up among the given servers; `scenarios` is read after that."""
    scenarios: callable
    issuer: str | None = None
    """The issuer that `ostiary doctor` checks; none for a peer that is a client."""
    packages: tuple = ()
    preseed: tuple = ()
    backports: tuple = ()
    """Packages of Debian that come from its backports."""
    environments: tuple = ()
    programs: tuple = ()


def require(condition, otherwise):
    """Fails the step with a sentence unless the condition holds."""
    if not condition:
        raise Failure(otherwise)
