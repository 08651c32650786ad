#!/usr/bin/env python3
"""Kills the provider under load, starts it again on the same SQLite file, and looks for what it lost.

    scripts/kill-provider.py [ROUNDS]      5 by default; after a build of Tools' product ostiary, or with OSTIARY

Eight clients redeem codes and refresh as fast as they can until SIGKILL. After the restart every refresh token whose answer arrived,
and that nobody presented since, is good; every code and every refresh token whose use was answered is refused. What was under way
when the process died may be either, but is good once at most.
"""
import base64
import hashlib
import http.client
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = Path(os.environ.get("OSTIARY") or ROOT / "Tools/.build/debug/ostiary").resolve()
REDIRECT = "http://127.0.0.1:9/callback"
CLIENT, CLIENTS, LOAD = "app", 8, 2.0


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Provider:
    """One process of the provider, on a file that outlives it."""

    def __init__(self, folder, port):
        self.port = port
        configuration = {
            "clients": [{"client_id": CLIENT, "token_endpoint_auth_method": "none", "redirect_uris": [REDIRECT],
                         "scope": "openid offline_access"}],
            "users": [{"name": "alice", "password": "alice"}],
        }
        (folder / "provider.json").write_text(json.dumps(configuration))
        ready = folder / "ready.json"
        ready.unlink(missing_ok=True)
        command = [PROGRAM, "idp", "serve", "--config", folder / "provider.json", "--port", str(port), "--store",
                   f"file:{folder / 'provider.sqlite'}", "--sign-in-as", "alice", "--ready-file", ready]
        self.process = subprocess.Popen(command, stderr=(folder / "log").open("a"))
        for _ in range(600):
            if ready.exists():
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        sys.exit((folder / "log").read_text()[-2000:] + "\nkill-provider: the provider did not start")

    def kill(self):
        self.process.kill()
        self.process.wait()


class Caller:
    """Requests on one connection; `None` for an answer that never came."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)

    def send(self, method, target, form=None):
        body = urllib.parse.urlencode(form) if form else None
        fields = {"Content-Type": "application/x-www-form-urlencoded"} if form else {}
        try:
            self.connection.request(method, target, body, fields)
            response = self.connection.getresponse()
            return response.status, response.getheader("Location"), response.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            return None

    def token(self, **form):
        answer = self.send("POST", "/token", {"client_id": CLIENT, **form})
        return answer and (answer[0], json.loads(answer[2]) if answer[0] == 200 else {})

    def code(self):
        """A code and its verifier; `None` when the provider is gone."""
        verifier = secrets.token_urlsafe(32)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        query = {"response_type": "code", "client_id": CLIENT, "redirect_uri": REDIRECT, "scope": "openid offline_access",
                 "code_challenge": challenge, "code_challenge_method": "S256"}
        answer = self.send("GET", "/authorize?" + urllib.parse.urlencode(query))
        if answer is None:
            return None
        return urllib.parse.parse_qs(urllib.parse.urlsplit(answer[1]).query)["code"][0], verifier

    def redeem(self, code):
        return self.token(grant_type="authorization_code", code=code[0], code_verifier=code[1], redirect_uri=REDIRECT)

    def refresh(self, token):
        return self.token(grant_type="refresh_token", refresh_token=token)


class Books:
    """What the clients know when the process dies."""

    def __init__(self):
        # Fresh: good tokens. Under way: codes and tokens without an answer. Used: those whose use was answered.
        self.fresh, self.codes_under_way, self.tokens_under_way = [], [], []
        self.codes_used, self.tokens_used, self.problems = [], [], []


def load(port, books, lock):
    caller = Caller(port)
    while (code := caller.code()) is not None:
        answer = caller.redeem(code)
        with lock:
            if answer is None:
                books.codes_under_way.append(code)
                return
            if answer[0] != 200:
                books.problems.append(f"a new code is refused with {answer[0]}")
                return
            books.codes_used.append(code)
        token = answer[1]["refresh_token"]
        for _ in range(2):
            answer = caller.refresh(token)
            with lock:
                if answer is None:
                    books.tokens_under_way.append(token)
                    return
                if answer[0] != 200:
                    books.problems.append(f"a new refresh token is refused with {answer[0]}")
                    return
                books.tokens_used.append(token)
            token = answer[1]["refresh_token"]
        with lock:
            books.fresh.append(token)


def round_trip(folder, number):
    port = free_port()
    provider, books, lock = Provider(folder, port), Books(), threading.Lock()
    clients = [threading.Thread(target=load, args=(port, books, lock)) for _ in range(CLIENTS)]
    for client in clients:
        client.start()
    time.sleep(LOAD)
    provider.kill()
    for client in clients:
        client.join()
    provider = Provider(folder, port)
    caller = Caller(port)
    problems = books.problems
    for token in books.fresh:
        if caller.refresh(token)[0] != 200:
            problems.append("a refresh token is lost")
    for code in books.codes_under_way:
        if [caller.redeem(code)[0] for _ in range(2)].count(200) > 1:
            problems.append("a code under way is taken twice")
    for token in books.tokens_under_way:
        if [caller.refresh(token)[0] for _ in range(2)].count(200) > 1:
            problems.append("a refresh token under way is taken twice")
    # Last: a second use of one of these ends the tokens of its sign-in.
    for token in books.tokens_used:
        if caller.refresh(token)[0] == 200:
            problems.append("a refresh token is taken twice")
    for code in books.codes_used:
        if caller.redeem(code)[0] == 200:
            problems.append("a code is taken twice")
    provider.kill()
    under_way = len(books.codes_under_way) + len(books.tokens_under_way)
    if not books.fresh:
        problems.append("no client came to a refresh token before the end")
    seen = f"{len(books.fresh)} good refresh tokens, {len(books.tokens_used)} used ones, {len(books.codes_used)} used codes"
    print(f"round {number}: {seen}, {under_way} requests under way: {len(problems)} problems", flush=True)
    return problems


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    problems = []
    for number in range(1, rounds + 1):
        with tempfile.TemporaryDirectory() as folder:
            problems += round_trip(Path(folder), number)
    for problem in sorted(set(problems)):
        print(f"{problem} ({problems.count(problem)} times)")
    sys.exit(1 if problems else 0)


main()
