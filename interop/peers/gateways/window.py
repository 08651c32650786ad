"""Steps that a real engine takes at the app: behind a gateway, and as a page with a backend of its own."""

import json

from harness import browser
from harness.conversation import Conversation
from harness.peer import require
from harness.places import INTEROP
from peers.gateways.browsing import OWN, SCRIPT, Browser
from peers.gateways.gateway import BODY, COOKIE, TARGET, values
from peers.gateways.places import FOREIGN, ISSUER, ORIGIN
from peers.gateways.service import seen
from peers.relying_parties.provider import NAME, PASSWORD, SUBJECT

ENGINES = ("chromium", "webkitgtk")
PACKAGES = browser.PACKAGES["chromium"] + browser.PACKAGES["webkitgtk"]
LOGIN = "/web/login?return_to=/orders"
TITLE = "Reports"


class Window:
    """One window of an engine, in a program that takes one step at a time."""

    def __init__(self, servers, engine, **plan):
        self.engine = engine
        plan = {
            "origin": ORIGIN,
            "issuer": ISSUER,
            "foreign": f"http://localhost:{FOREIGN}/",
            "neighbour": f"http://127.0.0.1:{FOREIGN}/",
            "screenshots": str(servers.logs / f"{engine}.pages"),
            **plan,
        }
        program = [browser.ENVIRONMENT.python, "-B", INTEROP / "browser" / "web_app.py", engine]
        # xvfb-run would send errors where the answers go. The engine puts sockets into that folder, whose paths must be short.
        command = f"unset XDG_RUNTIME_DIR; exec {browser.PREFIX.get(engine, '')}sh -c 'exec \"$@\" 2>\"$0\"' \"$@\""
        log = servers.log(f"{engine}.engine")
        extra = {
            "INTEROP_PLAN": json.dumps(plan),
            "OSTIARY_PERSON_NAME": NAME,
            "OSTIARY_PERSON_PASSWORD": PASSWORD,
        }
        self.told = Conversation(servers, engine, ["sh", "-c", command, "sh", log, *program], None, extra)

    def take(self, step, **wanted):
        """Has the engine take a step; what it told, with these facts."""
        told = self.told.take(step)
        for fact, value in wanted.items():
            require(told.get(fact) == value, f"{fact} is {told.get(fact)}, {value} expected: {told}"[:600])
        return told

    def expect_cookie(self, same_site):
        # The driver of WebKitGTK lists no strict cookies.
        is_listed = self.engine != "webkitgtk" or same_site != "Strict"
        wanted = [[COOKIE, "/", True, True, same_site]] if is_listed else []
        self.take("look at the cookie", cookies=wanted, read_by_scripts=False)


def unseen(act):
    """The application sees nothing of what happens meanwhile."""
    count = len(seen())
    told = act()
    require(len(seen()) == count, f"the application saw {seen()[count:]}"[:400])
    return told


class Visitor:
    """A user of an application behind a gateway, whose pages do not know of the sign-in."""

    def __init__(self, servers, engine):
        page = {"page": TARGET, "start": TARGET, "target": "/transfer"}
        self.window = Window(servers, engine, **page)

    def steps(self):
        yield "sign in", self.sign_in
        yield "no script reads the cookie", lambda: self.window.expect_cookie("Lax")
        yield "a link of another site leads in", self.follow
        yield "a form of another site is rejected", lambda: self.submit("form of another site")
        yield "a form of another port at this host is rejected", lambda: self.submit("form of another port")
        yield "a WebSocket of the page opens, and none of another site or port", self.open_sockets
        yield "sign out", self.sign_out

    def sign_in(self):
        self.window.take("sign in", place=ORIGIN + TARGET, title=TITLE, problems=[])
        require(values(seen()[-1], "x-auth-request-user") == [SUBJECT], "the application does not know the user")

    def follow(self):
        self.window.take("link of another site", place=ORIGIN + TARGET, title=TITLE)

    def submit(self, step):
        text = unseen(lambda: self.window.take(step)["text"])
        require("access_denied" in text or "403" in text, f"the window shows {text}")

    def open_sockets(self):
        count = len(seen())
        self.window.take("WebSockets", own="hello", foreign=None, neighbour=None)
        sockets = [request for request in seen()[count:] if request["target"] == "/live"]
        require(len(sockets) == 1, f"the application saw {sockets}"[:400])

    def sign_out(self):
        self.window.take("open the page", title=TITLE)
        unseen(lambda: self.window.take("sign out with a form", password=True))
        unseen(lambda: self.window.take("be asked", password=True))


class App:
    """A user of a web app whose page fetches the session itself, with a cookie that is strict."""

    def __init__(self, servers, engine):
        page = {"page": "/orders", "start": LOGIN, "target": "/api/orders", "goodbye": ORIGIN + "/bye"}
        self.window = Window(servers, engine, **page)
        self.other = Browser()

    def steps(self):
        yield "sign in", self.sign_in
        yield "no script reads the cookie", lambda: self.window.expect_cookie("Strict")
        yield "read the session", self.read
        yield "send the API a body", self.call
        yield "scripts of another site reach nothing", lambda: self.scripts("scripts of another site")
        yield "scripts of another port at this host reach nothing", lambda: self.scripts("scripts of another port")
        yield "a form of another site reaches nothing", lambda: self.submit("form of another site")
        yield "a form of another port at this host reaches nothing", lambda: self.submit("form of another port")
        yield "list the sessions", self.list
        yield "sign out everywhere: another device's bodies reach nothing, nor does one under way", self.end
        yield "sign in again", lambda: self.window.take("sign in again", place=ORIGIN + "/orders", title=TITLE)
        yield "sign out at the issuer, too", self.sign_out

    def sign_in(self):
        self.window.take("sign in", place=ORIGIN + "/orders", title=TITLE, problems=[])

    def read(self):
        told = json.loads(self.window.take("read the session", status=200)["text"])
        require(told["sub"] == SUBJECT, f"the session is {told}")
        require(told["claims"]["email"] == "alice@example.com", f"the session is {told}")

    def call(self):
        self.window.take("call the API", status=200)
        request = seen()[-1]
        require((request["target"], request["body"]) == ("/v1/orders", "amount=1"), f"the API saw {request}"[:400])
        require(values(request, "authorization")[0].startswith("Bearer "), "the API got no access token")
        require(not values(request, "cookie"), "the API got the browser's cookies")

    def scripts(self, step):
        unseen(lambda: self.window.take(step, read="TypeError", sent="opaque", ended="TypeError"))
        self.window.take("open the page", title=TITLE)
        self.read()

    def submit(self, step):
        text = unseen(lambda: self.window.take(step)["text"])
        require("access_denied" in text, f"the window shows {text}")

    def list(self):
        self.other.sign_in("/orders", LOGIN)
        self.window.take("open the page", title=TITLE)
        told = json.loads(self.window.take("list the sessions", status=200)["text"])
        found = sorted((one["kind"], one["current"]) for one in told["sessions"])
        require(found == [("browser", False), ("browser", True)], f"the sessions are {told}")

    def end(self):
        post = ("POST", "/api/orders", SCRIPT + OWN, BODY)
        under_way = self.other.begin(*post, early=len(BODY) // 2)
        self.window.take("sign out everywhere", status=204, cookies=[])
        self.window.take("read the session", status=401)
        require(COOKIE in self.other.cookies, "the other device has lost its cookie by itself")
        for finish in (under_way.finish, lambda: self.other.send(*post)):
            response = unseen(finish)
            require(response.status == 401, f"the other device's request ended with {response}")

    def sign_out(self):
        self.window.take("sign out", status=200, title=TITLE, cookies=[])
        self.window.take("read the session", status=401)
        self.window.take("be asked", password=True)
