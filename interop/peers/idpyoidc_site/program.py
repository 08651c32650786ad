"""Runs inside idpyoidc's own Python environment: its server behind werkzeug, with one person and two clients."""

import json
import sys
from pathlib import Path
from urllib.parse import urlsplit

from configuration import TOKEN_EXCHANGE, configuration
from cryptojwt.jwk.ec import new_ec_key
from idpyoidc.message.oauth2 import ResponseMessage
from idpyoidc.message.oidc import AccessTokenRequest, AuthorizationRequest
from idpyoidc.server import Server
from idpyoidc.server.exception import ClientAuthenticationError, UnAuthorizedClient
from idpyoidc.server.oidc.token import Token
from werkzeug.serving import run_simple
from werkzeug.wrappers import Request, Response

SIGN_IN_PAGE = """<form action="{{action}}" method="post"><input type="hidden" name="token" value="{{token}}">
<input type="text" name="username"><input type="password" name="password"><button type="submit">Sign in</button></form>
"""

plan = json.loads(Path(sys.argv[1]).read_text())
state = Path(plan["state"])
issuer = urlsplit(plan["issuer"])


def make_files():
    for folder in ("private", "templates"):
        (state / folder).mkdir(exist_ok=True)
    name, password = plan["person"]["name"], plan["person"]["password"]
    (state / "passwords.json").write_text(json.dumps({name: password}))
    claims = {"sub": name, "name": "Alice Adams", "email": "alice@example.com", "email_verified": True}
    (state / "people.json").write_text(json.dumps({name: claims}))
    (state / "templates" / "sign_in.html").write_text(SIGN_IN_PAGE)


def register(client):
    algorithms = {name: client[name] for name in client if name.endswith("_alg")}
    context.cdb[client["id"]] = {
        "client_id": client["id"],
        "token_endpoint_auth_method": client["authentication"],
        "redirect_uris": [(plan["callback"], {})],
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token", TOKEN_EXCHANGE],
        "allowed_scopes": ["openid", "profile", "email", "offline_access"],
        **({"client_secret": client["secret"]} if "secret" in client else {}),
        **algorithms,
    }
    if "secret" in client:
        context.keyjar.add_symmetric(client["id"], client["secret"])
    if "key" in client:
        key = new_ec_key("P-256", kid="of-the-client", use="sig", alg="ES256")
        context.keyjar.import_jwks({"keys": [key.serialize()]}, client["id"])
        path = Path(client["key"])
        path.touch(mode=0o600)
        path.write_text(json.dumps(key.serialize(private=True)))


make_files()
server = Server(configuration(plan["issuer"], plan["audience"]), cwd=str(state))
context = server.get_context()
endpoints = {urlsplit(each.full_path).path.strip("/"): each for each in server.endpoint.values()}
for entry in plan["clients"]:
    register(entry)


@Request.application
def site(request):
    path = request.path.strip("/")
    if path == "jwks":
        return as_json(json.loads(context.keyjar.export_jwks_as_json()))
    if path == "verify/user":
        return signed_in(request)
    if path in endpoints:
        return served(endpoints[path], request)
    return Response("not found", 404)


def served(endpoint, request):
    """What any endpoint of idpyoidc does with a request: parse, process, respond."""
    about = {
        "headers": {name.lower(): value for name, value in request.headers.items()},
        "method": request.method,
        "url": request.url,
        "cookie": [{"name": name, "value": value} for name, value in request.cookies.items()],
    }
    try:
        values = request.args.to_dict() if request.method == "GET" else request.form.to_dict()
        parsed = endpoint.parse_request(values, http_info=about)
        if refused(parsed):
            return as_json(parsed.to_dict(), 400)
        wanted = AccessTokenRequest(**parsed) if isinstance(endpoint, Token) else parsed
        answer = endpoint.process_request(wanted, http_info=about)
    except (ClientAuthenticationError, UnAuthorizedClient) as error:
        return as_json({"error": "invalid_client", "error_description": str(error)}, 401)
    if refused(answer):
        return as_json(answer.to_dict(), 400)
    if "http_response" in answer:
        return Response(answer["http_response"], content_type="text/html")
    return response(endpoint, parsed, answer)


def signed_in(request):
    """The sign-in page was sent: goes on with the authorization request that it belongs to."""
    method = context.authn_broker.get_method_by_id("user")
    values = request.form.to_dict()
    name = method.verify(**values)
    kept = method.unpack_token(values["token"])
    wanted = AuthorizationRequest().from_urlencoded(kept["query"])
    endpoint = server.get_endpoint("authorization")
    session = endpoint.create_session(wanted, name, kept["authn_class_ref"], kept["iat"], method)
    answer = endpoint.authz_part2(request=wanted, session_id=session)
    return as_json(answer.to_dict(), 400) if refused(answer) else response(endpoint, wanted, answer)


def refused(message):
    return isinstance(message, ResponseMessage) and "error" in message


def response(endpoint, parsed, answer):
    made = endpoint.do_response(request=parsed, **answer)
    if made.get("response_placement", endpoint.response_placement) == "body":
        reply = Response(made["response"], made.get("response_code", 200))
    else:
        reply = Response("", 302, {"Location": made["response"]})
    for name, value in made.get("http_headers", []):
        reply.headers[name] = value
    for cookie in made.get("cookie", []):
        reply.set_cookie(cookie["name"], cookie.get("value", ""), path="/", samesite="Lax")
    return reply


def as_json(value, status=200):
    return Response(json.dumps(value), status, content_type="application/json")


run_simple(issuer.hostname, issuer.port, site, threaded=True)
