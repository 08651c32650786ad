"""Chromium for programs that look at pages, and the judgment of axe-core (PyPI) about the page that it shows."""

import atexit
import importlib.util
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

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
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
    driver.set_script_timeout(30)
    atexit.register(driver.quit)
    return driver


def judged(driver):
    """The heading of the page, and what axe-core finds on it in light and in dark."""
    found = []
    for scheme in ("light", "dark"):
        feature = {"name": "prefers-color-scheme", "value": scheme}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        driver.execute_script(AXE)
        found += [f"{scheme}: {words}" for words in driver.execute_async_script(RUN, RULES)]
    return {"heading": driver.find_element(By.TAG_NAME, "h1").text, "found": found}
