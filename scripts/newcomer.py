#!/usr/bin/env python3
"""Takes a newcomer's path from a clone to a signed-in program, and prints the time of each step.

    scripts/newcomer.py            a clone of the last commit, `make demo` in it, then the program of docs/getting-started.md

The program comes from the page of that commit. Its manifest and its source go to an empty folder; only the URL of the package
becomes the path of the clone. The program is built, and signs in at `ostiary idp serve`; its browser is a script that fills in
the form. It runs twice: the second run has to find the session of the first. On a machine that has built Ostiary before, SwiftPM
takes packages from its cache, and the first steps are shorter than on a fresh one.
"""
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BROWSER = '''#!/usr/bin/env python3
import html.parser, sys, urllib.parse, urllib.request
from http.cookiejar import CookieJar

class Form(html.parser.HTMLParser):
    action, fields = None, {}
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form" and self.action is None:
            self.action = attributes["action"]
        if tag in ("input", "button") and attributes.get("name"):
            self.fields.setdefault(attributes["name"], attributes.get("value") or "")

opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(CookieJar()))
answer = opener.open(sys.argv[1], timeout=60)
for _ in range(5):
    form = Form()
    form.fields = {}
    form.feed(answer.read().decode())
    if form.action is None:
        break
    form.fields.update({name: value for name, value in (("username", "alice"), ("password", "newcomer")) if name in form.fields})
    answer = opener.open(urllib.parse.urljoin(answer.url, form.action), urllib.parse.urlencode(form.fields).encode(), timeout=60)
print(answer.status)
'''


class Watch:
    def __init__(self):
        self.parts = []

    def part(self, name, *command, **options):
        begun, before = time.monotonic(), os.times()
        done = subprocess.run([str(part) for part in command], text=True, capture_output=True, **options)
        after = os.times()
        processor = after.children_user + after.children_system - before.children_user - before.children_system
        if done.returncode:
            sys.exit(f"{name} failed with status {done.returncode}:\n{(done.stdout + done.stderr)[-3000:]}")
        self.parts.append((name, time.monotonic() - begun, processor))
        print(f"{name}: {self.parts[-1][1]:.1f} s, {processor:.0f} s of processor time", flush=True)
        return done.stdout

    def wait(self, name, condition, seconds):
        """Waits for a condition, and counts the time."""
        begun = time.monotonic()
        while not condition() and time.monotonic() - begun < seconds:
            time.sleep(0.1)
        self.parts.append((name, time.monotonic() - begun, 0))
        print(f"{name}: {self.parts[-1][1]:.1f} s", flush=True)


def blocks(checkout):
    """The named files of the page."""
    page = (checkout / "docs/getting-started.md").read_text()
    return dict(re.findall(r"^```swift\n// ([\w.]+)\n(.*?)^```$", page, re.M | re.S))


def main():
    watch = Watch()
    with tempfile.TemporaryDirectory(prefix="newcomer-") as folder:
        work = Path(folder)
        clone, hello = work / "ostiary", work / "hello"
        watch.part("git clone", "git", "clone", "-q", ROOT, clone)
        watch.part("make demo", "make", "-C", clone, "demo")
        files = blocks(clone)
        (hello / "Sources/hello").mkdir(parents=True)
        manifest = files["Package.swift"]
        local = re.sub(r'\.package\(url: "[^"]+", branch: "main"\)', f'.package(path: "{clone}")', manifest)
        if local == manifest:
            sys.exit("The page's manifest does not depend on the package as expected: url: and branch: \"main\".")
        (hello / "Package.swift").write_text(local)
        (hello / "Sources/hello/hello.swift").write_text(files["hello.swift"])
        lines = sum(bool(line.strip()) and not line.strip().startswith("//") for line in files["hello.swift"].splitlines())
        print(f"the page's program: {lines} lines of code", flush=True)
        watch.part("swift build of the page's program", "swift", "build", "--package-path", hello)
        browser = work / "browser"
        browser.write_text(BROWSER)
        browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
        (work / "password").write_text("newcomer")
        ready = work / "ready"
        provider = subprocess.Popen(
            [clone / "Tools/.build/debug/ostiary", "idp", "serve", "--password-file", work / "password", "--ready-file", ready],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        try:
            watch.wait("ostiary idp serve is ready", lambda: ready.exists() or provider.poll() is not None, 60)
            if not ready.exists() or json.loads(ready.read_text())["issuer"] != "http://127.0.0.1:4455":
                sys.exit("idp serve does not listen at the address that the page names.")
            environment = {**os.environ, "BROWSER": str(browser), "HOME": str(work), "XDG_STATE_HOME": str(work / "state")}
            environment.pop("DBUS_SESSION_BUS_ADDRESS", None)
            program = hello / ".build/debug/hello"
            said = watch.part("first run: the browser opens", program, env=environment, timeout=120)
            if not re.search(r"^Signed in as (?!an unknown user)", said, re.M):
                sys.exit(f"The program did not sign in: {said}")
            environment["BROWSER"] = "/bin/false"
            if watch.part("second run: the session is found", program, env=environment, timeout=120) != said:
                sys.exit("The second run is not signed in as the first was.")
        finally:
            provider.terminate()
            provider.wait(30)
    print(f"newcomer: signed in after {sum(seconds for _, seconds, _ in watch.parts):.0f} s")


main()
