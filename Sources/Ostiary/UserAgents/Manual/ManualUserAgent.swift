public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Shows a URL and reads the redirect that the person pastes: for a machine without a browser.
///
/// The browser, wherever it is, ends on a page that it may not be able to show; its address is the redirect. A loopback
/// redirect URI without a port is used as it is written.
public struct ManualUserAgent: UserAgent {
    private static let tries = 5

    private let show: @Sendable (URL) -> Void
    private let read: @Sendable () async throws -> String?

    /// Makes a user agent.
    ///
    /// - Parameters:
    ///   - show: Told the URL that the person is to open.
    ///   - read: Asks for the address that the browser ended on; `nil` means that the person gave up. It is called again,
    ///     up to five times in all, when what it returned is empty or does not go to the redirect URI.
    public init(
        show: @escaping @Sendable (URL) -> Void,
        read: @escaping @Sendable () async throws -> String?
    ) {
        self.show = show
        self.read = read
    }

    /// Gets ready for any redirect URI; nothing listens there.
    public func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        UserAgentAttempt(
            redirectURI: redirectURI,
            // The pasted address is the one URL that it gets.
            open: { (url: URL, _: RedirectPredicate) async throws(SignInError) -> URL in
                show(url)
                return try await redirect(to: redirectURI)
            }
        )
    }

    private func redirect(to redirectURI: RedirectURI) async throws(SignInError) -> URL {
        for _ in 0..<Self.tries {
            guard let text = try await line() else { throw SignInError(.authorization, .cancelled) }
            // An address that goes elsewhere, such as that of the sign-in page, is a slip and no answer.
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
