import Foundation
import Ostiary
import OstiaryOAuth
import OstiaryTesting
import Synchronization

extension UserAgentOptions {
    /// Returns the requested user agent.
    func userAgent(console: Console) throws(UsageError) -> any UserAgent {
        CommandRecording.recording(try chosen(console: console))
    }

    private func chosen(console: Console) throws(UsageError) -> any UserAgent {
        switch userAgent {
        case .browser: return Self.browser(console: console)
        case .manual: return Self.manual(console: console)
        case .http:
            guard let httpUser, let httpPasswordFile else { return Self.http(credentials: nil) }
            return Self.http(
                credentials: HTTPUserAgent.Credentials(
                    name: httpUser,
                    password: try SecretSource.file(httpPasswordFile).secret(console: console)
                )
            )
        }
    }

    /// The user's browser, with a printed URL for a user whose browser is on another machine.
    static func browser(console: Console) -> LoopbackBrowser {
        LoopbackBrowser(
            appName: "the terminal",
            announce: { url in
                console.note("If no browser opens, visit: \(url.withoutIdentity)")
                if url.carriesIdentity {
                    console.note(
                        "This URL has no id_token_hint, because the ID token is not for a terminal's log: the issuer may ask "
                            + "you to confirm."
                    )
                }
            }
        )
    }

    /// Lets a browser display its last page, which this process serves.
    static func settle(_ userAgent: any UserAgent) async {
        let shown = (userAgent as? RecordingUserAgent)?.next ?? userAgent
        await (shown as? LoopbackBrowser)?.settle()
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
                    console.note(
                        count == 1
                            ? "Open this page, and paste the address that the browser ends on:"
                            : "That is not the address of the redirect; paste the whole address:"
                    )
                } else if count > 1 {
                    throw SignInError(.redirect, .mismatch(.redirectURI))
                }
                return try await LineOfInput.read()
            }
        )
    }

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
