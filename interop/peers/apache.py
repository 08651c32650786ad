"""Apache with mod_oauth2 (Debian packages): a resource server nobody here wrote, for tokens of our own provider."""

import os
import shutil
import urllib.error
import urllib.request
from pathlib import Path

from harness.peer import require
from harness.places import STATE

PACKAGES = ("apache2-bin", "libapache2-mod-oauth2")
PORT = 4613
HOME = f"http://127.0.0.1:{PORT}"
FOLDER = STATE / "peers" / "apache"
MODULES = Path("/usr/lib/apache2/modules")


def start(servers, keys):
    """Brings up Apache with one place that asks for a token signed with one of the keys at an address."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "pages" / "api").mkdir(parents=True)
    (FOLDER / "pages" / "index.html").write_text("up\n")
    (FOLDER / "pages" / "api" / "index.html").write_text("let in\n")
    for place in (FOLDER, FOLDER / "pages", FOLDER / "pages" / "api"):
        place.chmod(0o755)
    (FOLDER / "httpd.conf").write_text(configuration(keys))
    servers.start("apache", ["/usr/sbin/apache2", "-D", "FOREGROUND", "-f", FOLDER / "httpd.conf"], HOME + "/")


def configuration(keys):
    modules = ["mpm_event", "authn_core", "authz_core", "authz_user", "dir", "oauth2"]
    # Only root can become somebody else, and Apache does not serve as root.
    person = ["User www-data", "Group www-data"] if os.geteuid() == 0 else []
    return "\n".join([
        f"ServerRoot {FOLDER}",
        "ServerName 127.0.0.1",
        f"Listen 127.0.0.1:{PORT}",
        f"PidFile {FOLDER / 'httpd.pid'}",
        "ErrorLog /dev/stderr",
        "LogLevel warn oauth2:debug",
        *(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in modules),
        "StartServers 1",
        "ServerLimit 1",
        "ThreadsPerChild 8",
        "MaxRequestWorkers 8",
        *person,
        f"DocumentRoot {FOLDER / 'pages'}",
        "DirectoryIndex index.html",
        "<Location /api>",
        "  AuthType oauth2",
        f"  OAuth2TokenVerify jwks_uri {keys} verify.exp=required&verify.iat=skip",
        "  Require valid-user",
        "</Location>",
        "",
    ])


def status(token):
    request = urllib.request.Request(HOME + "/api/")
    if token is not None:
        request.add_header("Authorization", "Bearer " + token)
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def accepts_the_token(visit):
    """mod_oauth2 lets the access token in that was shown last, and neither a changed one nor none."""
    token = visit.tokens[-1]
    head, payload, signature = token.split(".")
    changed = ".".join([head, payload, ("A" if signature[0] != "A" else "B") + signature[1:]])
    require(status(token) == 200, f"the token was answered {status(token)}")
    require(status(changed) == 401, f"a changed token was answered {status(changed)}")
    require(status(None) == 401, f"no token was answered {status(None)}")
