"""What idpyoidc is configured with: the endpoints that the run uses, and the policy of its token exchange."""

ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
SIGNING_KEYS = ({"type": "RSA", "use": ["sig"]}, {"type": "EC", "crv": "P-256", "use": ["sig"]})
CLIENT_AUTHENTICATION = ["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]


def configuration(issuer, audience):
    return {
        "issuer": issuer,
        "entity_id": issuer,
        "base_url": issuer,
        "httpc_params": {},
        "template_dir": "templates",
        "keys": {**keys("private/jwks.json", *SIGNING_KEYS), "uri_path": "jwks"},
        "preference": {
            "grant_types_supported": ["authorization_code", "refresh_token", TOKEN_EXCHANGE],
            "scopes_supported": ["openid", "profile", "email", "offline_access"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256"],
            "userinfo_signing_alg_values_supported": ["RS256", "ES256"],
        },
        "add_on": {"pkce": pkce()},
        "authz": authorization_rules(),
        "authentication": {"user": person()},
        "userinfo": {"class": "idpyoidc.server.user_info.UserInfo", "kwargs": {"db_file": "people.json"}},
        "claims_interface": {"class": "idpyoidc.server.session.claims.ClaimsInterface", "kwargs": {}},
        "cookie_handler": cookies(),
        "token_handler_args": tokens(audience),
        "endpoint": endpoints(audience),
    }


def keys(path, *kinds):
    return {"private_path": path, "key_defs": list(kinds), "read_only": False}


def pkce():
    function = "idpyoidc.server.oauth2.add_on.pkce.add_support"
    return {"function": function, "kwargs": {"essential": True, "code_challenge_method": "S256"}}


def authorization_rules():
    rules = {
        "authorization_code": {
            "supports_minting": ["access_token", "refresh_token", "id_token"],
            "max_usage": 1,
            "expires_in": 300,
        },
        "access_token": {"supports_minting": ["access_token"], "expires_in": 3600},
        "refresh_token": {"supports_minting": ["access_token", "refresh_token", "id_token"], "expires_in": 86400},
    }
    return {
        "class": "idpyoidc.server.authz.AuthzHandling",
        "kwargs": {"grant_config": {"usage_rules": rules, "expires_in": 43200}},
    }


def person():
    return {
        "acr": "urn:oasis:names:tc:SAML:2.0:ac:classes:InternetProtocolPassword",
        "class": "idpyoidc.server.user_authn.user.UserPassJinja2",
        "kwargs": {
            "verify_endpoint": "verify/user",
            "template": "sign_in.html",
            "db": {"class": "idpyoidc.server.util.JSONDictDB", "kwargs": {"filename": "passwords.json"}},
            "page_header": "",
            "submit_btn": "",
            "user_label": "",
            "passwd_label": "",
        },
    }


def cookies():
    kinds = ({"type": "OCT", "use": [use], "kid": use} for use in ("enc", "sig"))
    names = {"session": "site", "register": "site_client", "session_management": "site_session"}
    return {
        "class": "idpyoidc.server.cookie_handler.CookieHandler",
        "kwargs": {"keys": keys("private/cookies.json", *kinds), "name": names},
    }


def tokens(audience):
    jwt = "idpyoidc.server.token.jwt_token.JWTToken"
    return {
        "jwks_def": keys("private/tokens.json", {"type": "oct", "bytes": 24, "use": ["enc"], "kid": "code"}),
        "code": {"kwargs": {"lifetime": 600}},
        "token": {"class": jwt, "kwargs": {"lifetime": 3600, "aud": [audience]}},
        "refresh": {"class": jwt, "kwargs": {"lifetime": 86400, "aud": [audience]}},
        "id_token": {"class": "idpyoidc.server.token.id_token.IDToken", "kwargs": {}},
    }


def endpoints(audience):
    server, helper = "idpyoidc.server", "idpyoidc.server.oidc.token_helper"
    exchange = {
        "class": f"{helper}.token_exchange.TokenExchangeHelper",
        "kwargs": {
            "requested_token_types_supported": [ACCESS_TOKEN],
            "subject_token_types_supported": [ACCESS_TOKEN],
            "policy": {
                "": {
                    "function": f"{server}.oauth2.token_helper.validate_token_exchange_policy",
                    "kwargs": {"scope": ["openid", "profile"], "audience": [audience], "resource": [audience]},
                }
            },
        },
    }
    grants = {
        "authorization_code": {"class": f"{helper}.access_token.AccessTokenHelper"},
        "refresh_token": {"class": f"{helper}.refresh_token.RefreshTokenHelper"},
        TOKEN_EXCHANGE: exchange,
    }
    authenticated = {"client_authn_method": CLIENT_AUTHENTICATION}

    def endpoint(path, name, **settings):
        return {"path": path, "class": f"{server}.{name}", "kwargs": settings}

    return {
        "provider_info": endpoint(
            ".well-known/openid-configuration", "oidc.provider_config.ProviderConfiguration", client_authn_method=None
        ),
        "authorization": endpoint(
            "authorization",
            "oidc.authorization.Authorization",
            client_authn_method=None,
            response_types_supported=["code"],
            response_modes_supported=["query"],
        ),
        "token": endpoint("token", "oidc.token.Token", grant_types_helpers=grants, **authenticated),
        "userinfo": endpoint("userinfo", "oidc.userinfo.UserInfo", client_authn_method=["bearer_header"]),
        "introspection": endpoint("introspection", "oauth2.introspection.Introspection", **authenticated),
        "revocation": endpoint("revocation", "oauth2.token_revocation.TokenRevocation", **authenticated),
    }
