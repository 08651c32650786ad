"""requests_oauth2client (PyPI): gets a token at an issuer and calls an API with it. Its last line is JSON.

    program.py INTEROP ISSUER METADATA CLIENT CALLBACK AUDIENCE API {bearer|dpop}

The person is the one of the harness, found in the folder INTEROP.
"""

import json
import sys

interop, issuer, metadata, client_id, callback, audience, api, kind = sys.argv[1:]
sys.path.insert(0, interop)

import requests  # noqa: E402
from requests_oauth2client import OAuth2Client, PublicApp  # noqa: E402

from peers.glewlwyd.person import GlewlwydPerson  # noqa: E402

client = OAuth2Client.from_discovery_endpoint(
    metadata,
    issuer=issuer,
    auth=PublicApp(client_id),
    redirect_uri=callback,
    testing=True,
    id_token_signed_response_alg="ES256",
    dpop_bound_access_tokens=kind == "dpop",
)
request = client.authorization_request(scope=["openid", "api"], resource=audience)
answer = request.validate_callback(GlewlwydPerson()(str(request.uri)))
token = client.authorization_code(answer, validate=kind != "dpop", resource=audience)


def call(**options):
    response = requests.get(api, timeout=20, **options)
    told = response.json() if response.status_code == 200 else None
    return {"status": response.status_code, "told": told, "challenge": response.headers.get("WWW-Authenticate", "")}


text = token.access_token
broken = text[:-8] + ("AAAAAAAA" if text[-8:] != "AAAAAAAA" else "BBBBBBBB")
print(json.dumps({
    "type": token.token_type,
    "own": call(auth=token),
    "again": call(auth=token),
    "bearer": call(headers={"Authorization": f"Bearer {text}"}),
    "broken": call(headers={"Authorization": f"Bearer {broken}"}),
    "none": call(),
}))
