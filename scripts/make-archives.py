#!/usr/bin/env python3
"""Writes Tests/OstiaryTests/Sessions/PropertyListArchives.swift: keyed archives as AppAuth, GTMAppAuth and Auth0.swift keep them.

The property lists are written by Python's plistlib, which knows nothing of this project's reader; what stands in them
follows the encodeWithCoder: methods of those SDKs and NSKeyedArchiver's way with nil, Booleans, dates, URLs and
dictionaries.
"""
import base64
import json
import pathlib
import plistlib

UID = plistlib.UID


class Archiver:
    """What NSKeyedArchiver does: a list of objects, each once, and references by number."""

    def __init__(self):
        self.objects = ["$null"]
        self.numbers = {}

    def add(self, key, make):
        if key not in self.numbers:
            self.numbers[key] = len(self.objects)
            self.objects.append(None)
            self.objects[self.numbers[key]] = make()
        return UID(self.numbers[key])

    def kind(self, *names):
        return self.add(("class",) + names, lambda: {"$classname": names[0], "$classes": list(names)})

    def encode(self, value):
        if value is None:
            return UID(0)
        if isinstance(value, str):
            return self.add(("text", value), lambda: value)
        if isinstance(value, URL):
            return self.add(
                ("url", value.text),
                lambda: {"NS.base": UID(0), "NS.relative": self.encode(value.text), "$class": self.kind("NSURL", "NSObject")},
            )
        if isinstance(value, Date):
            return self.add(id(value), lambda: {"NS.time": value.time, "$class": self.kind("NSDate", "NSObject")})
        if isinstance(value, dict):
            return self.add(id(value), lambda: dict(self.entries(value), **{"$class": self.kind("NSDictionary", "NSObject")}))
        if isinstance(value, list):
            return self.add(
                id(value),
                lambda: {"NS.objects": [self.encode(v) for v in value], "$class": self.kind("NSArray", "NSObject")},
            )
        return self.add(id(value), lambda: value.encoded(self))

    def entries(self, value):
        return {"NS.keys": [self.encode(k) for k in value], "NS.objects": [self.encode(v) for v in value.values()]}

    def archive(self, root):
        top = self.encode(root)
        plist = {"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": top}, "$objects": self.objects}
        return plistlib.dumps(plist, fmt=plistlib.FMT_BINARY, sort_keys=False)


class URL:
    def __init__(self, text):
        self.text = text


class Date:
    def __init__(self, time):
        self.time = time


class Object:
    """An object of a class, by the keys of its encodeWithCoder:; Booleans and numbers stand in place."""

    def __init__(self, name, members):
        self.name, self.members = name, members

    def encoded(self, archiver):
        result = {}
        for key, value in self.members.items():
            result[key] = value if isinstance(value, (bool, int)) else archiver.encode(value)
        result["$class"] = archiver.kind(self.name, "NSObject")
        return result


class Discovery(Object):
    """OIDServiceDiscovery.m: its dictionary encodes itself in the place of the object's own members."""

    def encoded(self, archiver):
        return dict(archiver.entries(self.members), **{"$class": archiver.kind(self.name, "NSObject")})


def token(claims):
    part = lambda value: base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()
    return f"{part({'alg': 'RS256', 'kid': 'k'})}.{part(claims)}.c2lnbmF0dXJl"


ISSUER = "https://id.example.test"
ID_TOKEN = token({"iss": ISSUER, "sub": "alice", "aud": "app"})


def configuration(discovered):
    members = {
        "authorizationEndpoint": URL(ISSUER + "/authorize"),
        "tokenEndpoint": URL(ISSUER + "/token"),
        "issuer": URL(ISSUER),
        "registrationEndpoint": None,
        "discoveryDocument": None,
        "endSessionEndpoint": None,
    }
    if discovered:
        members["discoveryDocument"] = Discovery(
            "OIDServiceDiscovery",
            {
                "authorization_endpoint": ISSUER + "/authorize",
                "token_endpoint": ISSUER + "/token",
                "response_types_supported": ["code"],
                "issuer": ISSUER,
                "jwks_uri": ISSUER + "/keys",
            },
        )
    return Object("OIDServiceConfiguration", members)


def state(discovered=True, exchanged=True):
    request = Object(
        "OIDAuthorizationRequest",
        {
            "configuration": configuration(discovered),
            "response_type": "code",
            "client_id": "app",
            "client_secret": None,
            "scope": "openid profile offline_access",
            "redirect_uri": URL("com.example.app:/callback"),
            "state": "c3RhdGU",
            "nonce": "bm9uY2U",
            "code_verifier": "dmVyaWZpZXI",
            "code_challenge": "Y2hhbGxlbmdl",
            "code_challenge_method": "S256",
            "additionalParameters": {},
        },
    )
    authorization = Object(
        "OIDAuthorizationResponse",
        {"request": request, "code": "code-1", "state": "c3RhdGU", "id_token": ID_TOKEN, "additionalParameters": {}},
    )
    response = Object(
        "OIDTokenResponse",
        {
            "access_token": "access-1",
            "expires_in": Date(762_000_000.25),
            "token_type": "Bearer",
            "id_token": ID_TOKEN if discovered else None,
            "refresh_token": "refresh-1",
            "scope": None,
            "request": Object("OIDTokenRequest", {"configuration": configuration(discovered), "client_id": "app"}),
            "additionalParameters": {},
        },
    )
    return Object(
        "OIDAuthState",
        {
            "lastAuthorizationResponse": authorization,
            "lastTokenResponse": response if exchanged else None,
            "scope": "openid profile offline_access",
            "refreshToken": "refresh-1" if exchanged else None,
            "needsTokenRefresh": False,
        },
    )


ARCHIVES = [
    ("appAuth", "An `OIDAuthState` with a discovery document.", state()),
    (
        "appAuthConfigured",
        "One whose configuration was written by hand, with an ID token in the authorization response alone.",
        state(discovered=False),
    ),
    ("appAuthWithoutTokens", "One that was never exchanged for tokens.", state(exchanged=False)),
    (
        "gtmAppAuth",
        "A GTMAppAuth session, under the name that its versions agree on.",
        Object(
            "GTMAppAuthFetcherAuthorization",
            {
                "authState": state(),
                "serviceProvider": None,
                "userID": "alice",
                "userEmail": "alice@example.test",
                "userEmailIsVerified": "true",
            },
        ),
    ),
    (
        "auth0",
        "The `Credentials` of Auth0.swift.",
        Object(
            "A0Credentials",
            {
                "accessToken": "access-2",
                "tokenType": "Bearer",
                "idToken": ID_TOKEN,
                "refreshToken": "refresh-2",
                "expiresIn": Date(762_000_000.5),
                "scope": "openid profile",
            },
        ),
    ),
]

lines = [
    "// Written by scripts/make-archives.py with Python's plistlib.",
    "",
    "/// Keyed archives that another program than the one under test has written, in base64.",
    "enum PropertyListArchives {",
]
for name, words, root in ARCHIVES:
    text = base64.b64encode(Archiver().archive(root)).decode()
    lines += ["    /// " + words, f'    static let {name} = """']
    lines += ["        " + text[i : i + 100] + "\\" for i in range(0, len(text), 100)]
    lines[-1] = lines[-1][:-1]
    lines += ['        """', ""]
lines[-1] = "}"
path = pathlib.Path(__file__).parent.parent / "Tests/OstiaryTests/Sessions/PropertyListArchives.swift"
path.write_text("\n".join(lines) + "\n")
