"""Verifies a token with PyJWT or joserfc, and prints the library's name and the processor time of one verification.

    peers.py pyjwt|joserfc ALGORITHM TOKEN KEY      KEY is a JSON Web Key; the time is in nanoseconds
"""
import json
import sys
import time
import warnings
from importlib.metadata import version

import jwt
from joserfc import jwt as jose
from joserfc.jwk import import_key

ITERATIONS = 300
NO_RULES = {f"verify_{claim}": False for claim in ("exp", "nbf", "iat", "aud", "iss", "sub", "jti")}

library, algorithm, token, text = sys.argv[1:]
# joserfc reports that RFC 9864 has another name for EdDSA.
warnings.simplefilter("ignore")
if library == "pyjwt":
    name = f"PyJWT {version('pyjwt')}"
    key = jwt.PyJWK(json.loads(text), algorithm).key

    def verify():
        return jwt.decode(token, key, algorithms=[algorithm], options=NO_RULES)
else:
    name = f"joserfc {version('joserfc')}"
    key = import_key(json.loads(text))

    def verify():
        return jose.decode(token, key, algorithms=[algorithm]).claims


assert verify()["sub"]
start = time.process_time_ns()
for _ in range(ITERATIONS):
    verify()
print(f"{name}\t{(time.process_time_ns() - start) / ITERATIONS}")
