"""The steps at a gateway: who comes through to the application, with which names, and who does not."""

import http.client
import json
import time
from urllib.parse import urlsplit

from harness.peer import require
from peers.gateways.browsing import FOREIGN, OWN, PAGE, SCRIPT, Browser
from peers.gateways.places import ISSUER, ORIGIN, SERVICE
from peers.gateways.service import seen
from peers.relying_parties.provider import SUBJECT

TARGET = "/reports?a=1&b=2"
COOKIE = "__Host-ostiary"
BODY = b"amount=1&" + b"x" * 200_000
STARTS = 30
"""The sign-ins that one sender may start in a minute: more than the steps before the last one need."""
IDENTITY = ("User", "Email", "Preferred-Username", "Groups", "Access-Token")


class Gateway:
    """One browser at a proxy, and a second one of the same user."""

    def __init__(self, proxy):
        self.proxy = proxy
        self.browser, self.other = Browser(), Browser()

    def steps(self):
        yield "without a session a page leads to the sign-in, and no body passes", self.signed_out
        yield "sign in", self.sign_in
        yield "the application knows the user", self.identity
        yield "names that the client wrote do not arrive", self.forged
        yield "a body arrives, and none from a page of another site", self.bodies
        yield "a WebSocket of the application's page opens, and none of another site", self.sockets
        yield "who asks the sign-in for a WebSocket keeps nobody waiting", self.other_protocol
        yield "nobody asks the check from outside", self.check
        yield "sessions ended elsewhere: the application sees no request, no body", self.ended
        yield "a sign-out at the issuer ends the session (back-channel logout)", self.ended_by_the_issuer
        yield "sign out", self.sign_out
        yield "an address that the client wrote does not count", self.limited

    def expect_unseen(self, response, *statuses, since):
        """The response has one of these statuses, and no request reached the application."""
        require(response.status in statuses, f"{statuses} expected: {response}")
        require(len(seen()) == since, f"the application saw {seen()[since:]}"[:400])

    def signed_out(self):
        count = len(seen())
        self.browser.to_the_issuer(TARGET)
        self.expect_unseen(self.browser.send("GET", TARGET, SCRIPT), 401, since=count)
        self.expect_unseen(self.browser.send("POST", TARGET, SCRIPT + OWN, BODY), 401, since=count)
        self.expect_unseen(self.browser.send("POST", TARGET, OWN, BODY), *self.refusals_of_forms(), since=count)

    def refusals_of_forms(self):
        # nginx sends every 401 to the sign-in, which takes a request without Sec-Fetch-Mode for a page's.
        return (303,) if self.proxy.refusal == "unauthorized" else (401,)

    def sign_in(self):
        self.browser.sign_in(TARGET)
        require(COOKIE in self.browser.cookies, f"the cookies are {list(self.browser.cookies)}")
        attributes = {value for value in self.browser.attributes[COOKIE] if not value.startswith("Max-Age=")}
        require(attributes == {"Path=/", "Secure", "HttpOnly", "SameSite=Lax"}, f"the cookie has {attributes}")

    def let_in(self, target=TARGET, fields=PAGE):
        """What the application saw of a request that it answered."""
        count = len(seen())
        response = self.browser.send("GET", target, fields)
        require(response.status == 200 and "The application's page" in response.text, f"not let in: {response}")
        require(len(seen()) == count + 1, "the application saw another number of requests")
        request = seen()[-1]
        require(request["target"] == target, f"the application saw {request['target']}")
        return request

    def identity(self):
        self.expect_identity(self.let_in())

    def expect_identity(self, request):
        wanted = {"user": [SUBJECT], "email": ["alice@example.com"], "preferred-username": ["alice"]}
        for name in IDENTITY:
            found = values(request, "x-auth-request-" + name)
            # Caddy sends a field without a value where nginx and Traefik send none.
            found = [value for value in found if value]
            require(found == wanted.get(name.lower(), []), f"X-Auth-Request-{name} is {found}")
        cookies = "; ".join(values(request, "cookie"))
        require("a=b" in cookies and "c=d" in cookies, f"the application's own cookies are {cookies}")
        # Traefik cannot take one cookie out.
        require(self.proxy.name == "Traefik" or COOKIE + "=" not in cookies, "the application sees the session's cookie")

    def forged(self):
        usual = [(prefix + name, "admin") for prefix in ("X-Auth-Request-", "X-Forwarded-") for name in IDENTITY]
        more = [("X-Forwarded-For", "192.0.2.7"), ("X-Forwarded-Uri", "/admin"), ("X-Forwarded-Method", "HEAD")]
        request = self.let_in(fields=(*PAGE, *usual, *more))
        self.expect_identity(request)
        for name, value in request["fields"]:
            require("admin" not in value and "192.0.2.7" not in value, f"the client's {name} arrives: {value}")
        spelled = [("X_Auth_Request_" + name.replace("-", "_"), "admin") for name in IDENTITY]
        count = len(seen())
        response = self.browser.send("GET", TARGET, (*PAGE, *spelled))
        if response.status != 403:
            require(response.status == 200, f"neither dropped nor refused: {response}")
            require("admin" not in json.dumps(seen()[-1]["fields"]), "a field with underscores arrives")
        else:
            require(len(seen()) == count, "the application saw a refused request")

    def bodies(self):
        count = len(seen())
        for fields in (FOREIGN, (*FOREIGN, ("X-Forwarded-Method", "GET")), (("X-Forwarded-Method", "GET"),)):
            self.expect_unseen(self.browser.send("POST", TARGET, fields, BODY), 403, since=count)
        response = self.browser.send("POST", TARGET, OWN, BODY)
        require(response.status == 200, f"the form of the application's page is not let in: {response}")
        require(seen()[-1]["body"] == BODY.decode(), f"the application saw {len(seen()[-1]['body'])} bytes")

    def sockets(self):
        count = len(seen())
        status, _ = self.browser.open_socket("/live", *FOREIGN)
        require(status == 403, f"a WebSocket of another site is answered {status}")
        status, _ = Browser().open_socket("/live", *OWN)
        require(status == 401, f"a WebSocket without a session is answered {status}")
        require(len(seen()) == count, "the application saw a refused WebSocket")
        status, message = self.browser.open_socket("/live", *OWN)
        require((status, message) == (101, b"\x81\x05hello"), f"the WebSocket is answered {status} {message}")
        require(values(seen()[-1], "x-auth-request-user") == [SUBJECT], "the WebSocket is nobody's")

    def other_protocol(self):
        """No connection of the proxy is used up: its next request would be answered by the idle time-out."""
        begin = time.monotonic()
        for _ in range(3):
            status, _ = Browser().open_socket("/web/session")
            require(status == 401, f"the sign-in's endpoint answers {status}")
        took = time.monotonic() - begin
        require(took < 10, f"the answers took {took:.0f} seconds")

    def check(self):
        response = self.browser.send("GET", "/gateway/check", PAGE)
        require(response.status == 404, f"the proxy passes the check on: {response}")
        status, fields = self.asked("127.0.0.1")
        require(status == 200 and fields["X-Auth-Request-User"] == SUBJECT, f"the proxy's address gets {status}")
        status, fields = self.asked("127.0.0.2")
        require(status == 404 and fields["X-Auth-Request-User"] is None, f"another address gets {status}")

    def asked(self, source):
        """The service's own response to the check, from an address of this machine."""
        connection = http.client.HTTPConnection("127.0.0.1", SERVICE, timeout=20, source_address=(source, 0))
        fields = {"X-Forwarded-Method": "GET", "Cookie": f"{COOKIE}={self.browser.cookies[COOKIE]}"}
        connection.request("GET", "/gateway/check", headers=fields)
        response = connection.getresponse()
        connection.close()
        return response.status, response.headers

    def ended(self):
        """The user signs out everywhere at a second browser while the first one has a form open."""
        self.other.sign_in(TARGET)
        self.let_in()
        response = self.other.send("DELETE", "/web/sessions", SCRIPT + OWN)
        require(response.status == 204 and COOKIE not in self.other.cookies, f"sign out everywhere: {response}")
        require(COOKIE in self.browser.cookies, "the first browser has lost its cookie by itself")
        count = len(seen())
        self.expect_unseen(self.browser.send("POST", TARGET, SCRIPT + OWN, BODY), 401, since=count)
        form = self.browser.send("POST", TARGET, (*PAGE, *OWN), BODY)
        self.expect_unseen(form, *self.refusals_of_forms(), since=count)
        self.expect_unseen(self.browser.send("GET", TARGET, SCRIPT), 401, since=count)
        self.browser.to_the_issuer(TARGET)

    def ended_by_the_issuer(self):
        """The user signs out on the issuer's page, which tells the service."""
        self.browser.sign_in(TARGET)
        self.let_in()
        person, page = self.browser.person, ISSUER + "/end-session"
        status, _, text = person.fetch(page)
        person.fetch(*person.act(page, status, text))
        end = time.monotonic() + 10
        while (response := self.browser.send("GET", "/web/session", SCRIPT)).status == 200 and time.monotonic() < end:
            time.sleep(0.05)
        require(response.status == 401, f"the session lives on: {response}")
        count = len(seen())
        self.expect_unseen(self.browser.send("POST", TARGET, SCRIPT + OWN, BODY), 401, since=count)

    def sign_out(self):
        """The service's session ends, then the issuer's (OpenID Connect RP-Initiated Logout)."""
        person = self.browser.person
        self.browser.sign_in(TARGET)
        self.let_in()
        old = dict(self.browser.cookies)
        response = self.browser.send("POST", "/web/logout", (*PAGE, *OWN), b"")
        require(response.status == 303 and (response.place or "").startswith(ISSUER), f"sign out: {response}")
        require(COOKIE not in self.browser.cookies, "the cookie is still there")
        back = person(response.place)
        require(urlsplit(back)._replace(query="").geturl() == ORIGIN + "/bye", f"the issuer led to {back}")
        count = len(seen())
        self.browser.cookies = old
        self.expect_unseen(self.browser.send("POST", TARGET, SCRIPT + OWN, BODY), 401, since=count)
        status, _, text = person.fetch(self.browser.to_the_issuer(TARGET))
        require(status == 200 and "password" in text, f"the issuer answered {status}, no password asked")

    def limited(self):
        """More sign-ins in a minute than one sender may start, each said to be from another address."""
        addresses = [("X-Forwarded-For", f"192.0.2.{number}") for number in range(STARTS + 1)]
        found = {self.browser.send("GET", "/web/login", (*PAGE, address)).status for address in addresses}
        require(found <= {303, 429} and 429 in found, f"the statuses are {found}")


def values(request, name):
    return [value for field, value in request["fields"] if field.lower() == name.lower()]
