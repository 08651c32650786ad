"""The ports of a visit, and the configuration files that are under test."""

from harness.places import INTEROP, STATE

DEPLOY = INTEROP.parent / "Examples" / "Backend" / "deploy"
FOLDER = STATE / "peers" / "gateway"

PROXY, SERVICE, ADMIN, APPLICATION, FOREIGN = 4625, 4626, 4627, 4628, 4629
ORIGIN = f"https://127.0.0.1:{PROXY}"
# A host of another name, so that browsers see two sites.
ISSUER = "http://localhost:4614"
CERTIFICATE, KEY = FOLDER / "app.example.com.pem", FOLDER / "app.example.com.key"
RECORD = FOLDER / "requests.jsonl"
