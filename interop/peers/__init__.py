"""All peers, in the order in which they are visited."""

from peers import canaille, development_provider, django_allauth, django_oauth_toolkit, glewlwyd, idpyoidc, oidc_provider_mock, relying_parties, zitadel


def every():
    return [
        *development_provider.PEERS,
        *glewlwyd.PEERS,
        *django_oauth_toolkit.PEERS,
        *canaille.PEERS,
        *idpyoidc.PEERS,
        *zitadel.PEERS,
        *django_allauth.PEERS,
        *oidc_provider_mock.PEERS,
        *relying_parties.PEERS,
    ]
