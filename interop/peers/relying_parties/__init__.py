"""Clients that others wrote, at the development provider of this project."""

from peers.relying_parties import applications, authlib, go_oidc, mcp, mod_auth_openidc, msal, oidc_agent
from peers.relying_parties import requests_oauthlib

PEERS = [
    *authlib.PEERS,
    *requests_oauthlib.PEERS,
    *msal.PEERS,
    *go_oidc.PEERS,
    *mod_auth_openidc.PEERS,
    *oidc_agent.PEERS,
    *applications.PEERS,
    *mcp.PEERS,
]
