"""Apache before the development provider: an https issuer with a path, for clients that accept no other."""

from harness import apache
from harness.processes import must, run
from peers.relying_parties.provider import PORT as PROVIDER

PACKAGES = ("apache2-bin", "openssl")
PORT = 4615
ISSUER = f"https://127.0.0.1:{PORT}/tenant"


def start(servers, folder):
    """Starts Apache with a certificate made for the visit; returns the file that holds it."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", *names]
    must(run([*command, "-keyout", key, "-out", certificate], timeout=30), "openssl req")
    lines = [
        "SSLEngine on",
        f"SSLCertificateFile {certificate}",
        f"SSLCertificateKeyFile {key}",
        "ProxyPreserveHost On",
        f"ProxyPass / http://127.0.0.1:{PROVIDER}/",
    ]
    modules = ["socache_shmcb", "ssl", "proxy", "proxy_http"]
    # Apache answers a request without TLS with 400: it is up.
    apache.start(servers, "tls", folder, PORT, modules, lines, f"http://127.0.0.1:{PORT}/")
    return certificate
