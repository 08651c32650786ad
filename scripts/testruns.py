"""Runs of the tests, for the scripts that make mistakes."""

import os
import pathlib
import re
import selectors
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
DECLARED = re.compile(r'@Test\(\s*"((?:[^"\\\n]|\\.)*)".*?\bfunc\s+(\w+)', re.S)


def lines(command, deadline, **options):
    """What a program prints, line by line, until the deadline; its status comes last, None when it had to be stopped."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True, **options
    )
    end = time.monotonic() + deadline
    rest = b""
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                if not selector.select(max(0, end - time.monotonic())):
                    yield None
                    return
                part = os.read(process.stdout.fileno(), 65_536)
                if not part:
                    break
                *whole, rest = (rest + part).split(b"\n")
                for line in whole:
                    yield COLOUR.sub("", line.decode(errors="replace"))
        yield process.wait()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, 9)
            process.wait()


def functions():
    """The function of every test, by the test's name."""
    found = {}
    for source in sorted((ROOT / "Tests").rglob("*.swift")):
        for name, function in DECLARED.findall(source.read_text(encoding="utf-8")):
            found[name.replace('\\"', '"')] = function
    return found
