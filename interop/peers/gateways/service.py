"""`ostiary-backend` with the provider that it signs users in at, and the application that it stands before."""

import base64
import json
import os
import secrets
import shutil
import sys
from pathlib import Path

from harness.places import INTEROP
from harness.processes import Failure, must, run
from peers.gateways.places import ADMIN, APPLICATION, CERTIFICATE, DEPLOY, FOLDER, ISSUER, KEY, ORIGIN, RECORD, SERVICE
from peers.relying_parties import provider

CLAIMS = {"preferred_username": "alice", "email": "alice@example.com", "email_verified": True}


def program():
    """The service under test: what `OSTIARY_BACKEND` names, else what a plain build leaves."""
    path = Path(os.environ.get("OSTIARY_BACKEND") or INTEROP.parent / "Tools/.build/debug/ostiary-backend").resolve()
    if not os.access(path, os.X_OK):
        raise Failure(
            f"no ostiary-backend at {path}; build it with `swift build --package-path Tools --product ostiary-backend`"
        )
    return path


def start(servers, **browser):
    """Starts all three; `browser` are members that the section of that name gets besides."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(mode=0o700, parents=True)
    certify()
    client = provider.client(
        "web",
        "client_secret_basic",
        redirect_uris=[ORIGIN + "/web/callback"],
        post_logout_redirect_uris=[ORIGIN + "/bye"],
        backchannel_logout_uri=f"http://127.0.0.1:{SERVICE}/web/backchannel-logout",
    )
    user = {"name": provider.NAME, "password": provider.PASSWORD, "sub": provider.SUBJECT, "claims": CLAIMS}
    provider.start(servers, "gateway-provider", [client], issuer=ISSUER, users=[user])
    record = [sys.executable, "-B", INTEROP / "clients" / "upstream.py", str(APPLICATION), RECORD]
    RECORD.touch()
    servers.start("application", record, f"http://127.0.0.1:{APPLICATION}/up")
    command = [program(), "serve", "--config", configuration(browser)]
    servers.start("service", command, f"http://127.0.0.1:{ADMIN}/ready", cwd=FOLDER)


def certify():
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"]
    must(run([*command, *names, "-keyout", KEY, "-out", CERTIFICATE], timeout=30), "openssl req")


def configuration(browser):
    """gateway.json of the examples, with the addresses of this machine."""
    plan = json.loads((DEPLOY / "gateway.json").read_text())
    plan["origins"] = [ORIGIN]
    plan["listen"]["port"], plan["admin"]["port"] = SERVICE, ADMIN
    plan["store"]["path"] = str(FOLDER / "gateway.sqlite")
    plan["browser"].update(issuer=ISSUER, post_logout_redirect_uri=ORIGIN + "/bye", **browser)
    plan["browser"] = {name: value for name, value in plan["browser"].items() if value is not None}
    keep("secrets/sealing", base64.b64encode(secrets.token_bytes(32)).decode())
    keep("secrets/client", provider.SECRET)
    return keep("gateway.json", json.dumps(plan))


def keep(name, text):
    """A file that only its owner reads."""
    path = FOLDER / name
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.touch(mode=0o600)
    path.write_text(text + "\n")
    return path


def seen():
    """The requests that reached the application so far."""
    return [json.loads(line) for line in RECORD.read_text().splitlines()]
