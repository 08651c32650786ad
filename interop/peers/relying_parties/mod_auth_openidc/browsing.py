"""A user's browser, at Apache and at the provider."""

import json
from urllib.parse import parse_qs, urlencode, urlsplit

from harness.peer import require
from harness.person import Forms, Person
from harness.tokens import status_for
from peers.relying_parties.mod_auth_openidc.site import STATIC, Trust, home, redirect_uri
from peers.relying_parties.provider import CLAIMS, NAME, PASSWORD, SUBJECT
from peers.relying_parties.tls import ISSUER


class Browsing:
    def __init__(self, port, declines=False):
        self.port = port
        self.user = Person(NAME, PASSWORD, declines=declines, authority=Trust.certificate)
        self.page = home(port) + "/protected/"

    def get(self, url):
        """Status, the place that it leads to, and the text."""
        status, headers, text = self.user.fetch(url)
        return status, headers.get("Location"), text

    def to_the_provider(self, url=None):
        """The authorization request that Apache answers with."""
        status, place, text = self.get(url or self.page)
        require(status == 302 and (place or "").startswith(ISSUER), f"Apache answered {status} {place}: {text[:200]}")
        return place

    def sign_in(self, url=None):
        request = self.to_the_provider(url)
        require("code_challenge=" in request, f"there is no code challenge in {request}")
        self.redirect = self.user(request)
        status, place, text = self.get(self.redirect)
        require((status, place) == (302, self.page), f"Apache answered {status} {place}: {text[:200]}")
        self.let_in()

    def let_in(self):
        status, headers, text = self.user.fetch(self.page)
        require(status == 200 and "let in" in text, f"Apache answered {status}: {text[:200]}")
        name = headers.get("X-Remote-User", "")
        require(name.startswith(SUBJECT), f"the user's name is {name}")

    def session(self):
        """Apache's record of the session, which holds what the provider issued."""
        status, _, text = self.get(redirect_uri(self.port) + "?info=json")
        require(status == 200, f"Apache answered {status}: {text[:200]}")
        return json.loads(text)

    def look(self):
        told = self.session()
        require(told["id_token"]["sub"] == SUBJECT, f"the ID token is about {told['id_token']['sub']}")
        for name, value in {"sub": SUBJECT, **CLAIMS}.items():
            require(told["userinfo"].get(name) == value, f"{name} is {told['userinfo'].get(name)}")
        self.token = told["access_token"]

    def refresh(self):
        before = self.session()
        question = urlencode({"refresh": self.page, "access_token": before["access_token"]})
        status, place, text = self.get(f"{redirect_uri(self.port)}?{question}")
        require((status, place) == (302, self.page), f"Apache answered {status} {place}: {text[:200]}")
        after = self.session()
        for name in ("access_token", "refresh_token"):
            require(after[name] != before[name], f"{name} is that of before")
        require(userinfo(after["access_token"]) == 200, "the new access token opens no user info")
        self.token = after["access_token"]

    def sign_out(self):
        """Apache revokes what it holds and has the provider end the session; both want the user to sign in again."""
        goodbye = home(self.port) + "/"
        status, place, text = self.get(f"{redirect_uri(self.port)}?{urlencode({'logout': goodbye})}")
        require(status == 302 and place.startswith(ISSUER + "/end-session"), f"Apache answered {status} {place}")
        require("id_token_hint" in parse_qs(urlsplit(place).query), "there is no ID token in the request")
        back = self.user(place)
        require(back.partition("?")[0] == goodbye, f"the provider led to {back}")
        require(userinfo(self.token) == 401, "the access token still opens user info")
        status, place, text = self.get(self.to_the_provider())
        require(status == 200 and "password" in text, f"the provider answered {status} {place}, no password asked")

    def choice(self):
        """Apache's page for a user who is to name a provider, filled with the one of this visit."""
        status, _, text = self.get(self.page)
        forms = [form for form in Forms(text).all if form.has("iss")]
        require(forms, f"Apache answered {status} and asked for no provider: {text[:200]}")
        fields = {field["name"]: field.get("value", "") for field in forms[0].fields if field.get("name")}
        return f"{redirect_uri(self.port)}?{urlencode({**fields, 'iss': ISSUER})}"

    def somebody_elses_redirect(self):
        other = Browsing(self.port)
        status, place, _ = other.get(self.redirect)
        require(status != 302 or place != self.page, "another browser was let in with the redirect")
        require(other.get(self.page)[0] == 302, "another browser was let in")

    def decline(self):
        redirect = self.user(self.to_the_provider())
        error = parse_qs(urlsplit(redirect).query).get("error")
        require(error == ["access_denied"], f"the provider answered {redirect}")
        status, place, text = self.get(redirect)
        require(status == 200 and "Error" in text, f"Apache answered {status} {place}: {text[:200]}")
        require(self.get(self.page)[0] == 302, "the user was let in")

    def guarded(self):
        """The resource server lets the user's token in after an introspection, and no other."""
        for token, wanted in ((self.token, 200), (self.token[:-4] + "AAAA", 401), (None, 401)):
            found = api(token)
            require(found == wanted, f"the resource answered {found}, {wanted} expected")


def userinfo(token):
    return status_for(token, ISSUER + "/userinfo", Trust.certificate)


def api(token):
    return status_for(token, home(STATIC) + "/api/")
