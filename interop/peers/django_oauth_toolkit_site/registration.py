"""Who may register a client, and what a registered client lacks."""

import hmac
import os

from django.db.models.signals import pre_save
from django.dispatch import receiver
from oauth2_provider.models import get_application_model
from oauth2_provider.utils import parse_bearer_token


class WithInitialAccessToken:
    def has_permission(self, request):
        shown = parse_bearer_token(request.META.get("HTTP_AUTHORIZATION", "")) or ""
        return hmac.compare_digest(shown, os.environ["SITE_INITIAL_TOKEN"])


@receiver(pre_save, sender=get_application_model())
def sign_id_tokens(sender, instance, **_):
    """A client that registered itself has no algorithm, and is answered with 500 where it wants an ID token."""
    instance.algorithm = instance.algorithm or "RS256"
