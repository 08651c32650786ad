"""The Python clients: one environment, and how their programs are started."""

import json

from harness.conversation import Conversation
from harness.machine import PythonEnvironment
from harness.peer import CALLBACK
from harness.person import Person
from harness.places import INTEROP
from peers.relying_parties.provider import ISSUER, NAME, PASSWORD, SECRET

ENVIRONMENT = PythonEnvironment("clients")


def conversation(servers, program, name, method, issuer=ISSUER, authority=None, **plan):
    """A client's program, and a user of its own who has not signed in yet.

    `authority` is a file with the certificate that the issuer's is to be checked against.
    """
    secret = SECRET if method.startswith("client_secret") else None
    plan = {"issuer": issuer, "method": method, "secret": secret, "callback": CALLBACK, "authority": authority, **plan}
    command = [ENVIRONMENT.python, "-B", INTEROP / "clients" / f"{program}_program.py"]
    # In `requests` a variable of the caller's environment goes before the file that a program names.
    trust = {"REQUESTS_CA_BUNDLE": authority} if authority else {}
    user = Person(NAME, PASSWORD, authority=authority)
    return Conversation(servers, f"{program} {name}", command, user, {"INTEROP_PLAN": json.dumps(plan), **trust})
