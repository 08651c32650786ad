"""A person at glewlwyd: its pages are scripts, so this one speaks the JSON API that they speak."""

import urllib.parse

from harness.person import Person
from harness.processes import Failure
from peers.glewlwyd.api import NAME, PASSWORD, SCOPES, send


class GlewlwydPerson(Person):
    """Signs in and out as the pages of glewlwyd do, through its JSON API."""

    def __init__(self, device_client=None):
        super().__init__(NAME, PASSWORD)
        self.device_client = device_client

    def __call__(self, url):
        return self.sign_out(url) if "/end_session" in url else self.sign_in(url)

    def sign_in(self, url):
        self.consent(query(url)["client_id"])
        return super().__call__(url + "&g_continue")

    def consent(self, client):
        send(self, "POST", "/auth", {"username": self.name, "password": self.password})
        send(self, "PUT", f"/auth/grant/{client}", {"scope": " ".join(SCOPES)})

    def allow(self, url):
        """Lets a device in; the page at the end is a script, and its address says how it went."""
        self.consent(self.device_client.id)
        here = url + "&g_continue"
        for _ in range(10):
            _, headers, _ = self.fetch(here)
            if not headers.get("Location"):
                break
            here = urllib.parse.urljoin(here, headers["Location"])
        outcome = query(here).get("prompt")
        if outcome != "deviceComplete":
            raise Failure(f"glewlwyd did not let the device in: {outcome} at {here}")

    def sign_out(self, url):
        status, headers, _ = self.fetch(url)
        asked = query(headers.get("Location") or "")
        if asked.get("prompt") != "end_session":
            raise Failure(f"glewlwyd answered {status} to the sign-out and asked nothing")
        send(self, "DELETE", f"/oidc/session/{asked['sid']}")
        send(self, "DELETE", "/auth/")
        return asked["callback_url"]


def query(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
