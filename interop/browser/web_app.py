#!/usr/bin/env python3
"""A user of a web app in a real engine, one step at a time: `web_app.py chromium` or `web_app.py webkitgtk`.

The steps come from the harness (clients/steps.py), and what they are about in `INTEROP_PLAN`.
"""

import argparse
import importlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from selenium.common.exceptions import WebDriverException
from visitor import Visitor, started

sys.path.append(str(Path(__file__).resolve().parent.parent / "clients"))
import steps  # noqa: E402

PLAN = json.loads(os.environ["INTEROP_PLAN"])
OPTIONS = argparse.Namespace(
    any_certificate=True, no_scripts=False, keyboard=False, deny=False, foreign=False, patience=25,
    screenshots=Path(PLAN["screenshots"]),
)

FETCH = """
    const [target, options, done] = arguments
    fetch(target, options).then(async response => {
        const text = await response.text()
        done({status: response.status, type: response.type, text: text})
    }).catch(error => done({blocked: error.name}))
"""
SUBMIT = """
    const form = document.createElement("form")
    form.method = "post"
    form.action = arguments[0]
    const field = document.createElement("input")
    field.name = "amount"
    field.value = "1"
    form.append(field)
    document.body.append(form)
    form.submit()
"""
SOCKET = """
    const [place, done] = arguments
    const socket = new WebSocket(place)
    socket.onmessage = event => done({message: event.data})
    socket.onclose = () => done({message: null})
"""
FOLLOW = """
    const link = document.createElement("a")
    link.href = arguments[0]
    link.textContent = "there"
    document.body.append(link)
    link.click()
"""


class Person(Visitor):
    """At the issuer's pages until the browser is back at the app."""

    def arrived(self):
        return urlsplit(self.driver.current_url)[:2] == urlsplit(PLAN["origin"])[:2]


class Journey:
    def __init__(self, driver):
        self.driver = driver

    def sign_in(self):
        problems = Person(self.driver, OPTIONS).visit(PLAN["origin"] + PLAN["start"])
        return {"problems": problems, **self.page()}

    def sign_in_again(self):
        """The issuer's session lives: nobody asks for the password."""
        self.driver.get(PLAN["origin"] + PLAN["start"])
        self.wait(PLAN["origin"])
        return self.page()

    def page(self):
        return {"place": self.driver.current_url, "title": self.driver.title}

    def wait(self, *places):
        """Until the window is at an address that begins with one of these."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            if self.driver.current_url.startswith(places):
                return
            time.sleep(0.05)
        raise TimeoutError(f"the window is at {self.driver.current_url}, not at {' or '.join(places)}")

    def fetch(self, target, **options):
        return self.driver.execute_async_script(FETCH, target, options)

    def look_at_the_cookie(self):
        own = [cookie for cookie in self.driver.get_cookies() if cookie["name"].startswith("__Host-")]
        return {
            "cookies": [[one["name"], one["path"], one["secure"], one["httpOnly"], one.get("sameSite")] for one in own],
            "read_by_scripts": "__Host-" in self.driver.execute_script("return document.cookie"),
        }

    def read_the_session(self):
        return self.fetch("/web/session")

    def call_the_API(self):
        return self.fetch("/api/orders", method="POST", body="amount=1")

    def list_the_sessions(self):
        return self.fetch("/web/sessions")

    def sign_out_everywhere(self):
        return {**self.fetch("/web/sessions", method="DELETE"), **self.look_at_the_cookie()}

    def sign_out(self):
        """As a page does: the window goes where the response says."""
        told = self.fetch("/web/logout", method="POST")
        self.driver.execute_script("location.href = arguments[0]", json.loads(told["text"])["end_session_url"])
        self.wait(PLAN["goodbye"])
        return {"status": told["status"], **self.page(), **self.look_at_the_cookie()}

    def sign_out_with_a_form(self):
        """Behind a gateway the page after the sign-out is one of the app, so the issuer asks for the password."""
        self.driver.execute_script(SUBMIT, "/web/logout")
        self.wait(PLAN["issuer"])
        return self.asked()

    def be_asked(self):
        """Whether the sign-in begins with a password."""
        self.driver.get(PLAN["origin"] + PLAN["start"])
        self.wait(PLAN["issuer"])
        return self.asked()

    def asked(self):
        end = time.monotonic() + 10
        while time.monotonic() < end:
            if self.driver.find_elements("css selector", "input[type=password]"):
                return {"password": True}
            time.sleep(0.05)
        return {"password": False}

    def scripts_of_another_site(self):
        return self.scripts(PLAN["foreign"])

    def scripts_of_another_port(self):
        return self.scripts(PLAN["neighbour"])

    def scripts(self, foreign):
        """What a script of a foreign page can read, and what becomes of the requests that it may send blindly."""
        self.driver.get(foreign)
        session, target = PLAN["origin"] + "/web/session", PLAN["origin"] + PLAN["target"]
        return {
            "read": self.fetch(session, credentials="include").get("blocked"),
            "sent": self.fetch(target, method="POST", mode="no-cors", credentials="include", body="a=b").get("type"),
            "ended": self.fetch(PLAN["origin"] + "/web/sessions", method="DELETE", credentials="include").get("blocked"),
        }

    def form_of_another_site(self):
        return self.form(PLAN["foreign"])

    def form_of_another_port(self):
        return self.form(PLAN["neighbour"])

    def form(self, foreign):
        self.driver.get(foreign)
        self.driver.execute_script(SUBMIT, PLAN["origin"] + PLAN["target"])
        self.wait(PLAN["origin"])
        return {"text": self.shown()}

    def WebSockets(self):
        """The first message of a WebSocket of the page, and of foreign pages."""
        told = {"own": self.open_socket(PLAN["origin"] + PLAN["page"])}
        return {**told, "foreign": self.open_socket(PLAN["foreign"]), "neighbour": self.open_socket(PLAN["neighbour"])}

    def open_socket(self, page):
        self.driver.get(page)
        place = PLAN["origin"].replace("https:", "wss:") + "/live"
        return self.driver.execute_async_script(SOCKET, place)["message"]

    def link_of_another_site(self):
        self.driver.get(PLAN["foreign"])
        self.driver.execute_script(FOLLOW, PLAN["origin"] + PLAN["page"])
        self.wait(PLAN["origin"], PLAN["issuer"])
        return self.page()

    def open_the_page(self):
        self.driver.get(PLAN["origin"] + PLAN["page"])
        return self.page()

    def shown(self):
        """The text of the page, once there is one."""
        end = time.monotonic() + 10
        while time.monotonic() < end:
            try:
                if text := self.driver.find_element("css selector", "body").text.strip():
                    return text
            except WebDriverException as error:
                print("looking again:", str(error).splitlines()[0])
            time.sleep(0.05)
        return ""


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    driver, _ = started(importlib.import_module(sys.argv[1]).engine, OPTIONS)
    try:
        driver.set_script_timeout(20)
        steps.play(Journey(driver))
    finally:
        driver.quit()


main()
