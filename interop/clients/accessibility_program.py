"""The provider's pages in Chromium, judged by axe-core (PyPI), in light and in dark. Its plan stands in `INTEROP_PLAN`.

Each step opens a page, or goes on from the one before, and tells what axe-core finds.
"""

import base64
import hashlib
import hmac
import json
import os
import struct
import time
import urllib.request
from urllib.parse import urlencode

from selenium.webdriver.common.by import By

import chromium_pages
from steps import play

PLAN = json.loads(os.environ["INTEROP_PLAN"])
ISSUER = PLAN["issuer"]


def code(secret):
    """The one-time password of this moment (RFC 6238)."""
    counter = struct.pack(">Q", int(time.time()) // 30)
    digest = hmac.new(base64.b32decode(secret), counter, hashlib.sha1).digest()
    offset = digest[-1] & 15
    return f"{(int.from_bytes(digest[offset:offset + 4]) & 0x7FFFFFFF) % 10**6:06}"


class Journey:
    def __init__(self):
        self.driver = chromium_pages.chromium()

    def judged(self):
        return chromium_pages.judged(self.driver)

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

    def account_chooser_of_a_device(self):
        return self.pressed("Continue")

    def device_consent_page(self):
        self.driver.find_element(By.NAME, "account").click()
        return self.judged()

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
