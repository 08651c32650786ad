"""The provider's pages in Chromium, judged by axe-core (PyPI), in light and in dark. Its plan stands in `INTEROP_PLAN`.

Each step opens a page, or goes on from the one before, and tells what axe-core finds.
"""

import atexit
import base64
import hashlib
import hmac
import importlib.util
import json
import os
import struct
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlencode

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from steps import play

PLAN = json.loads(os.environ["INTEROP_PLAN"])
ISSUER = PLAN["issuer"]
ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=900,800")
# The package's own module would import Playwright; its file of axe-core is all that is needed.
AXE = Path(importlib.util.find_spec("axe_playwright_python").origin).with_name("axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """
    const [rules, done] = arguments
    const found = result => [...result.violations, ...result.incomplete]
    const words = rule => `${rule.id} (${rule.help}): ${rule.nodes.map(node => node.html.slice(0, 120)).join(" ")}`
    axe.run({ runOnly: rules }).then(result => done(found(result).map(words)), error => done([String(error)]))
"""


def chromium():
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in ARGUMENTS:
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver.set_script_timeout(30)
    atexit.register(driver.quit)
    return driver


def code(secret):
    """The one-time password of this moment (RFC 6238)."""
    counter = struct.pack(">Q", int(time.time()) // 30)
    digest = hmac.new(base64.b32decode(secret), counter, hashlib.sha1).digest()
    offset = digest[-1] & 15
    return f"{(int.from_bytes(digest[offset:offset + 4]) & 0x7FFFFFFF) % 10**6:06}"


class Journey:
    def __init__(self):
        self.driver = chromium()

    def judged(self):
        found = []
        for scheme in ("light", "dark"):
            feature = {"name": "prefers-color-scheme", "value": scheme}
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
            self.driver.execute_script(AXE)
            found += [f"{scheme}: {words}" for words in self.driver.execute_async_script(RUN, RULES)]
        heading = self.driver.find_element(By.TAG_NAME, "h1").text
        return {"heading": heading, "found": found}

    def opened(self, path, issuer=ISSUER):
        self.driver.get(issuer + path)
        return self.judged()

    def pressed(self, text):
        buttons = self.driver.find_elements(By.TAG_NAME, "button")
        next(button for button in buttons if button.text == text).click()
        return self.judged()

    def authorization(self, client, callback, **more):
        parameters = {
            "response_type": "code", "client_id": client, "redirect_uri": callback, "state": "of this run",
            "scope": "openid profile email", "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
            "code_challenge_method": "S256", **more,
        }
        return "/authorize?" + urlencode(parameters)

    def typed(self, password):
        name = self.driver.find_element(By.ID, "name")
        name.clear()
        name.send_keys(PLAN["name"])
        self.driver.find_element(By.ID, "password").send_keys(password)
        return self.pressed("Sign in")

    def front_page(self):
        return self.opened("/")

    def error_page(self):
        return self.opened("/nothing")

    def error_page_with_a_reason(self):
        return self.opened("/authorize?client_id=unknown")

    def sign_in_page(self):
        return self.opened(self.authorization(PLAN["client"], PLAN["callback"]))

    def sign_in_page_after_a_wrong_password(self):
        return self.typed("wrong")

    def page_of_the_one_time_password(self):
        return self.typed(PLAN["password"])

    def page_after_a_wrong_one_time_password(self):
        self.driver.find_element(By.ID, "one-time-password").send_keys("000000")
        return self.pressed("Continue")

    def consent_page(self):
        self.driver.find_element(By.ID, "one-time-password").send_keys(code(PLAN["secret"]))
        return self.pressed("Continue")

    def page_that_posts_the_answer(self):
        self.driver.get(ISSUER + self.authorization(PLAN["client"], PLAN["callback"], response_mode="form_post"))
        return self.pressed("Allow")

    def sign_in_page_in_another_language(self):
        more = {"ui_locales": "ja", "prompt": "login"}
        return self.opened(self.authorization(PLAN["client"], PLAN["callback"], **more))

    def error_page_in_another_language(self):
        return self.opened("/authorize?client_id=unknown&ui_locales=de")

    def account_chooser(self):
        return self.opened(self.authorization(PLAN["client"], PLAN["callback"], prompt="select_account"))

    def device_page(self):
        return self.opened("/device")

    def device_page_after_a_wrong_code(self):
        self.driver.find_element(By.ID, "code").send_keys("BBBB-BBBB")
        return self.pressed("Continue")

    def device_page_with_the_code(self):
        form = urlencode({"client_id": PLAN["device"], "scope": "openid profile"}).encode()
        with urllib.request.urlopen(ISSUER + "/device_authorization", form, timeout=20) as answer:
            self.driver.get(json.load(answer)["verification_uri_complete"])
        return self.judged()

    def device_consent_page(self):
        return self.pressed("Continue")

    def device_page_at_the_end(self):
        return self.pressed("Allow")

    def sign_out_page(self):
        return self.opened("/end-session")

    def page_after_the_sign_out(self):
        return self.pressed("Sign out")

    def sign_in_page_with_buttons(self):
        path = self.authorization("ostiary-demo", "http://127.0.0.1/callback")
        return self.opened(path, PLAN["buttons"])


play(Journey())
