"""Programs that the other scripts run."""

import os
import re
import selectors
import subprocess
import time

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


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
