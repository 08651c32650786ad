import Foundation
import Ostiary
import OstiaryOAuth
import Synchronization

extension UserAgentOptions {
    /// The user agent that was asked for.
    func userAgent(console: Console) throws(UsageError) -> any UserAgent {
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

    /// The person's browser, and the URL for a person whose browser is elsewhere.
    static func browser(console: Console) -> LoopbackBrowser {
        LoopbackBrowser(
            appName: "the terminal",
            announce: { console.note("If no browser opens, visit: \($0.withoutIdentity)") }
        )
    }

    /// Lets a browser show its last page, which this process serves.
    static func settle(_ userAgent: any UserAgent) async {
        await (userAgent as? LoopbackBrowser)?.settle()
    }

    /// The URL on standard error, the redirect on standard input.
    ///
    /// A person who pastes the wrong address is asked again; a script's one line is taken at its word.
    private static func manual(console: Console) -> ManualUserAgent {
        let lines = Mutex(0)
        return ManualUserAgent(
            // All of it: this is the page that the person opens.
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

    /// Pages without a person.
    static func http(credentials: HTTPUserAgent.Credentials?) -> HTTPUserAgent {
        HTTPUserAgent(transport: commandTransport, credentials: credentials)
    }
}

extension URL {
    /// The URL to show, without the ID token that an end-session request carries.
    ///
    /// The hint spares a question: without it the provider asks the person whether to sign out.
    fileprivate var withoutIdentity: String {
        let parts = absoluteString.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return absoluteString.printable }
        let query = parts[1].split(separator: "&").filter { !$0.hasPrefix("id_token_hint=") }.joined(separator: "&")
        return (parts[0] + "?" + query).printable
    }
}
