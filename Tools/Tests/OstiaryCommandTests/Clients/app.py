"""A web app for `ostiary probe --url` that compares `state` and believes everything else."""

import base64
import hashlib
import http.cookies
import http.server
import json
import secrets
import sys
import urllib.parse
import urllib.request

ISSUER, PORT, SECRET = sys.argv[1], int(sys.argv[2]), open(sys.argv[3]).read().strip()
REDIRECT = f"http://127.0.0.1:{PORT}/callback"
VERIFIERS = {}


class App(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        if parts.path == "/login":
            return self.login()
        if parts.path == "/callback":
            return self.callback(dict(urllib.parse.parse_qsl(parts.query)))
        self.answer(200 if parts.path == "/home" else 404)

    def login(self):
        state, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        VERIFIERS[state] = verifier
        digest = hashlib.sha256(verifier.encode()).digest()
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": "probe", "redirect_uri": REDIRECT, "scope": "openid", "state": state,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(), "code_challenge_method": "S256",
        })
        self.answer(302, [("Location", f"{ISSUER}/authorize?{query}"), ("Set-Cookie", f"state={state}; Path=/")])

    def callback(self, answer):
        cookie = http.cookies.SimpleCookie(self.headers.get("Cookie", "")).get("state")
        state = answer.get("state")
        if not cookie or cookie.value != state or state not in VERIFIERS:
            return self.answer(400)
        form = urllib.parse.urlencode({
            "grant_type": "authorization_code", "code": answer["code"], "redirect_uri": REDIRECT,
            "code_verifier": VERIFIERS[state],
        }).encode()
        credentials = base64.b64encode(f"probe:{SECRET}".encode()).decode()
        request = urllib.request.Request(f"{ISSUER}/token", form, {"Authorization": f"Basic {credentials}"})
        with urllib.request.urlopen(request) as response:
            json.load(response)
        self.answer(302, [("Location", "/home")])

    def answer(self, status, fields=()):
        self.send_response(status)
        for field in fields:
            self.send_header(*field)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), App)
print("ready", flush=True)
server.serve_forever()
