"""mozilla-django-oidc (PyPI), set up as its documentation shows. Its plan stands in `INTEROP_PLAN`."""

import json
import os

import django
import requests
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import include, path

from application import Browser, serve
from steps import play

PLAN = json.loads(os.environ["INTEROP_PLAN"])
METADATA = requests.get(PLAN["issuer"] + "/.well-known/openid-configuration", timeout=20).json()

settings.configure(
    ALLOWED_HOSTS=["*"],
    AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": PLAN["database"]}},
    INSTALLED_APPS=[
        "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "mozilla_django_oidc",
    ],
    LOGIN_REDIRECT_URL="/",
    LOGOUT_REDIRECT_URL="/",
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    OIDC_OP_AUTHORIZATION_ENDPOINT=METADATA["authorization_endpoint"],
    OIDC_OP_JWKS_ENDPOINT=METADATA["jwks_uri"],
    OIDC_OP_TOKEN_ENDPOINT=METADATA["token_endpoint"],
    OIDC_OP_USER_ENDPOINT=METADATA["userinfo_endpoint"],
    OIDC_RP_CLIENT_ID=PLAN["client"],
    OIDC_RP_CLIENT_SECRET=PLAN["secret"],
    OIDC_RP_SCOPES=PLAN["scope"],
    OIDC_RP_SIGN_ALGO="RS256",
    ROOT_URLCONF=__name__,
    SECRET_KEY="of this run",
)


def front(request):
    return JsonResponse({"email": getattr(request.user, "email", "") or None})


urlpatterns = [path("", front), path("oidc/", include("mozilla_django_oidc.urls"))]


class Journey:
    def __init__(self):
        django.setup()
        call_command("migrate", verbosity=0)
        serve(get_wsgi_application(), PLAN["origin"])
        self.browser = Browser(PLAN["origin"])

    def sign_in(self):
        response, way = self.browser.open("/oidc/authenticate/")
        return {**self.browser.user(), "status": response.status_code, "places": len(way)}

    def sign_out(self):
        self.browser.open("/")
        response, _ = self.browser.open("/oidc/logout/", csrfmiddlewaretoken=self.browser.cookie("csrftoken"))
        return {**self.browser.user(), "status": response.status_code}


play(Journey())
