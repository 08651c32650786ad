#!/usr/bin/env python3
"""Keeps the provider and the service busy, and fails when their memory or descriptors grow.

    scripts/soak.py [MINUTES]       30 by default; after a build of Tools' products ostiary and ostiary-backend

Eight users at a time, with ten flows per second at most, sign in at `ostiary idp serve`, read their claims, and refresh three
times. After each refresh they call a guarded route of `ostiary-backend`. At the end they revoke their refresh token, whose next
use has to be rejected. Provider and service have their stores in SQLite files.

The first quarter of the time is a warm-up. Between the second quarter and the last, the median of the resident memory may grow
by 10 per cent and 4 MiB, and the number of descriptors by 4. The service caches tokens for five minutes, in at most 16 MiB: in
a run of less than 20 minutes the cache still fills in the second quarter, so its memory may grow by 16 MiB more.
"""
import base64
import hashlib
import html.parser
import http.client
import json
import os
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / "Tools/.build/debug"
RESOURCE = "https://api.example.com"
REDIRECT = "http://127.0.0.1:9/callback"
USERS, FLOWS_PER_SECOND = 8, 10.0
# The service's cache of verified tokens: the time that a token stays in it, and its limit in MiB (VerifiedTokenCache).
CACHE_MINUTES, CACHE = 5, 16


class Form(html.parser.HTMLParser):
    """The first form of a page: its action and the inputs that are filled in already."""

    def __init__(self, page):
        super().__init__()
        self.action, self.fields = None, {}
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form" and self.action is None:
            self.action = attributes["action"]
        if tag in ("input", "button") and attributes.get("name") and attributes["name"] not in self.fields:
            self.fields[attributes["name"]] = attributes.get("value") or ""


class Peer:
    """One connection to a server on this machine, kept between requests."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def send(self, method, target, fields=None, form=None):
        body = urllib.parse.urlencode(form) if form is not None else None
        fields = dict(fields or {})
        if body is not None:
            fields["Content-Type"] = "application/x-www-form-urlencoded"
        for attempt in (1, 2):
            try:
                self.connection.request(method, target, body, fields)
                response = self.connection.getresponse()
                return response, response.read().decode()
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                # The server may close a connection that was idle; it has not seen the request then.
                self.connection.close()
                if attempt == 2:
                    raise


def expect(status, answer, what):
    response, body = answer
    if response.status != status:
        raise AssertionError(f"{what}: status {response.status} instead of {status}: {body[:300]}")
    return response, body


class User(threading.Thread):
    def __init__(self, soak):
        super().__init__(daemon=True)
        self.soak, self.flows, self.failure = soak, 0, None

    def run(self):
        provider, service = Peer(self.soak.provider_port), Peer(self.soak.service_port)
        pause = USERS / FLOWS_PER_SECOND
        try:
            while not self.soak.over.is_set():
                begun = time.monotonic()
                self.flow(provider, service)
                self.flows += 1
                self.soak.over.wait(max(0.0, pause - (time.monotonic() - begun)))
        except Exception as failure:  # the main thread reports it
            self.failure = failure
            self.soak.over.set()

    def flow(self, provider, service):
        verifier = secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        state = secrets.token_urlsafe(16)
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": "ostiary-demo", "redirect_uri": REDIRECT, "scope": "openid offline_access",
            "state": state, "nonce": secrets.token_urlsafe(16), "code_challenge": challenge, "code_challenge_method": "S256",
            "resource": RESOURCE, "prompt": "consent",
        })
        answer, page = expect(200, provider.send("GET", f"/authorize?{query}"), "authorization")
        cookies = {}
        for _ in range(3):
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                name, _, value = cookie.partition(";")[0].partition("=")
                cookies[name] = value
            if answer.status in (302, 303) and answer.headers["Location"].startswith(REDIRECT):
                break
            fields = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}
            if answer.status in (302, 303):
                answer, page = provider.send("GET", self.target(answer.headers["Location"]), fields)
            form = Form(page)
            form.fields.update({name: value for name, value in (("username", "alice"), ("password", "soak")) if name in form.fields})
            answer, page = provider.send("POST", self.target(form.action), fields, form.fields)
        redirect = urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers["Location"] or "").query)
        if redirect.get("state") != [state]:
            raise AssertionError(f"no redirect with the state: status {answer.status}: {page[:300]}")
        tokens = self.token(provider, {
            "grant_type": "authorization_code", "code": redirect["code"][0], "redirect_uri": REDIRECT, "code_verifier": verifier,
        })
        expect(200, provider.send("GET", "/userinfo", {"Authorization": f"Bearer {tokens['access_token']}"}), "user info")
        for _ in range(3):
            used = tokens["refresh_token"]
            tokens = self.token(provider, {"grant_type": "refresh_token", "refresh_token": used, "resource": RESOURCE})
            expect(200, service.send("GET", "/orders", {"Authorization": f"Bearer {tokens['access_token']}"}), "the guarded route")
        expect(401, service.send("GET", "/orders"), "the guarded route without a token")
        form = {"client_id": "ostiary-demo", "token": tokens["refresh_token"]}
        expect(200, provider.send("POST", "/revoke", form=form), "revocation")
        form = {"client_id": "ostiary-demo", "grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
        expect(400, provider.send("POST", "/token", form=form), "a revoked refresh token")

    @staticmethod
    def target(url):
        parts = urllib.parse.urlsplit(url)
        return urllib.parse.urlunsplit(("", "", parts.path, parts.query, ""))

    @staticmethod
    def token(provider, form):
        _, body = expect(200, provider.send("POST", "/token", form={"client_id": "ostiary-demo", **form}), "token")
        return json.loads(body)


class Watched:
    """A process, and what it used over time."""

    def __init__(self, name, command, work):
        self.name, self.memory, self.descriptors = name, [], []
        self.log = open(work / f"{name}.log", "wb")
        self.process = subprocess.Popen([str(part) for part in command], cwd=work, stdout=self.log, stderr=subprocess.STDOUT)

    def look(self):
        if self.process.poll() is not None:
            sys.exit(f"{self.name} ended with status {self.process.returncode}:\n{self.last_lines()}")
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        self.memory.append(int(status.partition("VmRSS:")[2].split()[0]) / 1024)
        self.descriptors.append(len(os.listdir(f"/proc/{self.process.pid}/fd")))

    def last_lines(self):
        return Path(self.log.name).read_text(errors="replace")[-2000:]

    def latest(self):
        return f"{self.name} {self.memory[-1]:.1f} MiB, {self.descriptors[-1]} descriptors"

    def verdict(self, allowance):
        """Whether the memory, but for an allowance in MiB, and the descriptors are flat."""
        quarter = len(self.memory) // 4
        second, last = slice(quarter, 2 * quarter), slice(-quarter, None)
        memory = [statistics.median(self.memory[part]) for part in (second, last)]
        descriptors = [max(self.descriptors[part]) for part in (second, last)]
        flat = memory[1] <= memory[0] * 1.1 + 4 + allowance and descriptors[1] <= descriptors[0] + 4
        print(f"{self.name}: {memory[0]:.1f} MiB, then {memory[1]:.1f}; {descriptors[0]} descriptors, then {descriptors[1]}"
              + ("" if flat else ": GROWS"))
        return flat

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.log.close()


class Soak:
    def __init__(self, provider_port, service_port):
        self.provider_port, self.service_port, self.over = provider_port, service_port, threading.Event()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(port, target, process):
    for _ in range(300):
        try:
            if Peer(port).send("GET", target)[0].status == 200:
                return
        except OSError:
            pass
        process.look()
        time.sleep(0.1)
    sys.exit(f"{process.name} does not answer at {target}.")


def main(minutes):
    if not minutes >= 0.1:
        sys.exit("A soak takes at least 0.1 minutes. Run: scripts/soak.py 30")
    for program in ("ostiary", "ostiary-backend"):
        if not (BIN / program).exists():
            sys.exit(f"{program} is not built. Run: swift build --package-path Tools --product {program}")
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        provider_port, service_port = free_port(), free_port()
        (work / "password").write_text("soak")
        (work / "seal").write_text(base64.b64encode(secrets.token_bytes(32)).decode())
        (work / "backend.json").write_text(json.dumps({
            "origins": ["http://127.0.0.1"], "listen": {"port": service_port}, "log_level": "warning",
            "sealing_keys": [{"id": "soak", "key": {"file": "seal"}}], "store": {"type": "sqlite", "path": "backend.sqlite"},
            "resources": [{"path": "/orders", "issuer": f"http://127.0.0.1:{provider_port}", "audience": RESOURCE}],
        }))
        processes = []
        try:
            provider = Watched("provider", [BIN / "ostiary", "idp", "serve", "--port", provider_port, "--store",
                                            "file:provider.sqlite", "--password-file", "password"], work)
            processes.append(provider)
            wait_for(provider_port, "/health", provider)
            service = Watched("service", [BIN / "ostiary-backend", "serve", "--config", "backend.json"], work)
            processes.append(service)
            wait_for(service_port, "/ready", service)
            soak = Soak(provider_port, service_port)
            users = [User(soak) for _ in range(USERS)]
            for user in users:
                user.start()
            begun = time.monotonic()
            step, reported = max(0.25, minutes * 60 / 720), 0
            while (passed := time.monotonic() - begun) < minutes * 60 and not soak.over.wait(step):
                for process in processes:
                    process.look()
                if passed // 300 > reported:
                    reported = passed // 300
                    print(f"after {passed / 60:.0f} minutes: {'; '.join(process.latest() for process in processes)}", flush=True)
            soak.over.set()
            for user in users:
                user.join(60)
            failures = [user.failure for user in users if user.failure]
            print(f"{sum(user.flows for user in users)} flows in {minutes:g} minutes")
            if failures:
                logs = "\n".join(f"--- {process.name}\n{process.last_lines()}" for process in processes)
                sys.exit(f"A flow failed: {failures[0]}\n{logs}")
            filling = minutes / 4 < CACHE_MINUTES
            flat = [process.verdict(CACHE if process is service and filling else 0) for process in processes]
        finally:
            for process in processes:
                process.end()
    sys.exit(None if all(flat) else "Memory or descriptors grow.")


main(float(sys.argv[1]) if len(sys.argv) > 1 else 30.0)
