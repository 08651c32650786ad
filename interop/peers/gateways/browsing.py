"""A browser of which every field is known: it keeps its cookies, and sends what a step names besides."""

import base64
import contextlib
import http.client
import os
import socket
import ssl
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from harness.peer import require
from harness.person import Person
from harness.processes import Failure
from peers.gateways.places import CERTIFICATE, ISSUER, ORIGIN
from peers.relying_parties.provider import NAME, PASSWORD

PAGE = (("Accept", "text/html"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document"))
SCRIPT = (("Accept", "application/json"), ("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Dest", "empty"))
OWN = (("Origin", ORIGIN),)
FOREIGN = (("Origin", "https://evil.example"),)


@dataclass(frozen=True)
class Response:
    status: int
    fields: http.client.HTTPMessage
    text: str

    @property
    def place(self):
        return self.fields.get("Location")

    def __str__(self):
        return f"{self.status} {self.place or ''} {self.text[:200]}"


class Request:
    """A request under way."""

    def __init__(self, browser, name, connection, rest):
        self.browser, self.name, self.connection, self.rest = browser, name, connection, rest

    @contextlib.contextmanager
    def failing(self):
        try:
            yield
        except (OSError, http.client.HTTPException) as error:
            self.connection.close()
            raise Failure(f"no answer to {self.name}: {type(error).__name__}: {error}") from None

    def finish(self):
        """Sends the rest of the body; the response, whose cookies the browser keeps."""
        with self.failing():
            self.connection.send(self.rest)
            response = self.connection.getresponse()
            text = response.read().decode(errors="replace")
        self.connection.close()
        for field in response.headers.get_all("Set-Cookie") or ():
            self.browser.keep(*field.split("; "))
        return Response(response.status, response.headers, text)


class Browser:
    def __init__(self):
        self.person = Person(NAME, PASSWORD)
        """The same browser at the issuer."""
        self.cookies = {}
        self.attributes = {}
        """The attributes of each cookie, as they were set."""

    def send(self, method, target, fields=(), body=None):
        """One request to the proxy; no redirect is followed."""
        return self.begin(method, target, fields, body).finish()

    def begin(self, method, target, fields=(), body=None, early=None):
        """Sends a request with `early` bytes of its body; by default with all of it."""
        early = len(body or b"") if early is None else early
        connection = http.client.HTTPSConnection(urlsplit(ORIGIN).netloc, timeout=20, context=trust())
        request = Request(self, f"{method} {target}", connection, (body or b"")[early:])
        with request.failing():
            connection.putrequest(method, target)
            connection.putheader("Cookie", self.cookie())
            for name, value in fields:
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Type", "application/x-www-form-urlencoded")
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders()
            connection.send((body or b"")[:early])
        return request

    def cookie(self):
        return "; ".join(["a=b", *(f"{name}={value}" for name, value in self.cookies.items()), "c=d"])

    def open_socket(self, target, *fields):
        """Opens a WebSocket; the status, and the bytes after the response's head."""
        key = base64.b64encode(os.urandom(16)).decode()
        usual = [("Host", urlsplit(ORIGIN).netloc), ("Cookie", self.cookie()), ("Sec-Fetch-Mode", "websocket")]
        upgrade = [("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")]
        lines = [f"{name}: {value}" for name, value in (*usual, *upgrade, ("Sec-WebSocket-Key", key), *fields)]
        place = urlsplit(ORIGIN)
        try:
            with (
                socket.create_connection((place.hostname, place.port), timeout=20) as plain,
                trust().wrap_socket(plain, server_hostname=place.hostname) as secure,
                secure.makefile("rwb") as stream,
            ):
                stream.write("\r\n".join([f"GET {target} HTTP/1.1", *lines, "", ""]).encode())
                stream.flush()
                status = int(stream.readline().split()[1])
                while stream.readline().strip():
                    pass
                return status, stream.read(7) if status == 101 else b""
        except OSError as error:
            raise Failure(f"no answer to the WebSocket at {target}: {error}") from None

    def keep(self, pair, *attributes):
        name, _, value = pair.partition("=")
        self.attributes[name] = set(attributes)
        if "Max-Age=0" in attributes:
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = value

    def page(self, target):
        """Opens a page, and follows redirects of this host; the last response, with the place it leads to."""
        for _ in range(5):
            response = self.send("GET", target, PAGE)
            place = urljoin(ORIGIN, response.place or "")
            if response.place is None or not place.startswith(ORIGIN + "/"):
                return response
            target = place.removeprefix(ORIGIN)
        raise Failure(f"{target} leads to no end")

    def to_the_issuer(self, target):
        response = self.page(target)
        require((response.place or "").startswith(ISSUER + "/"), f"the sign-in does not begin: {response}")
        return response.place

    def sign_in(self, target, start=None):
        """Signs the user in on the way to a page of the application, or with another page that begins it."""
        redirect = self.person(self.to_the_issuer(start or target))
        require(redirect.startswith(ORIGIN + "/web/callback?"), f"the issuer led to {redirect}")
        response = self.send("GET", redirect.removeprefix(ORIGIN), PAGE)
        require((response.status, response.place) == (303, target), f"the sign-in ended with {response}")


def trust():
    """Trusts the certificate of the visit alone."""
    return ssl.create_default_context(cafile=str(CERTIFICATE))
