"""Apache (Debian package) in the foreground, with a configuration and a folder of its own."""

import os
from pathlib import Path

PROGRAM = "/usr/sbin/apache2"
MODULES = Path("/usr/lib/apache2/modules")


def start(servers, name, folder, port, modules, lines, ready, extra=None):
    """Starts Apache on loopback with these modules and lines of configuration, once `ready` answers."""
    configuration = folder / "httpd.conf"
    configuration.touch(mode=0o600)
    configuration.write_text("\n".join([*common(folder, port, modules), *lines, ""]))
    servers.start(name, [PROGRAM, "-D", "FOREGROUND", "-f", configuration], ready, extra=extra)


def common(folder, port, modules):
    modules = ["mpm_event", "authn_core", "authz_core", *modules]
    # Only root can become another user, and Apache does not serve as root.
    user = ["User www-data", "Group www-data"] if os.geteuid() == 0 else []
    return [
        f"ServerRoot {folder}",
        "ServerName 127.0.0.1",
        f"Listen 127.0.0.1:{port}",
        f"PidFile {folder / 'httpd.pid'}",
        "ErrorLog /dev/stderr",
        *(f"LoadModule {name}_module {MODULES}/mod_{name}.so" for name in modules),
        "StartServers 1",
        "ServerLimit 1",
        "ThreadsPerChild 8",
        "MaxRequestWorkers 8",
        *user,
    ]
