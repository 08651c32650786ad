#!/usr/bin/env bash
# Comments say what a thing is in plain words: no doc comment opens with an interrogative, and each actor has a name.
# A test's name and a suite's stand alone in a log: each begins with its subject, and not with a pronoun or an interrogative.
# A text that a program or a library prints names its actor as well: it is a string of 18 characters and more with a space in it.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 - <<'PYTHON'
import pathlib
import re
import subprocess
import sys

OPENER = re.compile(
    r"(?:- [^:]*: )?((?:(?:For|With|At|By|In|On|To|From|Of|Under|Until|Since) )?"
    r"(?:what|whom?|whose|where|which|how|why)|(?:Until|Since) when)\b",
    re.IGNORECASE,
)
PHRASES = (
    r"somebody|nobody|whoever|anybody|everybody|persons?|one's"
    r"|buy|buys|bought|trade|trades|traded|trading|at hand"
    r"|(?:tell|tells) of|(?:is|are|was|were|be|been|being) told"
    r"|(?:is|are|was|were|be) good"
    r"|(?<!\bthere )(?:is|are|was|were) (?:none|no (?!longer|more|less|later|earlier|older|newer))"
)
WORDS = re.compile(rf"\b({PHRASES}|shown|showed|lasts)\b", re.IGNORECASE)
# The same in what a program prints, where a page may be shown. A question may begin with an interrogative.
STRING_WORDS = re.compile(rf"\b(?:{PHRASES})\b|, too(?=[.:;,!?]|$)", re.IGNORECASE)
STRING_OPENER = re.compile(r"(What|Whom?|Whose|Where|How|Why)\b(?![^.]*\?)")
# How a test's name begins when its subject is somewhere else, and words that name no actor.
NAME_OPENER = re.compile(
    r"(It|Its|They|Their|This|That|These|Those|One|Each|So|Such|Of|Another|Neither|Whatever|However"
    r"|What|Whom?|Whose|Whoever|How|Nobody|Somebody|Anybody|Everybody)\b"
)
NAME_WORDS = re.compile(
    r"\b(somebody|nobody|whoever|anybody|everybody|persons?|people|bought|traded?|told|at hand)\b|, too$", re.IGNORECASE
)
TEST = re.compile(r'@(?:Test|Suite)\(\s*"((?:[^"\\]|\\.)*)"')
COMMENT = re.compile(r"\s*(///?)(?: (.*))?$")
CODE = re.compile(r"`[^`]*`|^- Parameter \w+:|^- \w+:")
# An interpolation, with parentheses in it to the second level; a comment, a multi-line, raw or plain string.
VALUE = r'\\\((?:[^()"\n]|"(?:\\.|[^"\\\n])*"|\((?:[^()\n]|\([^()\n]*\))*\))*\)'
TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|(?P<lines>#*)"""(?P<long>.*?)"""(?P=lines)|(?P<raw>#+)"(?P<bare>.*?)"(?P=raw)'
    rf'|"(?P<plain>(?:{VALUE}|\\.|[^"\\\n])*)"',
    re.DOTALL,
)
INTERPOLATION = re.compile(VALUE)

failed = False
swift = subprocess.run(["git", "ls-files", "-z", "*.swift"], check=True, capture_output=True, text=True).stdout
for path in map(pathlib.Path, filter(None, swift.split("\0"))):
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    previous = ""  # what the line before ends with, so that a phrase is found across two lines
    begins = True
    for number, line in enumerate(text.splitlines(), 1):
        comment = COMMENT.match(line)
        if comment is None:
            previous, begins = "", True
            continue
        said = comment[2] or ""
        if comment[1] == "///" and said.startswith("    "):
            said = ""  # an example's code
        opener = OPENER.match(said.strip())
        if comment[1] == "///" and opener and (begins or said.lstrip().startswith("- ")):
            print(f'{path}:{number}: opens with "{opener[1]}"; begin with a noun phrase or a verb')
            failed = True
        joined = previous + " " + CODE.sub("`", said.strip())
        for word in WORDS.finditer(joined):
            if word.end() > len(previous):
                print(f'{path}:{number}: says "{word[0].strip()}"; name the actor, or use the verb of the RFC')
                failed = True
        previous = " ".join(CODE.sub("`", said.strip()).split()[-2:])
        begins = said == ""
    for token in TOKEN.finditer(text) if "Sources" in path.parts else ():
        string = token["long"] or token["bare"] or token["plain"] or ""
        if len(string) < 18 or " " not in string:
            continue
        where = f"{path}:{text.count(chr(10), 0, token.start()) + 1}"
        for paragraph in re.split(r"\n\s*\n", INTERPOLATION.sub("`", string)):
            said = CODE.sub("`", " ".join(paragraph.replace("\\n", " ").split()))
            opener = STRING_OPENER.match(said)
            if opener:
                print(f'{where}: the text begins with "{opener[1]}"; begin with a noun phrase or a verb')
                failed = True
            for word in STRING_WORDS.finditer(said):
                print(f'{where}: the text says "{word[0].strip()}"; name the actor, or use the verb of the RFC')
                failed = True
    for test in TEST.finditer(text):
        where = f"{path}:{text.count(chr(10), 0, test.start(1)) + 1}"
        opener = NAME_OPENER.match(test[1])
        if opener:
            print(f'{where}: the name begins with "{opener[1]}"; begin with its subject')
            failed = True
        for word in NAME_WORDS.finditer(test[1]):
            print(f'{where}: the name says "{word[0]}"; name the actor, or use the verb of the RFC')
            failed = True
if failed:
    sys.exit(1)
print("prose: ok")
PYTHON
