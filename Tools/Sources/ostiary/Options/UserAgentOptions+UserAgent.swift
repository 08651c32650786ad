import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Synchronization

extension UserAgentOptions {
    /// Returns the requested user agent.
    func userAgent(console: Console) throws(UsageError) -> any UserAgent {
        TimedUserAgent(next: CommandRecording.recording(try chosen(console: console)), seconds: timeout)
    }

    private func chosen(console: Console) throws(UsageError) -> any UserAgent {
        switch userAgent {
        case .browser:
            let browser = Self.browser(console: console, waiting: timeout)
            return RejectionReporter(next: PastingBrowser(browser: browser, console: console), console: console)
        case .manual: return RejectionReporter(next: Self.manual(console: console), console: console)
        case .http:
            guard let httpUser, let httpPasswordFile else { return Self.http(credentials: nil) }
            return Self.http(
                credentials: HTTPUserAgent.Credentials(
                    name: httpUser,
                    password: try SecretSource.file(httpPasswordFile).secret(console: console),
                    oneTimePassword: try oneTimePassword(console: console)
                )
            )
        }
    }

    /// The one-time passwords of the account; `nil` for an account without.
    private func oneTimePassword(console: Console) throws(UsageError) -> (@Sendable () -> Secret)? {
        guard let file = httpOneTimePasswordFile else { return nil }
        let secret = try SecretSource.file(file).secret(console: console)
        do throws(OneTimePassword.Failure) {
            let password = try OneTimePassword(secret: secret)
            return { password.code(at: .now) }
        } catch {
            throw UsageError("The file \(file) has no secret of 16 to 128 bytes in base32.")
        }
    }

    /// The user's browser, with a printed URL for a user whose browser is on another machine.
    ///
    /// `seconds` is the time that the command waits; `nil` to print no more than the URL.
    static func browser(console: Console, waiting seconds: Int? = nil) -> LoopbackBrowser {
        let problem = BrowserProblem.current
        return LoopbackBrowser(
            appName: "the terminal",
            opener: problem == nil ? .system : .none,
            announce: { url in
                if let problem {
                    console.note("No browser can be opened here: \(problem). Open this URL in a browser:")
                    console.note("")
                    console.note(url.withoutIdentity)
                    console.note("")
                } else {
                    console.note("Opening the browser. If it does not open, visit: \(url.withoutIdentity)")
                }
                if url.carriesIdentity {
                    console.note(
                        "This URL has no id_token_hint, because the ID token is not for a terminal's log: the issuer may ask "
                            + "you to confirm."
                    )
                }
                guard let seconds else { return }
                if problem != nil { noteOtherMachine(console) }
                console.note("Waiting up to \(seconds.inWords). If the browser shows an error, stop with Ctrl-C.")
            },
            openingFailed: { error in
                // Where no browser can be opened, that was said before.
                guard problem == nil, seconds != nil else { return }
                console.note("No browser was opened: \(error.message)".printable)
                noteOtherMachine(console)
            }
        )
    }

    /// Says what to do when the browser is on another machine than this command.
    private static func noteOtherMachine(_ console: Console) {
        if LineOfInput.isTyped {
            console.note(
                """
                On another machine the browser ends on a page at 127.0.0.1 that it cannot load: that is expected. \
                Copy the address of that page, paste it here, and press Enter.
                """
            )
        } else {
            console.note(
                """
                The browser has to run on this machine. For a browser on another one, run:
                  \(CommandArguments.line(adding: ["--user-agent", "manual"]).printable)
                """
            )
        }
    }

    /// Lets a browser display its last page, which this process serves.
    static func settle(_ userAgent: any UserAgent) async {
        switch userAgent {
        case let timed as TimedUserAgent: await settle(timed.next)
        case let recording as RecordingUserAgent: await settle(recording.next)
        case let reporter as RejectionReporter: await settle(reporter.next)
        case let pasting as PastingBrowser: await pasting.browser.settle()
        case let browser as LoopbackBrowser: await browser.settle()
        default: break
        }
    }

    /// The URL on standard error, the redirect on standard input.
    ///
    /// After a wrong URL, a user at a terminal can paste another one; a script's single line is final.
    private static func manual(console: Console) -> ManualUserAgent {
        let lines = Mutex(0)
        return ManualUserAgent(
            // The whole URL: the user opens this page.
            show: { console.note($0.absoluteString.printable) },
            read: {
                let count = lines.withLock { count in
                    count += 1
                    return count
                }
                if LineOfInput.isTyped {
                    console.note(count == 1 ? steps : "That is not the address of the last page; paste all of it:")
                } else if count > 1 {
                    throw SignInError(.redirect, .mismatch(.redirectURI))
                }
                let line = try await LineOfInput.read()
                if line == nil {
                    console.note(
                        "Standard input ended without the address of the last page: write it to the input as one line."
                    )
                }
                return line
            }
        )
    }

    private static let steps = """

        1. Open the URL above in any browser, and sign in.
        2. The browser then ends on a page that it may fail to load: that is expected.
        3. Copy the full address of that page and paste it here:
        """

    /// Pages without a user.
    static func http(credentials: HTTPUserAgent.Credentials?) -> HTTPUserAgent {
        HTTPUserAgent(transport: commandTransport, credentials: credentials)
    }
}

extension URL {
    /// Whether it is an end-session request with the ID token as a hint.
    fileprivate var carriesIdentity: Bool { absoluteString.printable != withoutIdentity }

    /// The URL to print, without the ID token of an end-session request.
    ///
    /// With the hint the issuer need not ask the user for confirmation. A browser that this command opens posts the
    /// hint.
    fileprivate var withoutIdentity: String {
        let parts = absoluteString.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return absoluteString.printable }
        let query = parts[1].split(separator: "&").filter { !$0.hasPrefix("id_token_hint=") }.joined(separator: "&")
        return (parts[0] + "?" + query).printable
    }
}
