"""`ostiary-backend` as the sign-in of web apps: behind the proxies of the examples, and in two engines."""

import sys

from harness import apache, browser
from harness.packages import version_of
from harness.peer import Peer
from harness.places import INTEROP
from harness.scenario import Scenario, Step
from peers.gateways import service
from peers.gateways.gateway import STARTS, Gateway
from peers.gateways.places import APPLICATION, CERTIFICATE, FOLDER, FOREIGN, KEY, PROXY, SERVICE
from peers.gateways.proxies import PROXIES
from peers.gateways.window import ENGINES, PACKAGES, App, Visitor


class Visit:
    """A proxy with the service and an application behind it."""

    def __init__(self, proxy):
        self.proxy = proxy

    def start(self, servers):
        self.servers = servers
        service.start(servers, gateway={"refusal": self.proxy.refusal}, starts_per_minute_and_sender=STARTS)
        foreign_page(servers)
        self.proxy.start(servers)

    def scenarios(self):
        for engine in ENGINES:
            yield played(browser.title(engine), Visitor(self.servers, engine).steps())
        # The last: its last step uses up the sign-ins of a minute.
        yield played("gateway before an application", Gateway(self.proxy).steps())

    @property
    def peer(self):
        return Peer(
            name=f"{self.proxy.name} as a gateway",
            family="gateways",
            version=self.proxy.version,
            start=self.start,
            scenarios=self.scenarios,
            packages=("openssl", *self.proxy.packages, *PACKAGES),
            environments=(*self.proxy.environments, browser.ENVIRONMENT),
        )


class WebApp:
    """A page and its backend at one host, behind Apache."""

    def start(self, servers):
        self.servers = servers
        forward = [{"path": "/api", "to": f"http://127.0.0.1:{APPLICATION}/v1"}]
        service.start(servers, gateway=None, forward=forward)
        foreign_page(servers)
        own, page = f"http://127.0.0.1:{SERVICE}", f"http://127.0.0.1:{APPLICATION}"
        lines = [
            "SSLEngine on",
            f"SSLCertificateFile {CERTIFICATE}",
            f"SSLCertificateKeyFile {KEY}",
            "ProxyPreserveHost On",
            *(f"ProxyPass {path} {own}{path}" for path in ("/web/", "/api/")),
            f"ProxyPass / {page}/",
        ]
        modules = ["socache_shmcb", "ssl", "proxy", "proxy_http"]
        apache.start(servers, "apache", FOLDER, PROXY, modules, lines, f"http://127.0.0.1:{PROXY}/")

    def scenarios(self):
        for engine in ENGINES:
            yield played(browser.title(engine), App(self.servers, engine).steps())

    @property
    def peer(self):
        return Peer(
            name="web app",
            family="gateways",
            version=lambda: f"of this project, Apache {version_of('apache2-bin') or 'missing'}".split("-")[0],
            start=self.start,
            scenarios=self.scenarios,
            packages=("openssl", "apache2-bin", *PACKAGES),
            environments=(browser.ENVIRONMENT,),
        )


def foreign_page(servers):
    """A page of another origin, which wants what is not its own."""
    command = [sys.executable, "-B", INTEROP / "clients" / "upstream.py", str(FOREIGN), FOLDER / "foreign.jsonl"]
    servers.start("foreign-page", command, f"http://127.0.0.1:{FOREIGN}/up")


def played(name, steps):
    """Each of the steps needs the one before it."""
    return Scenario(name, tuple(Step(step, expect=lambda _, act=act: act(), gate=True) for step, act in steps))


PEERS = [WebApp().peer, *(Visit(proxy).peer for proxy in PROXIES)]
