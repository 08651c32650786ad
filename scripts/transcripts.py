#!/usr/bin/env python3
"""Makes docs/transcripts.md: each command of `ostiary` at work and failing, run at providers on this machine.

    scripts/transcripts.py          compares the page with a run
    scripts/transcripts.py --write  writes it

OSTIARY names the program; by default it is the one that `swift build --package-path Tools` makes. Times, ports and random values are
replaced by fixed ones, so that each run makes the same page. A command without a transcript, or without one that fails, is a problem.
"""
import calendar
import codecs
import difflib
import json
import math
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/transcripts.md"
PROGRAM = Path(os.environ.get("OSTIARY", ROOT / "Tools/.build/debug/ostiary")).resolve()
HOME = "/home/alice"
# The ports that the page shows: the provider's, and those of the dialects from the second on.
PORTS = {"provider": 4455, "sso": 4456, "logi": 4457, "logto": 4458, "curity": 4459, "zephr": 4460, "ssafy": 4461, "closed": 4462}
NOON = 1_796_126_400  # 2026-12-01T12:00:00Z
# Commands that have nothing to fail at but their spelling.
UNFAILING = {"idp scenarios", "demo", "pkce"}
# Commands whose success needs what this page does not have: a browser, or the vendor's backend.
UNPROVEN = {"ssafy verify"}


class Refused(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Stage:
    """A home folder, the providers, and the page that grows."""

    def __init__(self, folder):
        self.folder = folder
        self.ports = {}
        self.processes = []
        self.lines = []
        self.shown = {}
        self.hosts = {}
        binaries = folder / "bin"
        binaries.mkdir()
        (binaries / "ostiary").symlink_to(PROGRAM)
        (folder / "alice").mkdir()
        self.variables = {
            "PATH": f"{binaries}:/usr/bin:/bin", "HOME": str(folder / "alice"), "LC_ALL": "C.UTF-8", "TERM": "dumb",
        }

    # The world of the transcripts.

    def file(self, name, text):
        path = self.folder / "alice" / name
        path.write_text(text)
        path.chmod(0o600)

    def serve(self, name, *arguments):
        """Starts a provider, and returns the object that it prints when it is ready."""
        process = subprocess.Popen(
            ["ostiary", "idp", "serve", "--port", "0", "--json", *arguments], env=self.variables, cwd=self.folder / "alice",
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        self.processes.append(process)
        ready = json.loads(process.stdout.readline())
        where = ready.get("issuer") or next(iter(ready["dialects"].values()))["origin"]
        self.ports[name] = int(re.search(r":(\d+)", where.removeprefix("http:")).group(1))
        return ready

    def real(self, text):
        """A text of the page with this run's ports."""
        real = {str(PORTS[name]): str(port) for name, port in self.ports.items()}
        # In one pass: a real port can begin with the digits of another one on the page.
        return re.sub(r"(?<=:)\d{4}\b|(?<=--port )\d{4}\b", lambda found: real.get(found.group(), found.group()), text)

    def end(self):
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(timeout=20)

    # The page.

    def section(self, title, text=""):
        self.lines += [""] * (not self.lines) + [f"## {title}", ""] + ([text, ""] if text else [])

    def shell(self, *commands, status=None):
        """Runs each command, and shows it with both outputs."""
        self.lines.append("```console")
        for command in commands:
            run = subprocess.run(
                ["bash", "-o", "pipefail", "-c", self.real(command)], env=self.variables, cwd=self.folder / "alice",
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
            )
            self.note(command, run.returncode)
            self.lines.append(f"$ {command}")
            self.lines += self.normal(run.stdout.decode()).rstrip("\n").split("\n") if run.stdout else []
            if run.returncode:
                self.lines.append(f"[exit status {run.returncode}]")
            if status is not None and run.returncode != status:
                raise SystemExit(f"transcripts: {command}: status {run.returncode}, not {status}\n{run.stdout.decode()}")
        self.lines += ["```", ""]

    def works(self, *commands):
        self.shell(*commands, status=0)

    def fails(self, status, *commands):
        self.shell(*commands, status=status)

    def terminal(self, command, answer, **variables):
        """Runs a command at a terminal of its own, with a user who reacts to what it prints."""
        process, terminal = pty.fork()
        if process == 0:
            os.chdir(self.folder / "alice")
            os.execvpe("bash", ["bash", "-c", "stty -echo cols 200; " + self.real(command)], self.variables | variables)
        text, answered, limit = "", 0, time.monotonic() + 60
        decoder = codecs.getincrementaldecoder("utf-8")()
        while True:
            if time.monotonic() >= limit:
                os.killpg(process, signal.SIGKILL)
                os.waitpid(process, 0)
                raise SystemExit(f"transcripts: {command}: no end after 60 seconds\n{text}")
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                data = os.read(terminal, 65536)
            except OSError:
                break
            if not data:
                break
            text += decoder.decode(data)
            while (line := text.find("\n", answered)) >= 0:
                typed = answer(text[answered:line].strip())
                answered = line + 1
                if typed:
                    os.write(terminal, (typed + "\n").encode())
                    text = text[:answered] + typed + "\n" + text[answered:]
                    answered += len(typed) + 1
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        os.close(terminal)
        self.note(command, status)
        self.lines += ["```console", f"$ {command}"]
        self.lines += self.normal(text.replace("\r", "")).rstrip("\n").split("\n")
        self.lines += [f"[exit status {status}]"] * (status != 0) + ["```", ""]
        return status

    def device(self, command):
        """Runs a sign-in on another device, whose user confirms the code on the page that the command prints."""
        process = subprocess.Popen(
            ["bash", "-c", self.real(command)], env=self.variables, cwd=self.folder / "alice", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        text, page = "", None
        for line in process.stdout:
            text += line
            if found := re.match(r"\s+page\s+(\S+)", line):
                page = found.group(1)
            elif found := re.match(r"\s+code\s+(\S+)", line):
                confirm(page, found.group(1))
        self.note(command, process.wait(timeout=60))
        self.lines += ["```console", f"$ {command}", *self.normal(text).rstrip("\n").split("\n"), "```", ""]

    def serving(self, command):
        """Runs a provider until it is ready, and stops it with Ctrl-C."""
        process = subprocess.Popen(
            ["bash", "-c", "exec " + self.real(command)], env=self.variables, cwd=self.folder / "alice", stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        lines = []
        while not lines or not lines[-1].startswith("  user"):
            lines.append(process.stdout.readline())
            if not lines[-1]:
                raise SystemExit(f"transcripts: {command}: ended with status {process.wait(timeout=20)}\n{''.join(lines)}")
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=20)
        self.note(command, process.returncode)
        text = "".join(lines) + rest
        self.lines += ["```console", f"$ {command}", *self.normal(text).rstrip("\n").split("\n"), "^C", "```", ""]

    def note(self, command, status):
        names = re.findall(r"\bostiary ((?:[a-z][a-z-]* ?)+)", command)
        # A pipe that fails is about its last command.
        for name in names[-1:] if status else names:
            self.shown.setdefault(name.strip(), []).append(status)

    def normal(self, text):
        """A run's output as it is in each run."""
        now = time.time()
        text = text.replace(str(self.folder / "alice"), HOME).replace(str(self.folder / "bin"), "/usr/bin")
        for name, port in self.ports.items():
            text = re.sub(rf"(?<=[:=\s]){port}\b", str(PORTS[name]), text)
            text = text.replace(f"%3A{port}", f"%3A{PORTS[name]}")
        known = "|".join(str(port) for port in PORTS.values())
        text = re.sub(rf"((?:127\.0\.0\.1|localhost)(?::|%3A))(?!(?:{known})\b|80\b)\d{{4,5}}\b", r"\g<1>49152", text)
        text = re.sub(
            r"\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", lambda found: self.moment(seconds_of(found.group()), now, stamp), text
        )
        text = re.sub(r"\b17\d{8}\b|\b18\d{8}\b", lambda found: str(self.moment(int(found.group()), now, int)), text)
        text = re.sub(r"\b(\d{3,}) (seconds)", lambda found: f"{whole_minutes(int(found.group(1)))} {found.group(2)}", text)
        text = re.sub(r'("expires_in":)(\d+)', lambda found: found.group(1) + str(whole_minutes(int(found.group(2)))), text)
        text = re.sub(r"\beyJ[\w-]+\.[\w-]+\.[\w-]*", "eyJ…", text)
        text = re.sub(r"\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b", "WDJB-MJHT", text)
        text = re.sub(r"(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{20,}(?![\w-])", "…", text)
        text = re.sub(r"\b[0-9a-f]{8}\b", "0a1b2c3d", text)
        text = re.sub(r"\b(?:[a-z0-9]{4}-){7}[a-z0-9]{4}\b", "…", text)
        text = re.sub(r"ask for 89\d at most", "ask for 899 at most", text)
        text = re.sub(r"\(\d+ ms\)", "(1 ms)", text)
        return text

    @staticmethod
    def moment(seconds, now, form):
        return form(NOON + whole_minutes(seconds - now))


def whole_minutes(seconds):
    """The next whole minute: a run takes less than one between a time and its output."""
    return math.ceil(seconds / 60) * 60


def seconds_of(text):
    return calendar.timegm(time.strptime(text, "%Y-%m-%dT%H:%M:%SZ"))


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def visit(url):
    """The redirect that a browser which is signed in at the issuer gets."""
    opener = urllib.request.build_opener(Refused)
    try:
        opener.open(url, timeout=20)
    except urllib.error.HTTPError as answer:
        return answer.headers["Location"]
    raise SystemExit(f"transcripts: no redirect from {url}")


def confirm(page, code):
    """Confirms a device's code as a signed-in user, on pages without scripts."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    url, fields = page, None
    for _ in range(5):
        origin = "/".join(url.split("/")[:3])
        request = urllib.request.Request(url, fields and urllib.parse.urlencode(fields).encode(), {"Origin": origin})
        with opener.open(request, timeout=20) as answer:
            url, html = answer.geturl(), answer.read().decode()
        form = re.search(r"<form\b(.*?)</form>", html, re.S)
        if not form:
            return
        action = re.search(r'action="([^"]*)"', form.group(1))
        url = urllib.parse.urljoin(url, action.group(1) if action else url)
        fields = {}
        for tag in re.findall(r"<(?:input|button)\b[^>]*>", form.group(1)):
            name, value = re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)
            if name and name.group(1) not in fields:
                fields[name.group(1)] = code if "user_code" in name.group(1) else value.group(1) if value else ""
    raise SystemExit("transcripts: the device's code could not be confirmed")


def prepare(stage):
    """Files, and the providers of the transcripts."""
    stage.file("password.txt", "correct horse battery staple\n")
    stage.file("wrong.txt", "wrong horse\n")
    stage.file("passphrase.txt", "a long passphrase of several words\n")
    stage.file("empty.txt", "")
    stage.file("client.sh", CLIENT)
    (stage.folder / "alice/client.sh").chmod(0o700)
    app = stage.folder / "alice/App"
    app.mkdir()
    (app / "SignIn.swift").write_text('let clientSecret = "GOCSPX-0123456789abcdefghijklmnopqr"\n')
    ready = stage.serve("provider", "--password-file", "password.txt")
    stage.file("secret.txt", ready["webClientSecret"] + "\n")
    stage.serve("sso", "--sign-in-as", "alice")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        stage.ports["closed"] = free.getsockname()[1]
    stage.users, stage.clients, stage.issuers = {}, {}, {}
    for system in ("logi", "logto", "curity", "zephr", "ssafy"):
        dialect = stage.serve(system, "--dialect", system, "--password-file", "password.txt")["dialects"][system]
        stage.users[system], stage.clients[system] = dialect["user"], dialect["clientID"]
        stage.issuers[system] = dialect["issuer"].replace(str(stage.ports[system]), str(PORTS[system]))


CLIENT = """\
#!/bin/sh
exec ostiary login --issuer "$PROBE_ISSUER" --client-id "$PROBE_CLIENT_ID" --client-secret-env PROBE_CLIENT_SECRET \\
    --redirect-uri "$PROBE_REDIRECT_URI" --store memory --timeout 20
"""


def sessions(stage):
    login = "ostiary login --issuer http://127.0.0.1:4455 --client-id ostiary-demo"
    user = "--user-agent http --http-user alice --http-password-file password.txt"
    stage.section(
        "Sign in",
        "`--user-agent http` fills in the pages of a test account. With a browser the command prints the URL and waits.",
    )
    stage.works(f"{login} {user}", "ostiary status")
    stage.fails(5, f"{login} --user-agent http --http-user alice --http-password-file wrong.txt")
    stage.fails(3, f"ostiary login --issuer http://127.0.0.1:4455 --client-id my-ap --par always {user}")
    stage.fails(8, f"ostiary login --issuer http://127.0.0.1:4455 --client-id my-ap --par never {user}")
    stage.fails(4, "ostiary login --issuer http://127.0.0.1:4462 --client-id ostiary-demo")
    stage.fails(2, "ostiary login --profile new", f"{login} --client-secret-file empty.txt")

    stage.section("Sign in with a browser that shows an error", "Nothing comes back from such a page. Here the user presses Ctrl-C.")
    stage.terminal(
        "ostiary login --issuer http://127.0.0.1:4455 --client-id my-ap --par never",
        lambda line: "\x03" if line.startswith("If the browser shows this") else None, BROWSER="true",
    )

    stage.section(
        "Sign in over SSH",
        "The user follows what the command prints: opens the URL in a browser at home, signs in, and pastes the address of the last page.",
    )
    urls = []

    def follow(line):
        if line.startswith("http"):
            urls.append(line)
        return visit(urls[0]) if "paste it here, and press Enter." in line else None

    status = stage.terminal(
        "ostiary login --issuer http://127.0.0.1:4456 --client-id ostiary-demo --profile ssh --par never",
        follow, SSH_CONNECTION="192.0.2.1 50000 192.0.2.2 22",
    )
    if status:
        raise SystemExit(f"transcripts: the sign-in over SSH ended with {status}")

    stage.section("Sign in on another device", "The code here is not confirmed within a second.")
    device = "ostiary device --issuer http://127.0.0.1:4455 --client-id ostiary-demo --profile tv"
    stage.fails(9, f"{device} --timeout 1")
    stage.fails(2, "ostiary device --profile nosuch")
    stage.device(device.replace("4455", "4456"))

    stage.section("Use the session")
    stage.works(
        "ostiary token --format header", "ostiary token --json", "ostiary userinfo", "ostiary refresh",
        "ostiary exec -- sh -c 'echo \"$OSTIARY_ACCESS_TOKEN\"'",
        "ostiary request GET http://127.0.0.1:4455/userinfo --allow-origin http://127.0.0.1:4455",
        "printf 'protocol=https\\nhost=git.example.com\\n\\n' | ostiary credential git get --host git.example.com",
        "printf registry.example.com | ostiary credential docker get --host registry.example.com",
    )
    stage.fails(3, "ostiary token --min-valid 100000")
    stage.fails(6, "ostiary userinfo --profile nosuch", "ostiary status --profile nosuch")
    stage.fails(6, "ostiary refresh --profile nosuch")
    stage.fails(127, "ostiary exec -- no-such-program")
    stage.fails(2, "ostiary request GET http://127.0.0.1:4455/userinfo")
    stage.fails(1, "ostiary request GET http://127.0.0.1:4455/nowhere --allow-origin http://127.0.0.1:4455 >/dev/null")
    stage.fails(2, "ostiary credential git get", "ostiary credential docker get")

    stage.section("Keep and move sessions")
    stage.works(
        "ostiary sessions list",
        "ostiary sessions export --profile ssh --passphrase-file passphrase.txt --output-file ssh.sealed",
        "ostiary sessions remove --profile ssh",
        "ostiary sessions import --passphrase-file passphrase.txt --input-file ssh.sealed",
    )
    stage.fails(6, "ostiary sessions remove --profile nosuch")
    stage.fails(2, "ostiary sessions export --profile ssh --passphrase-file passphrase.txt --output-file ssh.sealed")
    stage.fails(2, "ostiary sessions import --passphrase-file password.txt --input-file ssh.sealed")
    stage.fails(2, "ostiary sessions list --store somewhere")


def clients(stage):
    stage.section("Register a client")
    stage.works(
        "ostiary register new --issuer http://127.0.0.1:4455 --profile mine", "ostiary register read --profile mine",
        "ostiary register update --profile mine --name 'My command'", "ostiary register delete --profile mine",
    )
    stage.fails(2, "ostiary register read --profile mine", "ostiary register update --profile mine")
    stage.fails(2, "ostiary register delete --profile mine", "ostiary register new")

    stage.section("Use the tokens of a client")
    api = "--issuer http://127.0.0.1:4455 --client-id ostiary-web --client-secret-file secret.txt"
    stage.works(
        f"ostiary client-credentials {api}", f"ostiary token | ostiary introspect {api} --token-file -",
        "ostiary token | ostiary exchange --issuer http://127.0.0.1:4455 --client-id ostiary-demo --subject-token-file - "
        "--audience https://api.example.com --output-file exchanged.txt",
        "ostiary revoke",
    )
    stage.fails(2, "ostiary client-credentials --issuer http://127.0.0.1:4455 --client-id ostiary-demo")
    stage.fails(3, f"ostiary client-credentials {api.replace('secret.txt', 'wrong.txt')}")
    stage.fails(2, "ostiary introspect --token-file nosuch.txt", "ostiary revoke --token-file nosuch.txt")
    stage.fails(2, "ostiary exchange --issuer http://127.0.0.1:4455 --client-id ostiary-demo --subject-token-file exchanged.txt")

    stage.section("Look at tokens, keys and issuers")
    stage.works(
        "ostiary key make --output-file key.json > jwks.json",
        "ostiary jwt sign --key key.json --claim iss=my-app --claim sub=my-app --claim aud=https://id.example.com > signed.txt",
        "ostiary jwt decode signed.txt", "ostiary jwt verify signed.txt --jwks jwks.json --audience https://id.example.com",
        "ostiary dpop --key key.json --method POST --url https://id.example.com/token", "ostiary pkce",
        "ostiary discover --issuer http://127.0.0.1:4455", "ostiary jwks --issuer http://127.0.0.1:4455",
    )
    stage.fails(2, "ostiary key make --output-file key.json", "ostiary jwt sign --key nosuch.json", "ostiary dpop --key nosuch.json --url https://a.example")
    stage.fails(7, "ostiary jwt verify signed.txt --jwks jwks.json --audience https://other.example.com")
    stage.fails(2, "ostiary jwt decode empty.txt")
    stage.fails(7, "ostiary discover --issuer http://localhost:4455")
    stage.fails(4, "ostiary jwks --issuer http://127.0.0.1:4462")

    stage.section("Sign out")
    stage.works("ostiary logout", "ostiary logout")
    stage.fails(6, "ostiary token")
    stage.fails(2, "ostiary logout --profile 'no such'")


def checks(stage):
    stage.section("Check an issuer or a project")
    stage.works("ostiary doctor http://127.0.0.1:4455")
    stage.fails(3, "ostiary doctor http://127.0.0.1:4455 --against fapi2 --fail-on warning | tail -n 3")
    stage.fails(2, "ostiary doctor App")
    stage.fails(3, "ostiary doctor --project App")

    stage.section("Probe a client", "`client.sh` is a client of three lines that runs `ostiary login`.")
    stage.works("ostiary probe --scenario oidcc-client-test-invalid-iss --scenario oidcc-client-test-nonce-invalid -- ./client.sh")
    stage.fails(2, "ostiary probe --scenario nosuch -- ./client.sh")

    stage.section("Run a provider")
    stage.works("ostiary idp scenarios | head -n 3", "ostiary demo | tail -n 3")
    stage.serving("ostiary idp serve --port 4462 --password-file password.txt")
    stage.fails(3, "ostiary idp serve --port 4455")


def doors(stage):
    stage.section("Front doors", "The five vendors' systems are dialects of the development provider.")
    user = "--user-agent http --http-user {} --http-password-file password.txt"
    logi = user.format(stage.users["logi"])
    stage.works(
        f"ostiary logi login --issuer http://127.0.0.1:4457 --client-id {stage.clients['logi']} {logi} --profile logi",
        "ostiary logi claims --profile logi", "ostiary logi token --profile logi", "ostiary logi device-key --profile logi",
    )
    stage.fails(3, "ostiary logi disconnect --profile logi")
    stage.works("ostiary logi logout --profile logi", "ostiary logi logout --profile logi")
    stage.works(
        f"ostiary logi login --profile logi --scope 'openid profile:basic profile:write' {logi}",
        "ostiary logi disconnect --profile logi",
    )
    for command in ("claims", "token", "device-key"):
        stage.fails(6, f"ostiary logi {command} --profile logi")
    stage.fails(2, "ostiary logi login", "ostiary logi logout --store somewhere")

    logto = user.format(stage.users["logto"])
    stage.works(
        f"ostiary logto login --endpoint http://127.0.0.1:4458 --app-id {stage.clients['logto']} {logto} --profile logto",
        "ostiary logto claims --profile logto", "ostiary logto userinfo --profile logto", "ostiary logto token --profile logto",
    )
    stage.fails(3, "ostiary logto token --profile logto --resource https://nowhere.example")
    stage.works("ostiary logto logout --profile logto", "ostiary logto logout --profile logto")
    for command in ("claims", "userinfo"):
        stage.fails(6, f"ostiary logto {command} --profile logto")
    stage.fails(2, "ostiary logto login --profile other", "ostiary logto logout --store somewhere")

    curity = user.format(stage.users["curity"])
    stage.works(
        f"ostiary curity register --issuer {stage.issuers['curity']} --profile curity",
        f"ostiary curity login --profile curity {curity}", "ostiary curity claims --profile curity",
        "ostiary curity token --profile curity", "ostiary curity renew --profile curity",
        f"ostiary curity logout --profile curity {curity}", "ostiary curity logout --profile curity",
        "ostiary curity forget --profile curity",
    )
    stage.fails(2, "ostiary curity register", "ostiary curity logout --store somewhere")
    for command in ("login", "claims", "token", "renew", "forget"):
        stage.fails(6, f"ostiary curity {command} --profile other")

    zephr = user.format(stage.users["zephr"])
    stage.works(
        f"ostiary zephr login --site http://127.0.0.1:4460 --redirect-uri http://127.0.0.1:8456/callback {zephr} --profile zephr",
        "ostiary zephr account --profile zephr", "ostiary zephr profile --profile zephr",
        "ostiary zephr entitlements --profile zephr premium other", "ostiary zephr logout --profile zephr",
        "ostiary zephr logout --profile zephr",
    )
    for command in ("account", "profile", "entitlements premium"):
        stage.fails(6, f"ostiary zephr {command.replace(' ', ' --profile zephr ') if ' ' in command else command + ' --profile zephr'}")
    stage.fails(2, "ostiary zephr login --profile other", "ostiary zephr logout --store somewhere")

    ssafy = user.format(stage.users["ssafy"])
    stage.fails(
        8, f"ostiary ssafy verify --client-id {stage.clients['ssafy']} --issuer {stage.issuers['ssafy']} "
        f"--backend http://127.0.0.1:4461/no-backend {ssafy}",
    )


def commands(command, path=()):
    """The commands without commands below them, by their words after `ostiary`."""
    below = [each for each in command.get("subcommands", []) if each["commandName"] != "help"]
    if not command.get("shouldDisplay", True):
        return
    if not below or path and command.get("arguments") and command.get("defaultSubcommand"):
        yield " ".join(path)
    for each in below:
        yield from commands(each, (*path, each["commandName"]))


def covered(stage):
    tree = json.loads(subprocess.run([PROGRAM, "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout)
    problems = []
    for name in commands(tree["command"]):
        statuses = [status for words, list in stage.shown.items() if (words + " ").startswith(name + " ") for status in list]
        if 0 not in statuses and name not in UNPROVEN:
            problems.append(f"no transcript in which `ostiary {name}` succeeds")
        if not any(statuses) and name not in UNFAILING:
            problems.append(f"no transcript in which `ostiary {name}` fails")
    return problems


def main():
    # The user's files are private: the commands would warn of others.
    os.umask(0o077)
    folder = Path(tempfile.mkdtemp(prefix="ostiary-transcripts-")).resolve()
    stage = Stage(folder)
    try:
        prepare(stage)
        for part in (sessions, clients, checks, doors):
            part(stage)
        problems = covered(stage)
    finally:
        stage.end()
        shutil.rmtree(folder)
    text = "\n".join([
        "# Transcripts", "",
        "`scripts/transcripts.py` runs each command at providers on this machine and writes this page (`make documents`). Times, ports and",
        "random values are replaced by fixed ones. A line with `$` is what the user types; [the command line](command-line.md) explains it.",
        *stage.lines,
    ]).rstrip("\n") + "\n"
    if "--write" in sys.argv and not problems:
        PAGE.write_text(text, encoding="utf-8")
    former = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if former != text:
        problems += list(difflib.unified_diff(former.splitlines(), text.splitlines(), "docs/transcripts.md", "this run", lineterm=""))
        problems.append("docs/transcripts.md differs from this run: run `make documents`")
    count = sum(len(statuses) for statuses in stage.shown.values())
    print("\n".join(problems) or f"transcripts: {count} runs of {len(stage.shown)} commands are as docs/transcripts.md shows them")
    sys.exit(bool(problems))


main()
