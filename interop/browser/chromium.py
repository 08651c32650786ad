#!/usr/bin/env python3
"""Opens an authorization URL in Debian's Chromium, without a window, and signs in there."""

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from visitor import main

ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",  # Chromium refuses to run as root with it
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--password-store=basic",
    "--window-size=900,800",
)


def engine(options):
    chosen = webdriver.ChromeOptions()
    chosen.binary_location = "/usr/bin/chromium"
    for argument in ARGUMENTS:
        chosen.add_argument(argument)
    chosen.accept_insecure_certs = options.any_certificate
    chosen.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=chosen, service=Service("/usr/bin/chromedriver"))
    if options.no_scripts:
        driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    return driver, complaints


def complaints(driver):
    """Errors in the console: scripts, resources that did not load, and what a content security policy forbade."""
    errors = [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
    # Chromium asks every site for this picture; not to have one is no fault.
    return [f"console: {error}" for error in errors if "/favicon.ico" not in error]


if __name__ == "__main__":
    main(engine)
