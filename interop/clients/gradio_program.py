"""Gradio (PyPI) with Authlib, mounted in FastAPI as its documentation shows. Its plan stands in `INTEROP_PLAN`."""

import json
import os
import threading
import time

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

import gradio  # noqa: E402
import uvicorn  # noqa: E402
from authlib.integrations.starlette_client import OAuth  # noqa: E402
from fastapi import FastAPI, Request  # noqa: E402
from fastapi.responses import RedirectResponse  # noqa: E402
from starlette.middleware.sessions import SessionMiddleware  # noqa: E402

from application import Browser  # noqa: E402
from steps import play  # noqa: E402

PLAN = json.loads(os.environ["INTEROP_PLAN"])

oauth = OAuth()
oauth.register(
    name="ostiary",
    client_id=PLAN["client"],
    client_secret=PLAN["secret"],
    server_metadata_url=PLAN["issuer"] + "/.well-known/openid-configuration",
    client_kwargs={"scope": PLAN["scope"]},
)
app = FastAPI()
app.add_middleware(SessionMiddleware, secret_key="of this run")


@app.get("/")
def home():
    return {}


@app.get("/login")
async def login(request: Request):
    return await oauth.ostiary.authorize_redirect(request, PLAN["origin"] + "/auth")


@app.get("/auth")
async def auth(request: Request):
    token = await oauth.ostiary.authorize_access_token(request)
    request.session["user"] = dict(token["userinfo"])
    return RedirectResponse("/")


@app.get("/logout")
async def logout(request: Request):
    request.session.pop("user", None)
    return RedirectResponse("/")


def user(request: Request):
    known = request.session.get("user")
    return known["email"] if known else None


def greet(request: gradio.Request):
    return request.username


with gradio.Blocks() as demo:
    demo.load(greet, None, gradio.Textbox())
app = gradio.mount_gradio_app(app, demo, path="/gradio", auth_dependency=user)


class Journey:
    def __init__(self):
        port = int(PLAN["origin"].rsplit(":", 1)[1])
        server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning"))
        threading.Thread(target=server.run, daemon=True).start()
        self.browser = Browser(PLAN["origin"])
        end = time.monotonic() + 40
        while not server.started and time.monotonic() < end:
            time.sleep(0.1)

    def user(self):
        """The user whom a function of the Gradio page knows; None where the page does not let the browser in."""
        calls = PLAN["origin"] + "/gradio/gradio_api/call/greet"
        begun = self.browser.session.post(calls, json={"data": []}, timeout=20)
        if not begun.ok:
            return {"email": None}
        events = self.browser.session.get(f"{calls}/{begun.json()['event_id']}", timeout=20).text
        data = next(line for line in events.splitlines() if line.startswith("data: "))
        return {"email": json.loads(data.removeprefix("data: "))[0]}

    def sign_in(self):
        response, _ = self.browser.open("/login")
        return {**self.user(), "status": response.status_code}

    def sign_out(self):
        response, _ = self.browser.open("/logout")
        return {**self.user(), "status": response.status_code}


play(Journey())
