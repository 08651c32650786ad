"""Makes an RSA key for a client: writes it to a file, and its public half to standard output as a JSON Web Key Set."""

import json
import os
import sys

from joserfc.jwk import RSAKey

key = RSAKey.generate_key(2048, auto_kid=True)
with open(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
    file.write(key.as_pem(private=True))
print(json.dumps({"keys": [key.as_dict(private=False)]}))
