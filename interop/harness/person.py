"""A person at a provider with server-rendered pages: follows redirects, fills the sign-in form, consents.

Used where `ostiary` runs with `--user-agent manual`, and to look at a provider without `ostiary`.
"""

import http.cookiejar
import re
import ssl
import urllib.error
import urllib.parse
import urllib.request
from html.parser import HTMLParser

from harness.processes import Failure

# What browsers want to see, and what tells some servers that a browser asks.
ACCEPT = "text/html,application/xhtml+xml,*/*;q=0.8"
NAME_FIELD = re.compile(r"user|login|email|identifier", re.IGNORECASE)
REFUSAL = re.compile(r"deny|denied|cancel|reject|refuse|decline|logout|log out|forgot|switch|\bno\b", re.IGNORECASE)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Person:
    def __init__(self, name, password, declines=False, authority=None):
        """`authority` is a file with the certificate to trust, instead of those that the machine trusts."""
        self.name, self.password, self.declines = name, password, declines
        self.cookies = http.cookiejar.CookieJar()
        secure = urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=authority))
        self.agent = urllib.request.build_opener(NoRedirect, secure, urllib.request.HTTPCookieProcessor(self.cookies))

    def fetch(self, url, data=None, method=None, kind="application/x-www-form-urlencoded"):
        """One request, no redirect followed: status, headers, text."""
        headers = {"Accept": ACCEPT, **({"Content-Type": kind} if data is not None else {})}
        request = urllib.request.Request(url, data, headers, method=method)
        try:
            response = self.agent.open(request, timeout=20)
        except urllib.error.HTTPError as answer:
            response = answer
        except OSError as error:
            raise Failure(f"no answer from {url}: {error}") from None
        with response:
            return response.status, response.headers, response.read().decode(errors="replace")

    def __call__(self, url):
        """Goes on from `url` until the provider sends the browser elsewhere; returns that address."""
        home = urllib.parse.urlsplit(url)
        request = (url, None)
        for _ in range(20):
            status, headers, text = self.fetch(*request)
            if location := headers.get("Location"):
                here = urllib.parse.urljoin(request[0], location)
                if urllib.parse.urlsplit(here)[:2] != home[:2]:
                    return here
                request = (here, None)
            else:
                request = self.act(request[0], status, text)
        raise Failure(f"{url} leads to no end")

    def allow(self, url):
        """Lets a device in: goes on from `url` to the page that asks nothing more; returns what that page says."""
        request = (url, None)
        for _ in range(20):
            status, headers, text = self.fetch(*request)
            if location := headers.get("Location"):
                request = (urllib.parse.urljoin(request[0], location), None)
            elif not forms_that_lead_on(text):
                return words(text)
            else:
                request = self.act(request[0], status, text)
        raise Failure(f"{url} leads to no end")

    def act(self, url, status, text):
        """Chooses the form that leads on and fills it: address and body of the next request."""
        chosen = forms_that_lead_on(text)
        if not chosen:
            raise Failure(f"no form to fill at {url} (status {status}): {words(text)[:300]}")
        form = chosen[0]
        body = urllib.parse.urlencode(form.filled(self.name, self.password, self.declines))
        target = urllib.parse.urljoin(url, form.action or url)
        if form.method == "get":
            return f"{target}?{body}", None
        return target, body.encode()


def forms_that_lead_on(text):
    forms = Forms(text).all
    return [form for form in forms if form.has("password")] or [form for form in forms if form.consents]


def words(text):
    """What a page says, without its markup."""
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


class Form:
    def __init__(self, attributes):
        self.action = attributes.get("action")
        self.method = (attributes.get("method") or "get").lower()
        self.fields, self.buttons = [], []

    def has(self, kind):
        return any(kind in (field.get("type"), field.get("name")) for field in self.fields)

    @property
    def refusing(self):
        return [button for button in self.buttons if REFUSAL.search(" ".join(map(str, button.values())))]

    @property
    def accepting(self):
        return [button for button in self.buttons if button not in self.refusing]

    @property
    def consents(self):
        """A form that leads on: a button that refuses nothing, and no sign-out or search behind it."""
        leads_on = not REFUSAL.search(self.action or "")
        return leads_on and self.method == "post" and bool(self.accepting)

    def filled(self, name, password, declines):
        """What the form sends: the fields, and the button that is pressed."""
        values = []
        for field in self.fields:
            key, kind, value = field.get("name"), field.get("type") or "text", field.get("value") or ""
            if not key or kind in ("checkbox", "radio") and "checked" not in field:
                continue
            if "password" in (kind, key):
                value = password
            elif kind in ("text", "email") and NAME_FIELD.search(key):
                value = value or name
            values.append((key, value))
        pressed = self.refusing if declines and not self.has("password") else self.accepting
        values += [(button["name"], button.get("value") or "") for button in pressed[:1] if button.get("name")]
        return values


class Forms(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.all, self.button = [], None
        self.feed(text)

    def handle_starttag(self, tag, pairs):
        attributes = dict(pairs)
        if tag == "form":
            self.all.append(Form(attributes))
        elif not self.all:
            return
        elif tag == "button" or tag == "input" and attributes.get("type") in ("submit", "button", "image"):
            if (attributes.get("type") or "submit") == "submit":
                self.button = attributes | {"text": ""}
                self.all[-1].buttons.append(self.button)
        elif tag in ("input", "textarea"):
            self.all[-1].fields.append(attributes)

    def handle_data(self, data):
        if self.button is not None:
            self.button["text"] += data

    def handle_endtag(self, tag):
        if tag == "button":
            self.button = None
