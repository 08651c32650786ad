"""A browser of which every field is known: it keeps its cookies, and sends what a step names besides."""

import http.client
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


class Browser:
    def __init__(self):
        self.cookies = {}
        self.attributes = {}
        """The attributes of each cookie, as they were set."""

    def send(self, method, target, fields=(), body=None):
        """One request to the proxy; no redirect is followed."""
        context = ssl.create_default_context(cafile=str(CERTIFICATE))
        connection = http.client.HTTPSConnection(urlsplit(ORIGIN).netloc, timeout=20, context=context)
        try:
            connection.putrequest(method, target)
            cookies = ["a=b", *(f"{name}={value}" for name, value in self.cookies.items()), "c=d"]
            connection.putheader("Cookie", "; ".join(cookies))
            for name, value in fields:
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Type", "application/x-www-form-urlencoded")
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            text = response.read().decode(errors="replace")
        except OSError as error:
            raise Failure(f"no answer to {method} {target}: {error}") from None
        finally:
            connection.close()
        for field in response.headers.get_all("Set-Cookie") or ():
            self.keep(*field.split("; "))
        return Response(response.status, response.headers, text)

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
        redirect = Person(NAME, PASSWORD)(self.to_the_issuer(start or target))
        require(redirect.startswith(ORIGIN + "/web/callback?"), f"the issuer led to {redirect}")
        response = self.send("GET", redirect.removeprefix(ORIGIN), PAGE)
        require((response.status, response.place) == (303, target), f"the sign-in ended with {response}")
