#!/usr/bin/env python3
"""Opens an authorization URL in WebKitGTK, Safari's engine, and signs in there. Needs a display: `xvfb-run`."""

import glob
import re
import tempfile
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service
from visitor import Trouble, main

CONSOLE = re.compile(r"CONSOLE .*(ERROR|refused|security policy)", re.IGNORECASE)


def engine(options):
    if options.no_scripts:
        raise Trouble("WebKitGTK is driven by scripts here; use Chromium to turn them off")
    browsers = glob.glob("/usr/lib/*/webkit2gtk-4.1/MiniBrowser")
    if not browsers:
        raise Trouble("MiniBrowser is missing")
    chosen = Options()
    chosen.binary_location = browsers[0]
    chosen.add_argument("--automation")
    chosen.add_argument("--enable-write-console-messages-to-stdout=true")
    folder = tempfile.TemporaryDirectory()
    log = Path(folder.name) / "console.log"
    driver = webdriver.WebKitGTK(options=chosen, service=Service("/usr/bin/WebKitWebDriver", log_output=str(log)))

    def complaints(_):
        """The engine writes its console to the standard output of the browser."""
        with folder:
            lines = log.read_text(errors="replace").splitlines()
        return [f"console: {line}" for line in lines if CONSOLE.search(line)]

    return driver, complaints


if __name__ == "__main__":
    main(engine)
