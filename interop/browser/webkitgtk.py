#!/usr/bin/env python3
"""Opens an authorization URL in WebKitGTK, Safari's engine, and signs in there. Needs a display: `xvfb-run`."""

import glob

from selenium import webdriver
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service
from visitor import Trouble, main


def engine(options):
    if options.no_scripts:
        raise Trouble("only Chromium can be driven with scripts turned off")
    browsers = glob.glob("/usr/lib/*/webkit2gtk-4.1/MiniBrowser")
    if not browsers:
        raise Trouble("MiniBrowser is missing: install libwebkit2gtk-4.1-0")
    chosen = Options()
    chosen.binary_location = browsers[0]
    chosen.add_argument("--automation")
    chosen.accept_insecure_certs = options.any_certificate
    return webdriver.WebKitGTK(options=chosen, service=Service("/usr/bin/WebKitWebDriver")), complaints


def complaints(_):
    """Always none: a driven WebKitGTK is a private window, and those write no console."""
    return []


if __name__ == "__main__":
    main(engine)
