"""A user with a passkey at the provider's pages, in Chromium with its virtual authenticator. Plan: `INTEROP_PLAN`.

The script of the pages runs under their own content security policy; what the browser complained about fails a step.
"""

import base64
import hashlib
import json
import os
import time
import urllib.request
from urllib.parse import parse_qs, urlencode, urlsplit

from selenium.webdriver.common.by import By

import chromium_pages
from steps import play

PLAN = json.loads(os.environ["INTEROP_PLAN"])
ISSUER = PLAN["issuer"]
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
NO_AUTOFILL = "if (window.PublicKeyCredential) PublicKeyCredential.isConditionalMediationAvailable = async () => false"


class Journey:
    def __init__(self):
        self.driver = chromium_pages.chromium()
        self.cdp("WebAuthn.enable", enableUI=False)
        options = {
            "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": True,
        }
        self.authenticator = self.cdp("WebAuthn.addVirtualAuthenticator", options=options)["authenticatorId"]
        self.without_autofill = None

    def cdp(self, command, **parameters):
        return self.driver.execute_cdp_cmd(command, parameters)

    def credentials(self):
        return self.cdp("WebAuthn.getCredentials", authenticatorId=self.authenticator)["credentials"]

    def autofill(self, is_on):
        """Without autofill a press of the button is the only way; with it the virtual authenticator chooses at once."""
        if is_on and self.without_autofill:
            self.cdp("Page.removeScriptToEvaluateOnNewDocument", identifier=self.without_autofill)
            self.without_autofill = None
        elif not is_on and not self.without_autofill:
            told = self.cdp("Page.addScriptToEvaluateOnNewDocument", source=NO_AUTOFILL)
            self.without_autofill = told["identifier"]

    def text(self):
        return self.driver.find_element(By.TAG_NAME, "main").text

    def until(self, condition):
        """What the condition tells once it tells something; the page may change while it looks."""
        end = time.monotonic() + 15
        while time.monotonic() < end:
            try:
                if told := condition():
                    return told
            except Exception as error:
                print("looking again:", str(error).splitlines()[0])
            time.sleep(0.05)
        raise TimeoutError(f"at {self.driver.current_url.split('?')[0]}: {self.text()[:300]}")

    def press(self, text):
        buttons = self.driver.find_elements(By.TAG_NAME, "button")
        next(button for button in buttons if button.text == text).click()

    def typed(self, password):
        name = self.driver.find_element(By.ID, "name")
        name.clear()
        name.send_keys(PLAN["name"])
        self.driver.find_element(By.ID, "password").send_keys(password)
        self.press("Sign in")

    def complaints(self):
        """A navigation to the client's port, where nobody listens, is none; neither is a picture that no page has."""
        lines = [line["message"] for line in self.driver.get_log("browser") if line["level"] == "SEVERE"]
        return [line for line in lines if "/favicon.ico" not in line and not line.startswith(PLAN["callback"])]

    def listed(self):
        return [line.text for line in self.driver.find_elements(By.CSS_SELECTOR, ".passkeys li > span")]

    def authorization(self):
        # WebDriver deletes the cookies of the page at hand alone, which may be the client's.
        self.cdp("Network.clearBrowserCookies")
        challenge = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
        parameters = {
            "response_type": "code", "client_id": PLAN["client"], "redirect_uri": PLAN["callback"], "state": "s",
            "scope": "openid", "code_challenge": challenge, "code_challenge_method": "S256",
        }
        self.driver.get(f"{ISSUER}/authorize?{urlencode(parameters)}")

    def arrived(self):
        """The claims about the sign-in in the ID token, once the browser is at the client."""
        url = self.until(lambda: self.address().startswith(PLAN["callback"]) and self.address())
        form = {
            "grant_type": "authorization_code", "code": parse_qs(urlsplit(url).query)["code"][0],
            "redirect_uri": PLAN["callback"], "client_id": PLAN["client"], "code_verifier": VERIFIER,
        }
        # The provider is known by the name of its issuer alone, and listens on this machine's IPv4 address.
        with urllib.request.urlopen(ISSUER + "/token", urlencode(form).encode(), timeout=20) as answer:
            payload = json.load(answer)["id_token"].split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
        return {name: claims[name] for name in ("sub", "amr", "acr")} | {"complaints": self.complaints()}

    def address(self):
        # After a navigation that failed, the document's own address is that of the error page.
        return self.driver.execute_cdp_cmd("Page.getNavigationHistory", {})["entries"][-1]["url"]

    def add_a_passkey(self):
        self.driver.get(ISSUER + "/account")
        self.typed(PLAN["password"])
        self.until(lambda: "no passkey yet" in self.text())
        empty = chromium_pages.judged(self.driver)
        self.press("Add a passkey")
        listed = self.until(self.listed)
        found = empty["found"] + chromium_pages.judged(self.driver)["found"]
        return {"listed": len(listed), "kept": len(self.credentials()), "found": found, "complaints": self.complaints()}

    def add_it_again(self):
        self.press("Add a passkey")
        status = self.driver.find_element(By.ID, "passkey-status")
        return {"status": self.until(lambda: status.text), "listed": len(self.listed())}

    def sign_in_with_the_button(self):
        self.autofill(False)
        self.authorization()
        found = chromium_pages.judged(self.driver)["found"]
        self.press("Sign in with a passkey")
        return {"found": found, **self.arrived()}

    def sign_in_by_autofill(self):
        self.autofill(True)
        self.authorization()
        return self.arrived()

    def sign_in_without_being_verified(self):
        """The authenticator does not verify the user, so the browser has no response for the page."""
        self.autofill(False)
        self.cdp("WebAuthn.setUserVerified", authenticatorId=self.authenticator, isUserVerified=False)
        self.authorization()
        self.press("Sign in with a passkey")
        status = self.driver.find_element(By.ID, "passkey-status")
        told = {"status": self.until(lambda: status.text)}
        self.cdp("WebAuthn.setUserVerified", authenticatorId=self.authenticator, isUserVerified=True)
        return told

    def sign_in_with_a_copy(self):
        """The counter of a copy lags behind that of the passkey it was made of."""
        copy = {**self.credentials()[0], "signCount": 0}
        self.cdp("WebAuthn.clearCredentials", authenticatorId=self.authenticator)
        self.cdp("WebAuthn.addCredential", authenticatorId=self.authenticator, credential=copy)
        self.authorization()
        self.press("Sign in with a passkey")
        alert = self.until(lambda: self.driver.find_element(By.ID, "failure").text)
        self.cdp("WebAuthn.clearCredentials", authenticatorId=self.authenticator)
        self.cdp(
            "WebAuthn.addCredential", authenticatorId=self.authenticator, credential={**copy, "signCount": 1000}
        )
        return {"alert": alert}

    def remove_the_passkey(self):
        self.driver.get(ISSUER + "/account")
        self.until(lambda: self.driver.find_elements(By.ID, "password"))
        self.press("Sign in with a passkey")
        self.until(self.listed)
        self.press("Remove")
        self.until(lambda: "no passkey yet" in self.text())
        return {"listed": len(self.listed()), "kept": len(self.credentials())}

    def sign_in_with_the_removed_passkey(self):
        self.authorization()
        self.press("Sign in with a passkey")
        return {"alert": self.until(lambda: self.driver.find_element(By.ID, "failure").text)}


play(Journey())
