"""mod_auth_openidc (Debian package, certified): Apache as a relying party and as a resource server."""

from harness.packages import version_of
from harness.peer import Peer
from harness.scenario import Scenario, Step
from peers.relying_parties import tls
from peers.relying_parties.mod_auth_openidc.browsing import Browsing
from peers.relying_parties.mod_auth_openidc.site import DYNAMIC, STATIC, start

PACKAGES = (*tls.PACKAGES, "libapache2-mod-auth-openidc")
MISTAKEN = "the iss of a refusal is taken for the choice of a provider: the user sees another error"


def scenarios():
    decliner = Browsing(STATIC, declines=True)
    # The provider remembers what a user has allowed a client, so the refusal comes first.
    yield Scenario("declined", (Step("decline", expect=lambda _: decliner.decline(), quirk=MISTAKEN),))
    one = Browsing(STATIC)
    yield played(
        "registered client",
        ("sign in", one.sign_in),
        ("read the session", one.look),
        ("refresh", one.refresh),
        ("the page is still open", one.let_in),
        ("the redirect in another browser", one.somebody_elses_redirect),
        ("sign out", one.sign_out),
    )
    guard = Browsing(STATIC)
    yield played(
        "resource server that introspects",
        ("sign in", guard.sign_in),
        ("read the session", guard.look),
        ("show the token at the resource", guard.guarded),
    )
    dynamic = Browsing(DYNAMIC)
    yield played(
        "client that registers itself",
        ("sign in at a provider that the user names", lambda: dynamic.sign_in(dynamic.choice())),
        ("read the session", dynamic.look),
        ("refresh", dynamic.refresh),
    )


def played(name, *steps):
    """Each of the steps needs the one before it."""
    return Scenario(name, tuple(Step(step, expect=lambda _, act=act: act(), gate=True) for step, act in steps))


PEERS = [
    Peer(
        name="mod_auth_openidc",
        family="relying-parties",
        version=lambda: (version_of("libapache2-mod-auth-openidc") or "missing").split("-")[0],
        start=start,
        scenarios=scenarios,
        packages=PACKAGES,
    )
]
