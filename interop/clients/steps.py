"""The program's side of a conversation with the harness; harness/conversation.py says what goes over the line."""

import json
import sys
import traceback

OUTPUT, sys.stdout = sys.stdout, sys.stderr


def say(**words):
    OUTPUT.write(json.dumps(words) + "\n")
    OUTPUT.flush()


def heard():
    return json.loads(sys.stdin.readline())


def visited(url):
    """The address that the provider sends the user's browser to after a visit to `url`."""
    say(visit=url)
    return heard()["redirect"]


def allowed(url):
    """Has the user let a device in at `url`."""
    say(allow=url)
    heard()


def play(journey):
    """Takes the steps that the harness names: methods of `journey` that return facts."""
    for line in sys.stdin:
        name = json.loads(line)["step"].replace(" ", "_").replace("-", "_")
        try:
            told = getattr(journey, name)()
        except Exception as error:
            traceback.print_exc()
            say(error=f"{type(error).__name__}: {error}")
        else:
            say(told=told)
