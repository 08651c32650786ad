"""Makes the tables, one user and the clients, from what the environment says."""

import os

import django

django.setup()

from allauth.account.models import EmailAddress  # noqa: E402
from allauth.idp.oidc.models import Client  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402

call_command("migrate", verbosity=0)

name, password = os.environ["SITE_USER"].split()
user = User.objects.create_user(name, "alice@example.com", password, first_name="Alice", last_name="Adams")
EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)

GRANTS = ("authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code")
for entry in os.environ["SITE_CLIENTS"].split():
    identifier, _, secret = entry.partition(":")
    client = Client(
        id=identifier,
        name=identifier,
        type="confidential" if secret else "public",
        scopes="\n".join(("openid", "profile", "email", "offline_access")),
        grant_types="\n".join(GRANTS),
        redirect_uris=os.environ["SITE_CALLBACK"],
        response_types="code",
        secret="",
    )
    if secret:
        client.set_secret(secret)
    client.save()
