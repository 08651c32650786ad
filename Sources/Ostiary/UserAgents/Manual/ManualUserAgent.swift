public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Prints a URL and reads the redirect that the user pastes, for a machine without a browser.
///
/// The user's browser, on any machine, ends on a page that it may not be able to load; the address of that page is the
/// redirect. A loopback redirect URI without a port is used as it is written.
public struct ManualUserAgent: UserAgent {
    private static let tries = 5

    private let show: @Sendable (URL) -> Void
    private let read: @Sendable () async throws -> String?

    /// Makes a user agent.
    ///
    /// - Parameters:
    ///   - show: Called with the URL that the user has to open.
    ///   - read: Returns the address that the browser ended on; `nil` means that the user gave up. It is called again,
    ///     up to five times in all, when the address is empty or does not go to the redirect URI.
    public init(
        show: @escaping @Sendable (URL) -> Void,
        read: @escaping @Sendable () async throws -> String?
    ) {
        self.show = show
        self.read = read
    }

    /// Prepares for any redirect URI; nothing listens there.
    public func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        UserAgentAttempt(
            redirectURI: redirectURI,
            // Ignores the predicate: the pasted address is the only URL.
            open: { (url: URL, _: RedirectPredicate) async throws(SignInError) -> URL in
                show(url)
                return try await redirect(to: redirectURI)
            }
        )
    }

    private func redirect(to redirectURI: RedirectURI) async throws(SignInError) -> URL {
        for _ in 0..<Self.tries {
            guard let text = try await line() else { throw SignInError(.authorization, .cancelled) }
            // An address with another destination, such as that of the sign-in page, is a mistake and not the answer.
            if let url = Self.url(in: text), redirectURI.isDestination(of: url) { return url }
        }
        throw SignInError(.authorization, .malformed("what was pasted is not the address of a redirect"))
    }

    private func line() async throws(SignInError) -> String? {
        let text: String?
        do {
            text = try await read()
        } catch let error as SignInError {
            throw error
        } catch is CancellationError {
            throw SignInError(.authorization, .cancelled)
        } catch {
            throw SignInError(.authorization, .configuration("The pasted address cannot be read."))
        }
        guard !Task.isCancelled else { throw SignInError(.authorization, .cancelled) }
        return text
    }

    private static func url(in text: String) -> URL? {
        let trimmed = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
        guard URIParts(trimmed) != nil else { return nil }
        return URL(string: trimmed)
    }
}
