#!/usr/bin/env python3
"""The inspector of our own provider in a real engine: `inspector.py chromium` or `inspector.py webkitgtk`.

The steps come from the harness (clients/steps.py), and what they are about in `INTEROP_PLAN`. Meanwhile clients send
their requests from here.
"""

import argparse
import http.client
import importlib
import importlib.util
import json
import os
import signal
import sys
import time
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from visitor import started

sys.path.append(str(Path(__file__).resolve().parent.parent / "clients"))
import steps  # noqa: E402

PLAN = json.loads(os.environ["INTEROP_PLAN"])
ISSUER, CALLBACK, CLIENT = PLAN["issuer"], PLAN["callback"], PLAN["client"]
OPTIONS = argparse.Namespace(any_certificate=False, no_scripts=False)
VERIFIER, CHALLENGE = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
HOSTILE = """<img src=x onerror="document.title='broken'"><b>x</b>"""
# The package's own module would import Playwright; its file of axe-core is all that is needed.
AXE = Path(importlib.util.find_spec("axe_playwright_python").origin).with_name("axe.min.js").read_text()
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """
    const [rules, done] = arguments
    const found = result => [...result.violations, ...result.incomplete]
    const words = rule => `${rule.id} (${rule.help}): ${rule.nodes.map(node => node.html.slice(0, 120)).join(" ")}`
    axe.run({ runOnly: rules }).then(result => done(found(result).map(words)), error => done([String(error)]))
"""
EXPORT = """
    const [place, done] = arguments
    fetch(place).then(answer => answer.text()).then(done, error => done(String(error)))
"""
MANY = 10_000


class Client:
    """A client of the provider, over one connection."""

    def __init__(self):
        self.connection = http.client.HTTPConnection(urlsplit(ISSUER).netloc, timeout=20)

    def send(self, method, path, form=None, fields=None):
        headers = dict(fields or {})
        if form:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        body = urlencode(form) if form else None
        try:
            return self.answered(method, path, body, headers)
        except (http.client.RemoteDisconnected, ConnectionError):
            # The provider ends a connection that was idle for long.
            self.connection.close()
            return self.answered(method, path, body, headers)

    def answered(self, method, path, body, headers):
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        return response.status, response.headers, response.read()

    def authorize(self, client=CLIENT):
        """The code of a sign-in; none where the request is refused."""
        query = {
            "response_type": "code", "client_id": client, "redirect_uri": CALLBACK, "scope": "openid profile",
            "state": "s", "nonce": "n", "code_challenge": CHALLENGE, "code_challenge_method": "S256",
        }
        location = self.send("GET", "/authorize?" + urlencode(query))[1]["Location"]
        return parse_qs(urlsplit(location).query)["code"][0] if location else None

    def redeem(self, code):
        form = {
            "grant_type": "authorization_code", "client_id": CLIENT, "code": code, "redirect_uri": CALLBACK,
            "code_verifier": VERIFIER,
        }
        return self.send("POST", "/token", form)

    def user_info(self, token):
        return self.send("GET", "/userinfo", fields={"Authorization": f"Bearer {token}"})


class Journey:
    def __init__(self, driver, complaints):
        self.driver, self.complaints = driver, complaints
        self.client = Client()
        driver.set_window_size(1280, 1000)
        driver.set_script_timeout(60)

    def wait(self, condition, what):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            found = condition()
            if found:
                return found
            time.sleep(0.05)
        raise TimeoutError(f"{what}; the page says: {self.text('body')[:400]}")

    def text(self, selector):
        """The text of an element, read where it does not change under the hand."""
        return self.driver.execute_script(
            "return document.querySelector(arguments[0])?.innerText.replace(/\\s+/g, ' ').trim() ?? ''", selector
        )

    def texts(self, selector):
        return self.driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent.replace(/\\s+/g, ' ').trim())",
            selector,
        )

    def keys(self, *keys):
        actions = ActionChains(self.driver)
        for key in keys:
            actions.send_keys(key)
        actions.perform()

    def focus(self):
        return self.driver.execute_script("return document.activeElement.id || document.activeElement.className")

    def press(self, selector):
        self.driver.find_element(By.CSS_SELECTOR, selector).click()

    def messages(self, count):
        """The messages of the diagram, once there are so many."""
        self.wait(lambda: len(self.texts("#messages .arrow")) == count, f"the diagram has not {count} messages")
        return self.texts("#messages .arrow")

    def flows(self, heading):
        self.wait(lambda: self.text("#flows-title") == heading, f"the list is not {heading}")
        return heading

    def picture(self, name):
        folder = Path(PLAN["screenshots"])
        folder.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(folder / f"{name}.png"))

    def judged(self, name):
        """What axe-core finds; in Chromium in light and in dark."""
        found = []
        for scheme in PLAN["schemes"]:
            if len(PLAN["schemes"]) > 1:
                feature = {"name": "prefers-color-scheme", "value": scheme}
                self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
            # What lies under the names of the parties has no contrast to find.
            self.driver.execute_script("document.getElementById('right').scrollTop = 0")
            self.driver.execute_script(AXE)
            found += [f"{scheme}: {words}" for words in self.driver.execute_async_script(RUN, RULES)]
            self.picture(f"{name}-{scheme}")
        return found

    def open_the_page(self):
        self.driver.get(ISSUER + "/inspector")
        self.wait(lambda: self.text("#state") == "Live", "the page is not live")
        return {"heading": self.text("h1"), "flows": self.text("#flows-title"), "found": self.judged("empty")}

    def sign_in_while_the_page_looks_on(self):
        code = self.client.authorize()
        first = self.messages(3)
        token = json.loads(self.client.redeem(code)[2])["access_token"]
        second = self.messages(5)[3:]
        self.client.user_info(token)
        third = self.messages(7)[5:]
        secrets = [code, token, VERIFIER, CHALLENGE]
        source = self.driver.page_source
        return {
            "first": first, "second": second, "third": third, "parties": self.texts("#parties span"),
            "title": self.text("#title"), "leaks": [secret for secret in secrets if secret in source],
        }

    def explain_the_parameters(self):
        for button in self.driver.find_elements(By.CSS_SELECTOR, "#messages button.arrow"):
            button.click()
        rows = self.driver.execute_script(
            "return [...document.querySelectorAll('.details tbody tr')].map(row => [...row.cells].map(cell => cell.innerText))"
        )
        return {"verifier": next(row for row in rows if row[0] == "code_verifier"), "found": self.judged("sign-in")}

    def copy_as_curl(self):
        self.press("#messages li:nth-child(2) .copy")
        told = self.wait(lambda: self.text("#told"), "nothing was told")
        return {"copied": told.startswith(("Copied.", "The command is selected")), "command": self.texts(".details pre")[1]}

    def refuse_a_request(self):
        self.client.redeem("wrong")
        self.messages(2)
        told = self.texts("#messages .note p")
        return {"told": told[0], "found": self.judged("refused")}

    def show_hostile_values_as_text(self):
        self.client.authorize(HOSTILE)
        self.wait(lambda: HOSTILE in self.text("#title"), "the client is not shown")
        self.press("#messages button.arrow")
        images = self.driver.execute_script("return document.images.length + document.querySelectorAll('#right b b').length")
        return {"title": self.driver.title, "elements": images, "options": HOSTILE in self.texts("#client option")}

    def filter_the_flows(self):
        told = {"all": self.flows("Flows (4, 2 refused)")}
        self.press("#refused")
        told["refused"] = self.flows("Flows (2, 2 refused)")
        self.press("#refused")
        self.flows(told["all"])
        for name, value in (("client", CLIENT), ("user", "alice"), ("endpoint", "userinfo")):
            field = self.driver.find_element(By.ID, name)
            option = next(one for one in field.find_elements(By.TAG_NAME, "option") if one.text == value)
            option.click()
            changed = lambda: self.text("#flows-title") != told["all"] and self.text("#flows-title")  # noqa: E731
            told[name] = self.wait(changed, f"the filter {name} changes nothing")
            self.press("#filters button[type=reset]")
            self.flows("Flows (4, 2 refused)")
        return told

    def use_the_keyboard_alone(self):
        self.press("#flows-title")
        told = {}
        self.keys("/", "userinfo")
        told["searched"] = self.flows("Flows (1, 0 refused)")
        self.keys(Keys.ESCAPE)
        told["cleared"] = self.flows("Flows (4, 2 refused)")
        self.keys(Keys.ESCAPE)
        told["list"] = self.focus()
        self.keys(Keys.HOME, Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        told["chosen"] = self.text("#title")
        self.keys(Keys.ENTER, Keys.ARROW_DOWN, Keys.ENTER)
        active = self.driver.switch_to.active_element
        told["message"], told["expanded"] = active.text, active.get_attribute("aria-expanded")
        self.keys(Keys.ESCAPE)
        told["back"] = self.focus()
        return told

    def export_the_flow(self):
        told = {}
        for form in ("jsonl", "har", "mmd"):
            self.press(f"#exports button[data-form={form}]")
            told[form] = self.wait(lambda: self.text("#told") == f"Saved flows.{form}.", f"{form} is not saved")
        text = self.driver.execute_async_script(EXPORT, "inspector/export?form=mmd&flow=2")
        har = json.loads(self.driver.execute_async_script(EXPORT, "inspector/export?form=har"))
        return {**told, "diagram": text.splitlines()[:2], "entries": len(har["log"]["entries"])}

    def receive_a_quarter_of_ten_thousand_exchanges(self):
        statuses = {self.client.send("GET", "/jwks")[0] for _ in range(MANY // 4)}
        return {"statuses": sorted(statuses)}

    def show_ten_thousand_flows(self):
        self.flows(f"Flows ({MANY}, 0 refused)")
        counts, rows = [], []
        height = self.driver.execute_script("return document.getElementById('flows').scrollHeight")
        for share in (0.5, 0.25, 1, 0):
            top = self.driver.execute_async_script(
                "const [top, done] = arguments; const list = document.getElementById('flows'); list.scrollTop = top;"
                "setTimeout(() => done(list.scrollTop), 100)", share * height,
            )
            # A busy machine draws the rows later than the list has moved.
            first = WebDriverWait(self.driver, 10).until(lambda driver: driver.execute_script(
                "const list = document.getElementById('flows').getBoundingClientRect();"
                "return document.elementFromPoint(list.left + 20, list.top + 20)?.closest('.flow')?.getAttribute('aria-posinset')"
            ))
            row = self.driver.execute_script("return document.querySelector('.flow').offsetHeight")
            rows.append(abs(int(first) - 1 - top / row) <= 1)
            counts.append(self.driver.execute_script("return document.querySelectorAll('*').length"))
        self.keys("/", "no flow is like this")
        self.flows("Flows (0, 0 refused)")
        self.keys(Keys.ESCAPE)
        self.flows(f"Flows ({MANY}, 0 refused)")
        return {"nodes": max(counts) < 500, "rows": rows, "found": self.judged("many")}

    def look_at_the_console(self):
        return {"complaints": self.complaints(self.driver)}


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    driver, complaints = started(importlib.import_module(sys.argv[1]).engine, OPTIONS)
    try:
        steps.play(Journey(driver, complaints))
    finally:
        driver.quit()


main()
