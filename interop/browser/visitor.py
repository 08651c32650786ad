"""A person in front of a real engine: reads the pages, signs in, consents, and waits for the last page.

Both engines are driven through WebDriver, so this is written once. Run `chromium.py` or `webkitgtk.py`.
"""

import argparse
import contextlib
import json
import os
import re
import sys
import time
import traceback
from pathlib import Path
from urllib.parse import urlsplit

from selenium.common.exceptions import InvalidSessionIdException, WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

GOES_ON = re.compile(r"\b(allow|accept|approve|agree|authori[sz]e|confirm|consent|continue|grant|yes)\b", re.IGNORECASE)
REFUSES = re.compile(r"\b(deny|cancel|decline|reject|refuse|not now|no)\b", re.IGNORECASE)
OTHER = re.compile(r"\b(log ?out|sign ?out|forgot|register|switch|another)\b", re.IGNORECASE)
LAST_PAGE = re.compile(r"\bclose (this|the) (browser|page|tab|window)\b", re.IGNORECASE)


class Trouble(Exception):
    pass


def main(engine):
    """`engine(options)` opens a driver and gives it with a function that lists what its console complained about."""
    options = arguments()
    try:
        problems = tour(engine, options)
    except Trouble as trouble:
        problems = [str(trouble)]
    except Exception:
        problems = [traceback.format_exc()]
    for problem in problems:
        print(problem)
    if options.report:
        unfinished = options.report.with_suffix(".part")
        unfinished.write_text(json.dumps({"problems": problems}))
        unfinished.rename(options.report)
    sys.exit(1 if problems else 0)


def tour(engine, options):
    driver, complaints = started(engine, options)
    try:
        problems = Visitor(driver, options).visit(options.url)
        return problems if options.foreign else problems + complaints(driver)
    finally:
        with contextlib.suppress(WebDriverException):
            driver.quit()


def started(engine, options):
    """An engine that has shown its first empty page. On a busy machine one start in many fails: try again then."""
    for _ in range(2):
        driver, complaints = engine(options)
        try:
            driver.get("about:blank")
            return driver, complaints
        except WebDriverException as error:
            print("starting again:", str(error).splitlines()[0])
            with contextlib.suppress(WebDriverException):
                driver.quit()
    raise Trouble("the engine does not start")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="the authorization URL, or one that leads there")
    parser.add_argument("--report", type=Path, help="write what went wrong to this file, as JSON")
    parser.add_argument("--screenshots", type=Path, help="save pictures of the pages in this folder")
    parser.add_argument("--keyboard", action="store_true", help="use Tab and Enter only")
    parser.add_argument("--no-scripts", action="store_true", help="turn scripting off (Chromium)")
    parser.add_argument("--deny", action="store_true", help="refuse consent")
    parser.add_argument("--foreign", action="store_true", help="the pages are not ours: do not judge them")
    parser.add_argument("--any-certificate", action="store_true", help="accept certificates that nobody vouches for")
    parser.add_argument("--patience", type=float, default=35, help="seconds until giving up")
    return parser.parse_args()


class Visitor:
    def __init__(self, driver, options):
        self.driver, self.options = driver, options
        self.name = os.environ["OSTIARY_PERSON_NAME"]
        self.password = os.environ["OSTIARY_PERSON_PASSWORD"]
        self.problems = []
        self.seen = set()

    def visit(self, url):
        """Goes from the first URL to the last page; gives back what is wrong with the pages."""
        self.driver.get(url)
        # The command line opens an address of its own, which leads to the provider at once.
        self.home = urlsplit(self.driver.current_url)[:2]
        end = time.monotonic() + self.options.patience
        while time.monotonic() < end:
            try:
                if self.arrived():
                    return self.problems
                self.act()
            except InvalidSessionIdException:
                raise
            except WebDriverException as error:
                # The page changed under the hands of the person: look again.
                print("looking again:", str(error).splitlines()[0])
            time.sleep(0.15)
        self.picture("stuck")
        text = " ".join(self.text().split())
        raise Trouble(f"the last page was not reached; at {self.place()} the page says: {text[:400]}")

    def arrived(self):
        if urlsplit(self.driver.current_url)[:2] == self.home or not LAST_PAGE.search(self.text()):
            return False
        self.look_at("done")
        if "consent" not in self.seen and not self.options.foreign:
            self.problems.append("nobody asked for consent")
        return True

    def act(self):
        """Does the next thing that this page asks for."""
        if urlsplit(self.driver.current_url)[:2] != self.home:
            return
        passwords = self.visible("input[type=password]")
        if passwords and not passwords[0].get_attribute("value"):
            if "submitted" in self.seen and not self.options.foreign:
                raise Trouble("the sign-in form came back: " + " ".join(self.text().split())[:300])
            self.look_at("login")
            self.fill(passwords[0])
            self.seen.add("submitted")
        elif button := self.choice():
            self.look_at("consent")
            self.press(button)

    def fill(self, password):
        names = [
            field
            for field in self.visible("input")
            if field.get_attribute("type") in ("text", "email") and field.is_enabled()
        ]
        if not names:
            raise Trouble("a field for the password, but none for the name")
        self.type(names[0], self.name)
        self.type(password, self.password)
        ActionChains(self.driver).send_keys(Keys.ENTER).perform()
        time.sleep(0.3)

    def type(self, field, text):
        if self.options.keyboard:
            self.tab_to(field)
        else:
            field.click()
        if field.get_attribute("value"):
            field.clear()
        ActionChains(self.driver).send_keys(text).perform()

    def press(self, button):
        if self.options.keyboard:
            self.tab_to(button)
            ActionChains(self.driver).send_keys(Keys.ENTER).perform()
        else:
            button.click()
        time.sleep(0.3)

    def tab_to(self, element):
        for _ in range(30):
            if self.driver.switch_to.active_element == element:
                return
            ActionChains(self.driver).send_keys(Keys.TAB).perform()
        raise Trouble("Tab does not reach " + (element.get_attribute("name") or element.text or element.tag_name))

    def choice(self):
        """The button that leads on, or with `--deny` the one that refuses."""
        buttons = [
            (button, " ".join(filter(None, (button.text, button.get_attribute("value")))))
            for button in self.visible("button, input[type=submit]")
            if button.is_enabled()
        ]
        if self.options.deny:
            return next((button for button, words in buttons if REFUSES.search(words)), None)
        fitting = [
            (button, words) for button, words in buttons if not REFUSES.search(words) and not OTHER.search(words)
        ]
        named = [button for button, words in fitting if GOES_ON.search(words)]
        if named:
            return named[0]
        submits = [button for button, _ in fitting if button.get_attribute("type") == "submit"]
        return submits[0] if submits and not self.options.foreign else None

    def look_at(self, page):
        """Takes a picture of a page the first time it is seen, and checks what everybody needs from it."""
        if page in self.seen:
            return
        self.seen.add(page)
        self.picture(page)
        if self.options.foreign:
            return
        if not self.driver.title.strip():
            self.problems.append(f"{page}: the page has no title")
        if not self.driver.find_element(By.TAG_NAME, "html").get_attribute("lang"):
            self.problems.append(f"{page}: the page does not say its language")
        for field in self.visible("input, select, textarea"):
            if field.get_attribute("type") not in ("submit", "button", "hidden") and not self.label(field):
                self.problems.append(f"{page}: no label for the field {field.get_attribute('name')}")
        for kind, wanted in (("text", "username"), ("email", "username"), ("password", "current-password")):
            for field in self.visible(f"input[type={kind}]"):
                if wanted not in (field.get_attribute("autocomplete") or ""):
                    self.problems.append(f"{page}: the {kind} field has no autocomplete={wanted}")

    def label(self, field):
        if field.get_attribute("aria-label") or field.get_attribute("aria-labelledby"):
            return True
        identifier = field.get_attribute("id")
        labels = self.driver.find_elements(By.CSS_SELECTOR, f"label[for='{identifier}']") if identifier else []
        around = field.find_elements(By.XPATH, "ancestor::label")
        return any(label.text.strip() for label in labels + around)

    def visible(self, selector):
        return [element for element in self.driver.find_elements(By.CSS_SELECTOR, selector) if element.is_displayed()]

    def text(self):
        return self.driver.find_element(By.TAG_NAME, "body").text

    def place(self):
        return self.driver.current_url.split("?")[0]

    def picture(self, page):
        if self.options.screenshots:
            self.options.screenshots.mkdir(parents=True, exist_ok=True)
            self.driver.save_screenshot(str(self.options.screenshots / f"{page}.png"))
