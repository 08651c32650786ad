"""Makes the tables, one person and the clients, from what the environment says."""

import os

import django

django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from oauth2_provider.models import get_application_model  # noqa: E402

call_command("migrate", verbosity=0)

name, password = os.environ["SITE_PERSON"].split()
User.objects.create_superuser(name, "alice@example.com", password, first_name="Alice", last_name="Adams")

for entry in os.environ["SITE_CLIENTS"].split():
    client, _, secret = entry.partition(":")
    get_application_model().objects.create(
        name=client,
        client_id=client,
        client_secret=secret,
        client_type="confidential" if secret else "public",
        authorization_grant_type="authorization-code",
        redirect_uris=os.environ["SITE_CALLBACK"],
        post_logout_redirect_uris=os.environ["SITE_GOODBYE"],
        algorithm="RS256",
    )

get_application_model().objects.create(
    name="device",
    client_id="device",
    client_type="public",
    authorization_grant_type="urn:ietf:params:oauth:grant-type:device_code",
    algorithm="RS256",
)
