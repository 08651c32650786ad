"""Clients that others wrote, at the development provider of this project."""

from peers.relying_parties import authlib

PEERS = [*authlib.PEERS]
