#!/usr/bin/env python3
"""Makes one mistake after the other in the adapters for Apple's platforms, and shows which test notices.

It works on a copy of the tree, whose build folder is kept (.build-apple-mutants). The table goes to docs/apple.md; a mistake
that nobody notices ends the run with 1.

    scripts/apple-mutants.py [WORD...]     only the mistakes whose name has one of the words, and no table
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = ROOT / ".build-apple-mutants"
PAGE = ROOT / "docs/apple.md"
BEGIN, END = "<!-- mutants -->", "<!-- end of mutants -->"
APPLE = "Sources/Ostiary/UserAgents/Apple/"
TIME = "Sources/Ostiary/BackgroundTime/"
AGENT, SHEET, REPORT, WINDOW, SYSTEM, CALLBACK = (
    APPLE + name + ".swift"
    for name in (
        "WebAuthenticationUserAgent", "WebAuthenticationSheet", "WebAuthenticationReport", "PresentationWindow",
        "SystemApplication", "WebAuthenticationCallback",
    )
)
HANDOFF = "Sources/Ostiary/UserAgents/Forwarding/AppHandoff.swift"
FORWARDED = APPLE + "ForwardedRedirects+System.swift"
TURNS = "Sources/Ostiary/Coordination/SignInTurns.swift"
CLIENT = "Sources/Ostiary/SignInClient.swift"
KEYCHAIN, KEYS = "Sources/Ostiary/Stores/Keychain/", "Sources/Ostiary/Keys/"
STORE, PLAIN, GUARDED, MOVING, INSTALLATION = (
    KEYCHAIN + name + ".swift"
    for name in (
        "KeychainStore", "KeychainStore+PlainValues", "KeychainStore+GuardedValues", "KeychainStore+Moving",
        "KeychainStore+Installation",
    )
)
# name, shape, file, what is there, what is put in its place
MUTANTS = [
    ("the provider of the window is not retained", "ios", SHEET,
     "session.presentationContextProvider = anchor", "session.presentationContextProvider = AnchorProvider(window)"),
    ("a private sheet is a shared one", "ios", SHEET, "browserSession == .ephemeral", "false"),
    ("the header fields are dropped", "ios", SHEET, "if !headerFields.isEmpty", "if false"),
    ("a refused start is waited for", "ios", SHEET, "answer.set(.startRefused)", "_ = answer"),
    ("a cancelled task still shows its sheet", "ios", SHEET, "guard !Task.isCancelled else { return false }", ""),
    ("the sheet stays up after a cancellation", "ios", SHEET,
     "if case .taskCancelled = report { session.cancel() }", "_ = report"),
    ("a cancellation is not told to who waits", "ios", AGENT, "answer.set(.taskCancelled)", "_ = answer"),
    ("a second report is not told of", "ios", AGENT, "events(.droppedReport(id))", "_ = id"),
    ("two sheets at once", "ios", AGENT, "guard Self.place.enter() else", "guard Self.place.enter() || true else"),
    ("the place stays taken", "ios", AGENT, "defer { Self.place.leave() }", ""),
    ("a missing association looks like a cancellation", "ios", REPORT, "if let reason {", "if let reason, false {"),
    ("any reason is a missing association", "ios", REPORT, "reason.contains(host)", "true || reason.isEmpty"),
    ("Guided Access looks like a cancellation", "ios", APPLE + "BrowserRestriction.swift",
     "UIAccessibility.isGuidedAccessEnabled", "false"),
    ("another domain's code is a cancellation", "ios", REPORT,
     "guard domain == ASWebAuthenticationSessionErrorDomain else", "guard !domain.isEmpty else"),
    ("any scene will do", "ios", SYSTEM, "$0.activationState == .foregroundActive", "$0.activationState != .unattached"),
    ("a window of an alert will do", "ios", WINDOW, "$0.windowLevel == .normal && !$0.isHidden", "!$0.isHidden"),
    ("any window of a Mac will do", "macos", SYSTEM, "window.isVisible && window.level == .normal", "window.isVisible"),
    ("nobody waits for a window", "ios", WINDOW, "guard waitsForActivation else", "guard false else"),
    ("a loopback redirect is a scheme", "ios", CALLBACK, 'case "http":', 'case "ftp":'),
    ("a redirect with a port is taken", "ios", CALLBACK, 'authority.port ?? "" == "" || authority.port == "443"', "true"),
    ("a link may open the browser", "ios", SYSTEM, "options: [.universalLinksOnly: true]", "options: [:]"),
    ("a link may open a Mac's browser", "macos", SYSTEM, "configuration.requiresUniversalLinks = true", ""),
    ("coming back is not noticed", "ios", APPLE + "AppHandoff+System.swift", "moments: { Activations.stream() }",
     "moments: { AsyncStream { $0.finish() } }"),
    ("coming back always cancels", "ios", HANDOFF, "case .openOtherwise: break",
     "case .openOtherwise: return _ = answer.set(.failure(SignInError(.authorization, .cancelled)))"),
    ("any activity is a link", "ios", FORWARDED, "activity.activityType == NSUserActivityTypeBrowsingWeb,", ""),
    ("a scene's foreign URL is swallowed", "ios", FORWARDED, "contexts.filter { !handle($0.url) }",
     "contexts.filter { !handle($0.url) && false }"),
    ("a background task is never ended", "ios", TIME + "BackgroundTask.swift", "application.endBackgroundTask(running)", ""),
    ("an expired task is not ended", "ios", TIME + "BackgroundTask.swift", "expired()\n                task.end()",
     "expired()"),
    ("an expired task keeps its lock", "ios", TIME + "BackgroundTask.swift", "expired()\n                task.end()",
     "task.end()"),
    ("a refused task is held", "ios", TIME + "BackgroundTask.swift", "guard id != .invalid else { return nil }", ""),
    ("an expiring activity ends at once", "ios", TIME + "ExpiringActivityTime.swift", "{ over.wait() }", "{}"),
    ("an expired activity keeps its lock", "ios", TIME + "ExpiringActivityTime.swift", "isUp()", ""),
    ("a code is redeemed without background time", "ios", CLIENT,
     'await backgroundTime.begin("Signing in", expired: {})', "Optional<BackgroundTimeHold>.none"),
    ("the sheet takes a Mac's loopback redirect", "macos", "Sources/Ostiary/UserAgents/PlatformUserAgent.swift",
     "if redirectURI.isLoopback", "if false"),
    ("not found is absent", "ios", PLAIN, "_ = try canary.sing()", ""),
    ("a duplicate canary sings", "ios", KEYCHAIN + "KeychainCanary.swift",
     "                throw .locked\n", "                return Song(installation: nil)\n"),
    ("a session travels in backups", "ios", KEYCHAIN + "KeychainStore+Configuration.swift",
     "case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly",
     "case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock"),
    ("another accessibility stays", "ios", PLAIN, "item.accessible != wanted {", "item.accessible != wanted, false {"),
    ("the access group is ignored", "ios", KEYCHAIN + "KeychainPlace.swift", "if let accessGroup {",
     "if let accessGroup, accessGroup.isEmpty {"),
    ("a bare tool uses the file keychain's neighbour", "macos", KEYCHAIN + "KeychainStore+Keychain.swift",
     "errSecMissingEntitlement ? .login", "errSecMissingEntitlement ? .dataProtection"),
    ("a locked Mac looks like a bare tool", "macos", KEYCHAIN + "KeychainStore+Keychain.swift",
     "error.status == errSecMissingEntitlement ?", "error.status != errSecSuccess ?"),
    ("the keychain on the caller's thread", "ios", STORE,
     "continuation.resume(returning: Result { () throws(KeychainError) in try work(self) })",
     "_ = 0\n                }\n                do {\n"
     "                    continuation.resume(returning: Result { () throws(KeychainError) in try work(self) })"),
    ("an old value outlives a removal", "ios", STORE, "                try store.removeOrigins(of: key)\n", ""),
    ("a moved value is not read back", "ios", MOVING, "guard try store(value) == value else { throw .unavailable }",
     "_ = try store(value)"),
    ("a moved value stays where it was", "ios", MOVING,
     "                _ = try? origin.place.remove(account)\n                return value",
     "                return value"),
    ("an update signs everybody out", "ios", INSTALLATION, "try canary.sing().installation,",
     'try canary.sing().installation ?? "?",'),
    ("an installation is judged while locked", "ios", INSTALLATION,
     "            _ = try canary.sing()\n            if let group", "            if let group"),
    ("a shared group is discarded", "ios", INSTALLATION, 'guard group.hasSuffix("." + bundleIdentifier) else',
     "guard !group.isEmpty else"),
    ("a new face keeps access", "ios", KEYCHAIN + "KeychainStore+PersonCheck.swift", ".biometryCurrentSet",
     ".biometryAny"),
    ("a new enrolment looks like a failure", "ios", GUARDED,
     "errSecAuthFailed, try enrolmentHasChanged(since: version, account) else",
     "errSecAuthFailed, try enrolmentHasChanged(since: version, account), false else"),
    ("the oldest version counts", "ios", GUARDED, ".sorted()", ".sorted(by: >)"),
    ("what was unlocked stays so", "ios", KEYCHAIN + "UnlockedValues.swift", "now - value.unlocked < lifetime",
     "now - value.unlocked < .infinity"),
    ("a key is looked for while unlocked only", "ios", KEYS + "EnclaveKey.swift",
     "kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly", "kSecAttrAccessibleWhenUnlockedThisDeviceOnly"),
    ("a locked key is lost", "ios", KEYS + "EnclaveKey.swift", "else { throw .keyLocked }", "else { throw .keyLost }"),
    ("a key in the store will do", "ios", KEYS + "SessionKey.swift",
     "case .secureEnclaveOrStore where !EnclaveKey.isAvailable",
     "case .secureEnclave where !EnclaveKey.isAvailable, .secureEnclaveOrStore where !EnclaveKey.isAvailable"),
    ("another key is taken for the session's", "ios", "Sources/OstiaryOAuth/SenderConstraint/DPoPKey+Storage.swift",
     "constantTimeEqual(thumbprint, jkt)", "!jkt.isEmpty"),
    ("an unknown App Attest key is kept", "ios", KEYS + "ClientAttester+AppAttest.swift",
     "guard case .unusable = error else", "guard case .unusable = error, false else"),
    ("a backend that forgot is not told anew", "ios", KEYS + "AppAttestKey.swift",
     "if case .refused = error.reason, record.isKnown {", "if case .refused = error.reason, false {"),
]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
FAILED = re.compile(r'✘ Test "?(.+?)"? (?:recorded an issue|failed after|with \d+)')
RUNNING = re.compile(r'◇ Test (?:case .* to )?"?(.+?)"? started')


def copy():
    for part in ("Package.swift", "Package.resolved", "Sources", "Platform", "Tests"):
        source, target = ROOT / part, COPY / part
        if source.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target)
        elif source.exists():
            COPY.mkdir(exist_ok=True)
            shutil.copy2(source, target)


def run(command, shape, deadline):
    environment = dict(os.environ, OSTIARY_APPLE=shape, SWIFT_BACKTRACE="enable=no")
    try:
        done = subprocess.run(
            command, cwd=COPY, env=environment, capture_output=True, text=True, timeout=deadline, errors="replace"
        )
    except subprocess.TimeoutExpired as late:
        text = late.stdout or b""
        return None, COLOUR.sub("", text if isinstance(text, str) else text.decode(errors="replace"))
    return done.returncode, COLOUR.sub("", done.stdout + done.stderr)


def notice(shape):
    """Who notices what is in the copy; None when nobody does."""
    status, output = run(["swift", "build", "--build-tests", "--scratch-path", f".build-{shape}"], shape, 1800)
    if status:
        message = re.search(r"error: (.*)", output)
        return "the compiler: " + (message.group(1) if message else "it stopped")
    status, output = run(
        ["swift", "test", "--skip-build", "--no-parallel", "--scratch-path", f".build-{shape}", "--filter", "AppleTests"],
        shape, 120,
    )
    if status == 0:
        return None
    failed = FAILED.search(output)
    if failed:
        return failed.group(1)
    running = RUNNING.findall(output)
    return f"{'it never ends' if status is None else 'it crashes'}: {running[-1] if running else '?'}"


def main(words):
    chosen = [mutant for mutant in MUTANTS if not words or any(word in mutant[0] for word in words)]
    for name, _, file, old, _ in chosen:
        if (ROOT / file).read_text().count(old) < 1:
            sys.exit(f"{name}: {file} has changed")
    copy()
    for shape in sorted({shape for _, shape, *_ in chosen}):
        found = notice(shape)
        if found:
            sys.exit(f"without a mistake a test fails in the shape of {shape}: {found}")
    rows, survivors = [], 0
    for name, shape, file, old, new in sorted(chosen, key=lambda mutant: mutant[1]):
        path = COPY / file
        text = path.read_text()
        path.write_text(text.replace(old, new, 1))
        try:
            found = notice(shape)
        finally:
            path.write_text(text)
        print(f"{name}: {found or 'NOBODY NOTICED'}", flush=True)
        rows.append(f"| {name} | {shape} | {(found or 'nobody').replace('|', '/')} |")
        survivors += found is None
    if not words:
        before, rest = PAGE.read_text().split(BEGIN, 1)
        table = "\n".join(["| Mistake | Shape | Noticed by |", "|---|---|---|"] + rows)
        PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{rest.split(END, 1)[1]}")
    print(f"{len(rows) - survivors} of {len(rows)} mistakes are noticed")
    sys.exit(survivors > 0)


main(sys.argv[1:])
