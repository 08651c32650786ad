"""Streamlit (PyPI) with `st.login`, set up as its documentation shows. Its plan stands in `INTEROP_PLAN`.

The program is the browser's part: what the button of `st.login` opens, and the connection that runs the page.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

PLAN = json.loads(os.environ["INTEROP_PLAN"])
FOLDER = Path(PLAN["database"]).parent
SECRETS = f"""
[auth]
redirect_uri = "{PLAN["origin"]}/oauth2callback"
cookie_secret = "of this run, and of no other one"
client_id = "{PLAN["client"]}"
client_secret = "{PLAN["secret"]}"
server_metadata_url = "{PLAN["issuer"]}/.well-known/openid-configuration"
"""
(FOLDER / ".streamlit").mkdir(exist_ok=True)
(FOLDER / ".streamlit" / "secrets.toml").write_text(SECRETS)
os.chdir(FOLDER)

from streamlit.auth_util import encode_provider_token  # noqa: E402
from streamlit.proto.BackMsg_pb2 import BackMsg  # noqa: E402
from websockets.sync.client import connect  # noqa: E402

from application import Browser  # noqa: E402
from steps import play  # noqa: E402

SEEN = FOLDER / "seen.json"


class Journey:
    def __init__(self):
        page = Path(__file__).with_name("streamlit_page.py")
        port = PLAN["origin"].rsplit(":", 1)[1]
        options = ["--server.port", port, "--server.address", "127.0.0.1", "--server.headless", "true"]
        command = [sys.executable, "-m", "streamlit", "run", str(page), *options]
        options = ["--browser.gatherUsageStats", "false"]
        # In the group of this program, so that it ends with it.
        self.server = subprocess.Popen(
            command + options, env={**os.environ, "SEEN": str(SEEN)}, stdin=subprocess.DEVNULL, stdout=sys.stderr
        )
        self.browser = Browser(PLAN["origin"])
        self.wait(self.is_up)

    def wait(self, condition):
        end = time.monotonic() + 40
        while not condition():
            if time.monotonic() > end:
                raise RuntimeError("Streamlit does not answer")
            time.sleep(0.1)

    def is_up(self):
        try:
            return self.browser.open("/_stcore/health")[0].ok
        except OSError:
            return False

    def user(self):
        """Runs the page once, as a browser with these cookies does."""
        SEEN.unlink(missing_ok=True)
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.browser.session.cookies)
        url = PLAN["origin"].replace("http", "ws", 1) + "/_stcore/stream"
        # The token against forged requests goes along as a subprotocol.
        protocols = ["streamlit", self.browser.cookie("_streamlit_xsrf")]
        headers = {"Cookie": cookies}
        with connect(url, additional_headers=headers, origin=PLAN["origin"], subprotocols=protocols) as line:
            message = BackMsg()
            message.rerun_script.query_string = ""
            line.send(message.SerializeToString())
            self.wait(SEEN.exists)
        return json.loads(SEEN.read_text())

    def sign_in(self):
        response, _ = self.browser.open("/auth/login?provider=" + encode_provider_token("default"))
        return {**self.user(), "status": response.status_code}

    def sign_out(self):
        response, _ = self.browser.open("/auth/logout")
        return {**self.user(), "status": response.status_code}


play(Journey())
