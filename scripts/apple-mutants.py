#!/usr/bin/env python3
"""Makes one mistake after the other in the adapters for Apple's platforms, and shows which test notices.

The tree is left as it is: each shape is built once, and of a mistake the one file that it is in is compiled and linked with
the rest. The test that noticed last time comes first, then those of the part with the mistake, then all others. The table goes to
docs/apple.md; a mistake that nobody notices ends the run with 1.

    scripts/apple-mutants.py [WORD...]     only the mistakes whose name has one of the words; the other rows stay as they are
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from testruns import functions, lines

ROOT = pathlib.Path(__file__).resolve().parent.parent
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
CLIENT = "Sources/Ostiary/SignIn/SignInClient.swift"
KEYCHAIN, KEYS = "Sources/Ostiary/Stores/Keychain/", "Sources/Ostiary/Keys/"
STORE, PLAIN, GUARDED, MOVING, INSTALLATION = (
    KEYCHAIN + name + ".swift"
    for name in (
        "KeychainStore", "KeychainStore+PlainValues", "KeychainStore+GuardedValues", "KeychainStore+Moving",
        "KeychainStore+Reinstallation",
    )
)
OLDER = APPLE + "WebAuthenticationSystem.swift"
DOORS = "Sources/FrontDoors/"
APPAUTH = DOORS + "AppAuth/UserAgents/OIDExternalUserAgent"
LOGI, SSAFY, LOGTO = DOORS + "Logi/SignIn/Logi.swift", DOORS + "SSAFY/", DOORS + "Logto/"
# name, shape, file, what is there, what is put in its place
MUTANTS = [
    ("the provider of the window is not retained", "ios", SHEET,
     "session.presentationContextProvider = anchor", "session.presentationContextProvider = AnchorProvider(window)"),
    ("a private sheet is a shared one", "ios", SHEET, "browserSession == .ephemeral", "false"),
    ("the header fields are dropped", "ios", OLDER, "if !headerFields.isEmpty { session.",
     "if headerFields.count > 99 { session."),
    ("an older system gets an https redirect", "ios", OLDER, "if let host = callback.host {",
     'if let host = callback.host, host == "" {'),
    ("an older system gets header fields", "ios", OLDER, "if !headerFields.isEmpty {\n                throw",
     "if headerFields.count > 99 {\n                throw"),
    ("a header field of any name is sent", "ios", OLDER, 'name.hasPrefix("X-"), name.utf8.count > 2,', ""),
    ("a header field without a name is sent", "ios", OLDER, "name.utf8.count > 2, ", ""),
    ("a header field's name may have spaces", "ios", OLDER, ", HTTPField.Name(name) != nil else", " else"),
    ("a header field's value may end its line", "ios", OLDER, "guard HTTPField.isValidValue(value) else",
     "guard HTTPField.isValidValue(value) || !value.isEmpty else"),
    ("a refused start does not end the wait", "ios", SHEET, "answer.set(.startRefused)", "_ = answer"),
    ("a cancelled task still shows its sheet", "ios", SHEET, "guard !Task.isCancelled else { return false }", ""),
    ("the sheet stays up after a cancellation", "ios", SHEET,
     "case .taskCancelled, .windowLost: session.cancel()", "case .taskCancelled, .windowLost: break"),
    ("a sheet that closed with its window does not end the wait", "ios", SHEET,
     "observations = WindowLoss.observe(window) { answer.set(.windowLost) }", ""),
    ("a window that leaves the screen is not noticed", "ios", APPLE + "PresentationWindow.swift", "if let scene = window.windowScene {",
     "if let scene = window.windowScene, scene.windows.isEmpty {"),
    ("any closed window closes the sheet", "ios", APPLE + "PresentationWindow.swift", "forName: name, object: object,",
     "forName: name, object: nil,"),
    ("a cancellation does not end the wait", "ios", AGENT, "answer.set(.taskCancelled)", "_ = answer"),
    ("a second report is not counted", "ios", AGENT, "events(.droppedReport(id))", "_ = id"),
    ("two sheets open at once", "ios", AGENT, "await Self.place.run(", "await SignInGate().run("),
    ("the next sheet is refused after the first has closed", "ios", TURNS,
     "defer { isTaken.withLock { $0 = false } }", ""),
    ("a missing association looks like a cancellation", "ios", REPORT, "if let reason {", "if let reason, false {"),
    ("every failure is a missing association", "ios", REPORT, "reason.contains(host)", "true || reason.isEmpty"),
    ("Guided Access looks like a cancellation", "ios", APPLE + "WebAuthenticationReport.swift",
     "UIAccessibility.isGuidedAccessEnabled", "false"),
    ("another domain's code is a cancellation", "ios", REPORT,
     "guard domain == ASWebAuthenticationSessionErrorDomain else", "guard !domain.isEmpty else"),
    ("a process that is not an app counts as an app", "ios", SYSTEM, "UIApplication.ofThisProcess != nil", "true"),
    ("a process that is not an app requests an activity", "ios", TIME + "SystemBackgroundTime.swift",
     "guard SystemApplication.isExtension else", "guard !SystemApplication.isExtension else"),
    ("a scene in the background presents the sheet", "ios", SYSTEM, "$0.activationState == .foregroundActive", "$0.activationState != .unattached"),
    ("the window of an alert presents the sheet", "ios", WINDOW, "$0.windowLevel == .normal && !$0.isHidden", "!$0.isHidden"),
    ("any window of a Mac presents the sheet", "macos", SYSTEM, "window.isVisible && window.level == .normal", "window.isVisible"),
    ("a missing window fails at once", "ios", WINDOW, "let window = await first(at: streams)",
     "let window = streams.isEmpty ? await first(at: streams) : nil"),
    ("a window in the background presents the sheet", "ios", "Sources/OstiarySwiftUI/Views/SignInWindow.swift",
     "(Self.isInExtension || $0.isInFront)", "(Self.isInExtension || $0.windowScene != nil)"),
    ("a second model gets no window", "ios", "Sources/OstiarySwiftUI/Views/WindowReader.swift",
     "reader?.add(self)", "if window == nil { reader?.add(self) }"),
    ("a brief return to the app cancels the sign-in", "ios", "Sources/Ostiary/UserAgents/Forwarding/AppReturn.swift",
     "guard await isInFront() else { continue }", "_ = await isInFront()"),
    ("a loopback redirect counts as a custom scheme", "ios", CALLBACK, 'case "http":', 'case "ftp":'),
    ("a redirect with a port is accepted", "ios", CALLBACK, 'authority.port ?? "" == "" || authority.port == "443"', "true"),
    ("a link may open the browser", "ios", SYSTEM, "options: [.universalLinksOnly: true]", "options: [:]"),
    ("a link may open a Mac's browser", "macos", SYSTEM, "configuration.requiresUniversalLinks = true", ""),
    ("the return to the app is not noticed", "ios", APPLE + "AppHandoff+System.swift", "moments: { Activations.stream() }",
     "moments: { AsyncStream { $0.finish() } }"),
    ("the return to the app always cancels the sign-in", "ios", HANDOFF, "case .openOtherwise: break",
     "case .openOtherwise: return _ = answer.set(.failure(SignInError(.authorization, .cancelled)))"),
    ("every activity counts as a link", "ios", FORWARDED, "activity.activityType == NSUserActivityTypeBrowsingWeb,", ""),
    ("a scene's foreign URL is consumed", "ios", FORWARDED, "contexts.filter { !handle($0.url) }",
     "contexts.filter { !handle($0.url) && false }"),
    ("a background task is never ended", "ios", TIME + "BackgroundTask.swift", "application.endBackgroundTask(running)", ""),
    ("an expired task is not ended", "ios", TIME + "BackgroundTask.swift", "expired()\n                task.end()",
     "expired()"),
    ("an expired task keeps its lock", "ios", TIME + "BackgroundTask.swift", "expired()\n                task.end()",
     "task.end()"),
    ("a refused background task is kept", "ios", TIME + "BackgroundTask.swift", "guard id != .invalid else { return nil }", ""),
    ("an expiring activity ends at once", "ios", TIME + "ExpiringActivityTime.swift", "{ over.wait() }", "{}"),
    ("an expired activity keeps its lock", "ios", TIME + "ExpiringActivityTime.swift", "isUp()", ""),
    ("a code is redeemed without background time", "ios", CLIENT,
     'await backgroundTime.begin("Signing in", expired: {})', "Optional<BackgroundTimeHold>.none"),
    ("Logi's browser session is the app's last one", "ios", LOGI,
     "platform.browserSession = configuration.browserSession == .ephemeral ? .ephemeral : .shared",
     "platform.browserSession = configuration.browserSession == .ephemeral ? .shared : .shared"),
    ("Logi's sheet is at another window", "ios", LOGI, "guard var platform = browser as? PlatformUserAgent else { return browser }",
     "guard browser is PlatformUserAgent else { return browser }\n        var platform = PlatformUserAgent()"),
    ("Logi takes no URL while its sheet is up", "ios", LOGI, "return browser.expecting(redirects)", "return browser"),
    ("SSAFY Verify takes no URL while its sheet is up", "ios", SSAFY + "SignIn/SSAFYVerify.swift",
     "(userAgent ?? platform).expecting(redirects)", "userAgent ?? platform"),
    ("SSAFY Verify's sheet is always shared", "ios", SSAFY + "SignIn/SSAFYVerify.swift",
     "configuration.browserSession == .ephemeral ? .ephemeral", "configuration.browserSession == .ephemeral ? .shared"),
    ("SSAFY Verify has no fallback from a foreign link", "ios", SSAFY + "SignIn/RedirectObserver.swift",
     "case .presentation(.associatedDomainMissing):", "case .presentation(.browserBlocked):"),
    ("a missing association is a missing window at SSAFY Verify", "ios", SSAFY + "Errors/VerificationError+Mapping.swift",
     "case .presentation(.associatedDomainMissing):", "case .presentation(.browserBlocked):"),
    ("a missing association is a missing window at Zephr", "ios", DOORS + "Zephr/Errors/ZephrError+Description.swift",
     "case .presentation(.associatedDomainMissing):", "case .presentation(.browserBlocked):"),
    ("a missing association is a missing window at Logto", "ios", LOGTO + "Errors/LogtoFailure.swift",
     "case .presentation(.associatedDomainMissing):", "case .presentation(.browserBlocked):"),
    ("a missing association is a missing window at LogiAuth", "ios", DOORS + "Logi/Errors/LogiAuthError.swift",
     "case (_, .presentation(.associatedDomainMissing)):", "case (_, .presentation(.browserBlocked)):"),
    ("Logto takes no URL while its sheet is up", "ios", LOGTO + "SignIn/Logto.swift", ".expecting(redirects)", ""),
    ("Logto's sheet is always shared", "ios", LOGTO + "SignIn/Logto.swift", "PlatformUserAgent(browserSession: config.browserSession)",
     "PlatformUserAgent()"),
    ("Zephr's sheet is always private", "ios", DOORS + "Zephr/SignIn/Zephr.swift", ".ephemeral ? .ephemeral : .shared",
     ".ephemeral ? .ephemeral : .ephemeral"),
    ("Curity's sheet is private", "ios", DOORS + "Curity/SignIn/Curity.swift",
     "CurityConfiguration.prefersEphemeralBrowser ? .ephemeral : .shared",
     "CurityConfiguration.prefersEphemeralBrowser ? .shared : .ephemeral"),
    ("AppAuth's sheet is in the window in front", "ios", APPAUTH + "IOS.swift", "window: window\n",
     "window: [window, .frontmost].last ?? window\n"),
    ("AppAuth's user agent loads a view", "ios", APPAUTH + "IOS.swift", "?.viewIfLoaded?.window", "?.view.window"),
    ("AppAuth's private sheet is shared", "ios", APPAUTH + "IOS.swift", "? .ephemeral : .shared", "? .shared : .shared"),
    ("AppAuth's private sheet of a call is shared", "ios", APPAUTH + "IOS.swift",
     "prefersEphemeralSession: prefersEphemeralSession\n            )\n            return present",
     "prefersEphemeralSession: prefersEphemeralSession && false\n            )\n            return present"),
    ("AppAuth's sheet stays up when the app ends the flow", "ios", APPAUTH + "Ostiary.swift", "$0?.cancel()", "_ = $0"),
    ("AppAuth's sheet is in a Mac's window in front", "macos", APPAUTH + "Mac.swift", "window: window)",
     "window: [window, .frontmost].last ?? window)"),
    ("AppAuth's user agent keeps a Mac's window", "macos", APPAUTH + "Mac.swift", "{ [weak presentingWindow] in presentingWindow }",
     "{ presentingWindow }"),
    ("AppAuth's private sheet of a Mac is shared", "macos", APPAUTH + "Mac.swift", "? .ephemeral : .shared", "? .shared : .shared"),
    ("the sheet takes a Mac's loopback redirect", "macos", "Sources/Ostiary/UserAgents/PlatformUserAgent.swift",
     "if redirectURI.isLoopback", "if false"),
    ("a missing item is absent, whether or not the keychain is locked", "ios", KEYCHAIN + "KeychainSight.swift", "_ = try probe.open()", ""),
    ("a probe that is neither found nor added counts as an open keychain", "ios", KEYCHAIN + "KeychainSight.swift",
     "let item = try place.read(account) else { throw .locked }",
     "let item = try place.read(account) else { return Content(installation: nil) }"),
    ("a session is part of backups", "ios", KEYCHAIN + "KeychainStore+Configuration.swift",
     "case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly",
     "case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock"),
    ("a locked keychain is reported as a removal", "ios", KEYCHAIN + "KeychainSight.swift",
     "            try proveAbsence()\n            // The device", "            // The device"),
    ("an extension's write is not reported", "ios", KEYCHAIN + "KeychainSight.swift", "modified = item.modified",
     "modified = nil"),
    ("two writes within the clock's resolution count as one", "ios", KEYCHAIN + "KeychainStore+PlainValues.swift",
     "version: versions.version(of: key)", "version: nil"),
    ("the app's own write is reported late", "ios", STORE, "            versions.write(key)\n            observers.look(at: key)\n",
     "            versions.write(key)\n"),
    ("another accessibility is kept", "ios", PLAIN, "item.accessible != wanted {", "item.accessible != wanted, false {"),
    ("the access group is ignored", "ios", KEYCHAIN + "KeychainPlace.swift", ", let accessGroup {",
     ", let accessGroup, accessGroup.isEmpty {"),
    ("a Mac's query names no keychain", "macos", KEYCHAIN + "KeychainPlace.swift",
     "query[kSecUseDataProtectionKeychain as String] = keychain == .dataProtection",
     "if keychain == .dataProtection { query[kSecUseDataProtectionKeychain as String] = true }"),
    ("a tool without entitlements uses the data protection keychain", "macos", KEYCHAIN + "KeychainStore+Configuration.swift",
     "errSecMissingEntitlement ? .login", "errSecMissingEntitlement ? .dataProtection"),
    ("a locked Mac looks like a tool without entitlements", "macos", KEYCHAIN + "KeychainStore+Configuration.swift",
     "error.status == errSecMissingEntitlement ?", "error.status != errSecSuccess ?"),
    ("the keychain is used on the caller's thread", "ios", STORE,
     "continuation.resume(returning: Result { () throws(KeychainError) in try work(self) })",
     "_ = 0\n                }\n                do {\n"
     "                    continuation.resume(returning: Result { () throws(KeychainError) in try work(self) })"),
    ("an old value is left after a removal", "ios", STORE, "                try store.removeOrigins(of: key)\n", ""),
    ("a moved value is not read back", "ios", MOVING, "guard try store(value) == value else { throw .unavailable }",
     "_ = try store(value)"),
    ("a moved value is left at its old place", "ios", MOVING,
     "                _ = try? origin.place.remove(account)\n                return value",
     "                return value"),
    ("an update of the app ends every session", "ios", INSTALLATION, "try probe.open().installation,",
     'try probe.open().installation ?? "?",'),
    ("an installation is judged while locked", "ios", INSTALLATION,
     "            _ = try probe.open()\n            if let group", "            if let group"),
    ("the values of a shared group are discarded", "ios", INSTALLATION, 'guard group.hasSuffix("." + bundleIdentifier) else',
     "guard !group.isEmpty else"),
    ("a new face keeps access", "ios", KEYCHAIN + "KeychainStore+UserCheck.swift", ".biometryCurrentSet",
     ".biometryAny"),
    ("a new enrolment looks like a failure", "ios", GUARDED,
     "before.hasChanged(to: now)", "before.hasChanged(to: now), known.newest < 0"),
    ("the older version is read first", "ios", GUARDED, "[known.newest + 1, known.newest]", "[known.newest, known.newest + 1]"),
    ("an interrupted write is not found", "ios", GUARDED, "[known.newest + 1, known.newest]", "[known.newest]"),
    ("a leftover version prevents all writes", "ios", GUARDED,
     "known.add(enrolment: [])\n                    try note(known, of: key)", "throw .locked"),
    ("the companion names a version too early", "ios", GUARDED,
     "            removeOldVersions(&known, account)\n            do throws",
     "            var early = known\n            early.add(enrolment: [])\n            try note(early, of: key)\n"
     "            do throws"),
    ("the old version is removed first", "ios", GUARDED, "                while try !place.add(",
     "                _ = try? place.remove(account.version(known.newest))\n                while try !place.add("),
    ("a first version is written without its companion", "ios", GUARDED,
     "if before == nil { try note(known, of: key) }", ""),
    ("a list prompts the user for guarded values", "ios", KEYCHAIN + "KeychainPlace.swift",
     "return [kSecUseAuthenticationUI as String: kSecUseAuthenticationUISkip]", "return [:]"),
    ("a search for a version prompts the user", "ios", KEYCHAIN + "KeychainPlace.swift", "context.interactionNotAllowed = true", ""),
    ("a refused version is absent", "ios", KEYCHAIN + "KeychainPlace.swift",
     "if status == errSecInteractionNotAllowed || status == errSecAuthFailed { return true }", ""),
    ("a missing passcode is reported as notRecognized", "ios", KEYCHAIN + "KeychainError.swift",
     "throw error.status == errSecAuthFailed ? .unavailable : error", "throw error"),
    ("a removed guarded value is restored", "ios", STORE, "                    try? store.removeGuardedValue(of: key)\n", ""),
    ("an unlocked value stays unlocked", "ios", KEYCHAIN + "KeychainStore+UserCheck.swift", "now - value.unlocked < lifetime",
     "now - value.unlocked < .infinity"),
    ("a key is searched for only while the device is unlocked", "ios", KEYS + "EnclaveKey.swift",
     "kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly", "kSecAttrAccessibleWhenUnlockedThisDeviceOnly"),
    ("a locked key is reported as lost", "ios", KEYS + "EnclaveFailure.swift",
     "guard !isRefusalOfNow(error), opensKeys else { throw .keyLocked }",
     "guard !isRefusalOfNow(error), opensKeys else { throw .keyLost }"),
    ("a lost key is reported as locked", "ios", KEYS + "EnclaveFailure.swift", "? .keyLocked : .keyLost", "? .keyLocked : .keyLocked"),
    ("a key that can be read is not tried for signatures", "ios", KEYS + "ClientInstance+Store.swift",
     "guard key.external != nil else", "guard key.external != nil, false else"),
    ("each client has its own lock", "ios", KEYCHAIN + "KeychainStore.swift",
     "locks[place] ?? InProcessLock()", "InProcessLock()"),
    ("an app group has no lock files", "ios", KEYCHAIN + "KeychainStore.swift",
     "groupLock ?? deviceLock", "deviceLock"),
    ("a key in the store is accepted", "ios", KEYS + "SessionKey.swift",
     "case .secureEnclaveOrStore where !EnclaveKey.isAvailable",
     "case .secureEnclave where !EnclaveKey.isAvailable, .secureEnclaveOrStore where !EnclaveKey.isAvailable"),
    ("another key is accepted as the session's", "ios", "Sources/OstiaryOAuth/SenderConstraint/DPoPKey+Storage.swift",
     "constantTimeEqual(thumbprint, jkt)", "!jkt.isEmpty"),
    ("an unknown App Attest key is kept", "ios", KEYS + "ClientAttester+AppAttest.swift",
     "guard case .unusable = error else", "guard case .unusable = error, false else"),
    ("a key that the backend has forgotten is not attested again", "ios", KEYS + "AppAttestKey.swift",
     "if case .refused = error.reason, record.isKnown {", "if case .refused = error.reason, false {"),
]
FAILED = re.compile(r'✘ Test "?(.+?)"? (?:recorded an issue|failed after|with \d+)')
RUNNING = re.compile(r'◇ Test (?:case .* to )?"?(.+?)"? started')
ALL = "AppleTests|AppleSimulated"
# The tests of a part, by the folder or file that it is in.
NEAR = [
    (KEYCHAIN, "/Keychain/|KeychainStoreTests"),
    (KEYS, "/Keys/|EnclaveTests"),
    ("Sources/OstiaryOAuth/SenderConstraint/", "/Keys/|EnclaveTests"),
    (TIME, "BackgroundTime|DefaultsTests"),
    (CLIENT, "DefaultsTests"),
    ("Sources/OstiarySwiftUI/", "SeveralWindows|SignInView|SignInModel"),
    ("Sources/Ostiary/UserAgents/Forwarding/AppReturn", "UniversalLinkTests"),
    (HANDOFF, "UniversalLinkTests|ForwardingTests|DefaultsTests"),
    (FORWARDED, "ForwardingTests|SignInViewTests"),
    (APPLE + "AppHandoff", "UniversalLinkTests|DefaultsTests"),
    (SYSTEM, "WindowTests|UniversalLinkTests|DefaultsTests|BackgroundTime"),
    (OLDER, "OlderSystemTests|WebAuthenticationTests"),
    (APPLE, "AttemptTests|WebAuthenticationTests|WindowTests|IsolationTests|ReportTests|CallbackTests"),
    ("Sources/Ostiary/UserAgents/PlatformUserAgent.swift", "DefaultsTests"),
    (APPAUTH, "AppAuthSheetTests"),
    (DOORS, "DoorSheetTests|DefaultsTests|ExampleAppTests"),
]


class Shape:
    """A build of everything in one shape, of which one file at a time is exchanged."""

    def __init__(self, name, work):
        self.work = work
        environment = dict(os.environ, OSTIARY_APPLE=name)
        subprocess.run(["swift", "build", "--build-tests"], cwd=ROOT, env=environment, check=True)
        manifest = (ROOT / ".build/debug.yaml").read_text()
        blocks = [json.loads(line) for line in re.findall(r"^    args: (\[.*\])$", manifest, re.M)]
        self.compilers = {
            block[block.index("-module-name") + 1]: block
            for block in blocks if "-emit-module" in block and "-module-name" in block
        }
        self.linker = next(block for block in blocks if any(part.endswith("PackageTests.xctest") for part in block)
                           and any(part.endswith(".LinkFileList") for part in block))
        self.frontends = {}

    def frontend(self, module, source):
        """The call of the compiler for one file of a module."""
        if module not in self.frontends:
            left_out = ("-incremental", "-enable-batch-mode", "-emit-module", "-emit-dependencies", "-serialize-diagnostics")
            driver = [part for part in self.compilers[module] if part not in left_out]
            at = driver.index("-emit-module-path")
            del driver[at:at + 2]
            at = driver.index("-output-file-map")
            del driver[at:at + 2]
            printed = subprocess.run(
                driver + ["-driver-print-jobs"], cwd=self.work, capture_output=True, text=True, check=True
            ).stdout
            jobs = [shlex.split(line) for line in printed.splitlines() if "-primary-file" in line]
            self.frontends[module] = [self.spelled_out(job) for job in jobs]
        for job in self.frontends[module]:
            if job[job.index("-primary-file") + 1] == str(source):
                return list(job)
        raise SystemExit(f"{source} is no file of {module}")

    @staticmethod
    def spelled_out(job):
        """A call with the module's files in it, where it has the name of their list."""
        if "-filelist" not in job:
            return job
        at = job.index("-filelist")
        own = job[job.index("-primary-file") + 1]
        others = [file for file in pathlib.Path(job[at + 1]).read_text().splitlines() if file and file != own]
        return job[:at] + job[at + 2:] + others

    def binary(self, file, text):
        """The tests with another text of one file; the compiler's message when it has one."""
        source = ROOT / file
        folders = file.split("/")
        module = "Ostiary" + folders[2] if file.startswith(DOORS) else folders[1]
        changed = self.work / source.name
        changed.write_text(text)
        made = self.work / (source.name + ".o")
        job = self.frontend(module, source)
        job[job.index("-primary-file") + 1] = str(changed)
        job[job.index("-o") + 1] = str(made)
        done = subprocess.run(job, cwd=ROOT, capture_output=True, text=True, errors="replace")
        if done.returncode:
            message = re.search(r"error: (.*)", done.stderr)
            return None, "the compiler: " + (message.group(1) if message else "it stopped")
        link = list(self.linker)
        at = next(i for i, part in enumerate(link) if part.endswith(".LinkFileList"))
        objects = pathlib.Path(link[at].lstrip("@")).read_text()
        old = f"{module}.build/{source.name}.o"
        if objects.count(old) != 1:
            raise SystemExit(f"{old} is not linked once")
        listed = self.work / "Objects.LinkFileList"
        listed.write_text(re.sub(rf"(?m)^.*{re.escape(old)}.*$", lambda _: f"'{made}'", objects))
        link[at] = f"@{listed}"
        tests = self.work / "tests.xctest"
        link[link.index("-o") + 1] = str(tests)
        subprocess.run(link, cwd=ROOT, capture_output=True, text=True, check=True)
        return tests, None


def notice(tests, filter):
    """Who notices; None when nobody does. One test has a minute, many have four."""
    command = [str(tests), "--testing-library", "swift-testing", "--no-parallel", "--filter", filter]
    running, status = "?", None
    for line in lines(command, 60 if filter.startswith("/") and "|" not in filter else 240, cwd=ROOT, env=dict(os.environ, SWIFT_BACKTRACE="enable=no")):
        if not isinstance(line, str):
            status = line
            break
        failed = FAILED.search(line)
        if failed:
            return failed.group(1)
        started = RUNNING.search(line)
        running = started.group(1) if started else running
    if status == 0:
        return None
    return f"{'it never ends' if status is None else 'it crashes'}: {running}"


def near(file):
    return next((filter for place, filter in NEAR if file.startswith(place)), ALL)


def earlier_rows():
    """The rows of the page, by mistake."""
    table = PAGE.read_text().split(BEGIN, 1)[1].split(END, 1)[0]
    return {line.split(" | ")[0].removeprefix("| "): line for line in table.splitlines() if line.startswith("| ")}


def earlier_filters():
    """The test that noticed each mistake last time, as a filter."""
    known = functions()
    found = {}
    for name, row in earlier_rows().items():
        test = row.split(" | ")[-1].removesuffix(" |").removeprefix("it never ends: ").removeprefix("it crashes: ")
        if test in known:
            found[name] = rf"/{known[test]}\("
    return found


def write_table(rows):
    """Writes the rows of a run into the page: in the order of the mistakes, beside those of earlier runs."""
    before, rest = PAGE.read_text().split(BEGIN, 1)
    _, after = rest.split(END, 1)
    earlier = earlier_rows()
    table = ["| Mistake | Shape | Noticed by |", "|---|---|---|"]
    for name, shape, *_ in MUTANTS:
        table.append(rows.get(name) or earlier.get(name) or f"| {name} | {shape} | not run yet |")
    PAGE.write_text(f"{before}{BEGIN}\n\n" + "\n".join(table) + f"\n\n{END}{after}")


def main(words):
    chosen = [mutant for mutant in MUTANTS if not words or any(word in mutant[0] for word in words)]
    for name, _, file, old, _ in chosen:
        if (ROOT / file).read_text().count(old) < 1:
            sys.exit(f"{name}: {file} has changed")
    rows, survivors, filters = {}, 0, earlier_filters()
    with tempfile.TemporaryDirectory() as folder:
        for shape in sorted({shape for _, shape, *_ in chosen}):
            build = Shape(shape, pathlib.Path(folder))
            # Without a mistake nothing is noticed: what is noticed below is the mistakes' doing.
            file = chosen[0][2]
            tests, found = build.binary(file, (ROOT / file).read_text())
            found = found or notice(tests, ALL)
            if found:
                sys.exit(f"without a mistake a test fails in the shape of {shape}: {found}")
            for name, _, file, old, new in [mutant for mutant in chosen if mutant[1] == shape]:
                text = (ROOT / file).read_text()
                tests, found = build.binary(file, text.replace(old, new, 1))
                for filter in dict.fromkeys((filters.get(name, near(file)), near(file), ALL)):
                    found = found or notice(tests, filter)
                print(f"{name}: {found or 'NOBODY NOTICED'}", flush=True)
                rows[name] = f"| {name} | {shape} | {(found or 'nobody').replace('|', '/')} |"
                survivors += found is None
    write_table(rows)
    print(f"{len(rows) - survivors} of {len(rows)} mistakes are noticed")
    sys.exit(survivors > 0)


if __name__ == "__main__":
    main(sys.argv[1:])
