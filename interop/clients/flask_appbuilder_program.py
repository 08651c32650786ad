"""Flask-AppBuilder (PyPI), whose sign-in Superset and Airflow have, set up as its documentation shows.

Its plan stands in `INTEROP_PLAN`.
"""

import json
import os

from flask import Flask, g, jsonify
from flask_appbuilder import AppBuilder
from flask_appbuilder.security.manager import AUTH_OAUTH
from flask_appbuilder.utils.legacy import get_sqla_class

from application import Browser, serve
from steps import play

PLAN = json.loads(os.environ["INTEROP_PLAN"])

app = Flask(__name__)
app.config.update(
    AUTH_TYPE=AUTH_OAUTH,
    AUTH_USER_REGISTRATION=True,
    AUTH_USER_REGISTRATION_ROLE="Admin",
    OAUTH_PROVIDERS=[
        {
            "name": "ostiary",
            "icon": "fa-key",
            "token_key": "access_token",
            "remote_app": {
                "client_id": PLAN["client"],
                "client_secret": PLAN["secret"],
                "server_metadata_url": PLAN["issuer"] + "/.well-known/openid-configuration",
                "client_kwargs": {"scope": PLAN["scope"]},
            },
        }
    ],
    SECRET_KEY="of this run",
    SQLALCHEMY_DATABASE_URI="sqlite:///" + PLAN["database"],
)
database = get_sqla_class()(app)
with app.app_context():
    builder = AppBuilder(app, database.session)


@builder.sm.oauth_user_info_getter
def user_info(manager, provider, response=None):
    me = manager.oauth_remotes[provider].userinfo()
    return {"username": me["sub"], "email": me["email"], "first_name": me["name"], "last_name": ""}


@app.get("/who")
def who():
    user = getattr(g, "user", None)
    return jsonify(email=user.email if user is not None and user.is_authenticated else None)


class Journey:
    def __init__(self):
        serve(app, PLAN["origin"])
        self.browser = Browser(PLAN["origin"])

    def sign_in(self):
        response, way = self.browser.open("/login/ostiary")
        return {**self.browser.user("/who"), "status": response.status_code, "places": len(way)}

    def sign_out(self):
        response, _ = self.browser.open("/logout/")
        return {**self.browser.user("/who"), "status": response.status_code}


play(Journey())
