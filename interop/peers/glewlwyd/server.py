"""Brings up a fresh glewlwyd: its database, its files, its configuration."""

import gzip
import json
import shutil
import sqlite3
from pathlib import Path

from harness.places import STATE
from peers.glewlwyd import guarded
from peers.glewlwyd.administrator import Administrator
from peers.glewlwyd.api import HOME

DOCUMENTS = Path("/usr/share/doc/glewlwyd")
WEBAPP = Path("/usr/share/glewlwyd/webapp")
WEBAPP_CONFIGURATION = Path("/usr/share/glewlwyd/templates/config.json")


def start(servers, algorithm):
    """Brings up a fresh glewlwyd that signs its ID tokens with `algorithm`."""
    state = STATE / "peers" / "glewlwyd"
    shutil.rmtree(state, ignore_errors=True)
    state.mkdir(parents=True)
    make_database(state / "glewlwyd.db")
    # The packaged web application has a link where its configuration belongs.
    shutil.copytree(WEBAPP, state / "webapp", ignore=shutil.ignore_patterns("config.json"))
    shutil.copy(WEBAPP_CONFIGURATION, state / "webapp/config.json")
    (state / "glewlwyd.conf").write_text(configuration(state))
    command = ["glewlwyd", f"--config-file={state / 'glewlwyd.conf'}"]
    servers.start("glewlwyd", command, ready=HOME + "/config")
    Administrator().configure(algorithm)
    guarded.start(servers)


def make_database(path):
    """The packaged tables, and one more client property: the plugin reads it, the tables do not know it."""
    where = "FROM g_client_module_instance WHERE gcmi_name = 'database'"
    with sqlite3.connect(path) as database:
        database.executescript(gzip.open(DOCUMENTS / "database/init.sqlite3.sql.gz", "rt").read())
        parameters = json.loads(database.execute("SELECT gcmi_parameters " + where).fetchone()[0])
        parameters["data-format"]["post_logout_redirect_uris"] = {"multiple": True, "read": True, "write": True}
        database.execute("UPDATE g_client_module_instance SET gcmi_parameters = ?", [json.dumps(parameters)])
    database.close()


def configuration(state):
    """The packaged sample, on loopback, with its state in one folder."""
    changes = {
        "bind_address": '"127.0.0.1"',
        "static_files_path": f'"{state / "webapp"}/"',
        "cookie_secure": "0",
        "allow_multiple_user_per_session": "false",
    }
    lines = []
    for line in gzip.open(DOCUMENTS / "glewlwyd.conf.sample.gz", "rt").read().splitlines():
        name = line.partition("=")[0].strip().lstrip("#").strip()
        if line.startswith("cookie_domain"):
            continue
        lines.append(f"{name}={changes.pop(name)}" if name in changes else line)
    text = "\n".join(lines + [f"{name}={value}" for name, value in changes.items()]) + "\n"
    return text.replace("/var/cache/glewlwyd/glewlwyd.db", str(state / "glewlwyd.db"))
