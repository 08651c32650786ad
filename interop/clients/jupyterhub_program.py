"""JupyterHub (PyPI) with oauthenticator, set up as its documentation shows. Its plan stands in `INTEROP_PLAN`."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from application import Browser
from steps import play

PLAN = json.loads(os.environ["INTEROP_PLAN"])


class Journey:
    def __init__(self):
        settings = Path(__file__).with_name("jupyterhub_config.py")
        # In the group of this program, so that it ends with it.
        subprocess.Popen(
            [sys.executable, "-m", "jupyterhub", "--config", str(settings)],
            cwd=Path(PLAN["database"]).parent,
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
        )
        self.browser = Browser(PLAN["origin"])
        end = time.monotonic() + 40
        while not self.is_up():
            if time.monotonic() > end:
                raise RuntimeError("JupyterHub does not answer")
            time.sleep(0.2)

    def is_up(self):
        try:
            return self.browser.open("/hub/health")[0].ok
        except OSError:
            return False

    def user(self):
        """The user whom the hub's own API knows."""
        token = {"X-XSRFToken": self.browser.cookie("_xsrf"), "Referer": PLAN["origin"] + "/hub/home"}
        response = self.browser.session.get(PLAN["origin"] + "/hub/api/user", headers=token, timeout=20)
        return {"email": response.json()["name"] if response.ok else None}

    def sign_in(self):
        response, _ = self.browser.open("/hub/oauth_login?next=/hub/home")
        return {**self.user(), "status": response.status_code}

    def sign_out(self):
        response, _ = self.browser.open("/hub/logout")
        return {**self.user(), "status": response.status_code}


play(Journey())
