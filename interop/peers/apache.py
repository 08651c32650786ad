"""Apache with mod_oauth2 (Debian packages): a resource server nobody here wrote, for tokens of our own provider."""

import shutil

from harness import apache
from harness.peer import require
from harness.places import STATE
from harness.tokens import status_for

PACKAGES = ("apache2-bin", "libapache2-mod-oauth2")
PORT = 4613
HOME = f"http://127.0.0.1:{PORT}"
FOLDER = STATE / "peers" / "apache"


def start(servers, keys):
    """Brings up Apache with one place that asks for a token signed with one of the keys at an address."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "pages" / "api").mkdir(parents=True)
    (FOLDER / "pages" / "index.html").write_text("up\n")
    (FOLDER / "pages" / "api" / "index.html").write_text("let in\n")
    for place in (FOLDER, FOLDER / "pages", FOLDER / "pages" / "api"):
        place.chmod(0o755)
    apache.start(servers, "apache", FOLDER, PORT, ["authz_user", "dir", "oauth2"], configuration(keys), HOME + "/")


def configuration(keys):
    return [
        "LogLevel warn oauth2:debug",
        f"DocumentRoot {FOLDER / 'pages'}",
        "DirectoryIndex index.html",
        "<Location /api>",
        "  AuthType oauth2",
        f"  OAuth2TokenVerify jwks_uri {keys} verify.exp=required&verify.iat=skip",
        "  Require valid-user",
        "</Location>",
    ]


def status(token):
    return status_for(token, HOME + "/api/")


def accepts_the_token(visit):
    """mod_oauth2 lets the access token in that was shown last, and neither a changed one nor none."""
    token = visit.tokens[-1]
    head, payload, signature = token.split(".")
    changed = ".".join([head, payload, ("A" if signature[0] != "A" else "B") + signature[1:]])
    require(status(token) == 200, f"the token was answered {status(token)}")
    require(status(changed) == 401, f"a changed token was answered {status(changed)}")
    require(status(None) == 401, f"no token was answered {status(None)}")
