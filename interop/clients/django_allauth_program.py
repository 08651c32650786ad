"""django-allauth (PyPI) as a client, set up as its documentation shows. Its plan stands in `INTEROP_PLAN`."""

import json
import os

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import include, path
from django.views.decorators.csrf import ensure_csrf_cookie

from application import Browser, serve
from steps import play

PLAN = json.loads(os.environ["INTEROP_PLAN"])
APPLICATION = {
    "provider_id": "ostiary",
    "name": "Ostiary",
    "client_id": PLAN["client"],
    "secret": PLAN["secret"],
    "settings": {"server_url": PLAN["issuer"]},
}

settings.configure(
    ALLOWED_HOSTS=["*"],
    AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": PLAN["database"]}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    EMAIL_BACKEND="django.core.mail.backends.dummy.EmailBackend",
    INSTALLED_APPS=[
        "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.messages", "django.contrib.sessions",
        "allauth", "allauth.account", "allauth.socialaccount", "allauth.socialaccount.providers.openid_connect",
    ],
    LOGIN_REDIRECT_URL="/",
    LOGOUT_REDIRECT_URL="/",
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware", "allauth.account.middleware.AccountMiddleware",
    ],
    ROOT_URLCONF=__name__,
    SECRET_KEY="of this run",
    SOCIALACCOUNT_PROVIDERS={"openid_connect": {"APPS": [APPLICATION]}},
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
        }
    ],
)

django.setup()


@ensure_csrf_cookie
def front(request):
    return JsonResponse({"email": getattr(request.user, "email", "") or None})


urlpatterns = [path("", front), path("accounts/", include("allauth.urls"))]


class Journey:
    def __init__(self):
        call_command("migrate", verbosity=0)
        serve(get_wsgi_application(), PLAN["origin"])
        self.browser = Browser(PLAN["origin"])

    def press(self, place):
        """Sends the form of a page that asks for confirmation."""
        self.browser.open("/")
        return self.browser.open(place, csrfmiddlewaretoken=self.browser.cookie("csrftoken"))

    def sign_in(self):
        response, way = self.press("/accounts/oidc/ostiary/login/")
        return {**self.browser.user(), "status": response.status_code, "places": len(way)}

    def sign_out(self):
        response, _ = self.press("/accounts/logout/")
        return {**self.browser.user(), "status": response.status_code}


play(Journey())
