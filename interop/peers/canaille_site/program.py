"""Runs inside canaille's own Python environment: `prepare` writes its configuration and its data, `serve` serves."""

import datetime
import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

plan = json.loads(Path(sys.argv[1]).read_text())
address = urlsplit(plan["home"])
state = Path(plan["state"])


def prepare():
    (state / "canaille.toml").write_text(configuration())
    subprocess.run([Path(sys.executable).with_name("canaille"), "db", "upgrade"], check=True)
    from canaille import create_app
    from canaille.backends import Backend

    with create_app().app_context(), Backend.instance.session():
        fill(Backend.instance)


def configuration():
    return f"""
SECRET_KEY = "only-for-the-interop-run"
SERVER_NAME = "{address.netloc}"
PREFERRED_URL_SCHEME = "http"
TRUSTED_HOSTS = ["{address.hostname}"]
SESSION_COOKIE_SECURE = false

[CANAILLE]
DATABASE = "sql"
NAME = "canaille"
LOGGING = {{version = 1, root = {{level = "WARNING"}}}}

[CANAILLE_SQL]
DATABASE_URI = "sqlite:///{state}/canaille.sqlite"

[CANAILLE_OIDC]
ACTIVE_JWKS = [{", ".join(inline_table(key) for key in keys())}]
"""


def keys():
    from joserfc.jwk import ECKey, OKPKey, RSAKey

    made = [
        RSAKey.generate_key(2048, {"kid": "rsa", "use": "sig"}),
        ECKey.generate_key("P-256", {"kid": "ec", "use": "sig"}),
        OKPKey.generate_key("Ed25519", {"kid": "ed", "use": "sig"}),
    ]
    return [key.as_dict(private=True) for key in made]


def inline_table(values):
    return "{" + ", ".join(f'{name} = "{value}"' for name, value in values.items() if isinstance(value, str)) + "}"


def fill(backend):
    from canaille.app import models

    name, password = plan["person"]["name"], plan["person"]["password"]
    backend.save(
        models.User(
            user_name=name,
            given_name="Alice",
            family_name="Adams",
            formatted_name="Alice Adams",
            display_name="Alice",
            emails=["alice@example.com"],
            password=password,
        )
    )
    for entry in plan["clients"]:
        algorithms = {name: entry[name] for name in entry if name.endswith("_alg")}
        client = models.Client(
            client_id=entry["id"],
            client_name=entry["id"],
            client_secret=entry.get("secret", ""),
            client_id_issued_at=datetime.datetime.now(datetime.UTC),
            token_endpoint_auth_method=entry["authentication"],
            redirect_uris=[plan["callback"]],
            post_logout_redirect_uris=[plan["goodbye"]],
            response_types=["code"],
            grant_types=["authorization_code", "refresh_token"],
            scope=["openid", "profile", "email", "offline_access"],
            **algorithms,
        )
        backend.save(client)
        client.audience = [client]
        backend.save(client)


def serve():
    from canaille import create_app
    from werkzeug.serving import run_simple

    run_simple(address.hostname, address.port, create_app(), threaded=True)


{"prepare": prepare, "serve": serve}[sys.argv[2]]()
