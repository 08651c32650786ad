"""All peers, in the order in which they are visited."""

from peers import administration, canaille, development_provider, django_allauth, django_oauth_toolkit, gateways
from peers import glewlwyd, idpyoidc, inspector, lemonldap_ng, oidc_provider_mock, pages, passkeys, relying_parties
from peers import zitadel


def every():
    return [
        *development_provider.PEERS,
        *pages.PEERS,
        *inspector.PEERS,
        *passkeys.PEERS,
        *administration.PEERS,
        *relying_parties.PEERS,
        *gateways.PEERS,
        *glewlwyd.PEERS,
        *django_oauth_toolkit.PEERS,
        *django_allauth.PEERS,
        *canaille.PEERS,
        *idpyoidc.PEERS,
        *zitadel.PEERS,
        *lemonldap_ng.PEERS,
        *oidc_provider_mock.PEERS,
    ]
