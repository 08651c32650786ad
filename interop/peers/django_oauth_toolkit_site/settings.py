"""Settings of the Django site: strict where the provider offers it."""

import os
from pathlib import Path

STATE = Path(os.environ["SITE_STATE"])

SECRET_KEY = "only-for-the-interop-run"
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "urls"
LOGIN_URL = "/login/"
USE_TZ = True
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": STATE / "site.sqlite"}}

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.admin",
    "oauth2_provider",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

OAUTH2_PROVIDER = {
    "OIDC_ENABLED": True,
    "OIDC_RSA_PRIVATE_KEY": (STATE / "key.pem").read_text(),
    "OAUTH2_VALIDATOR_CLASS": "claims.Validator",
    "SCOPES": {
        "openid": "Sign in",
        "profile": "Your name",
        "email": "Your address",
        "offline_access": "Stay signed in",
        "introspection": "Look at tokens",
    },
    "PKCE_REQUIRED": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "ALLOWED_REDIRECT_URI_SCHEMES": ["http"],
    "ROTATE_REFRESH_TOKEN": True,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 86400,
    "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
    "OIDC_RP_INITIATED_LOGOUT_ALWAYS_PROMPT": False,
    # Ending the session leaves tokens alone here: a refresh token that is dead afterwards was revoked by the client.
    "OIDC_RP_INITIATED_LOGOUT_DELETE_TOKENS": False,
    "DCR_ENABLED": True,
    "DCR_REGISTRATION_PERMISSION_CLASSES": ("registration.WithInitialAccessToken",),
    "OAUTH2_PROTECTED_RESOURCE_IDENTIFIER": os.environ["SITE_RESOURCE"],
    "OAUTH_DEVICE_VERIFICATION_URI": os.environ["SITE_HOME"] + "/o/device/",
    "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": lambda code: f"{os.environ['SITE_HOME']}/o/device/?user_code={code}",
    "DEVICE_FLOW_INTERVAL": 1,
}
