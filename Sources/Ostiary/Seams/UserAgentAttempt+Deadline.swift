public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension UserAgentAttempt {
    /// Presents a URL and returns the redirect, as ``open(_:accepting:)`` does, until a deadline.
    ///
    /// - Parameters:
    ///   - url: The URL to open.
    ///   - predicate: Accepts the URL at the redirect URI that is the response to the page.
    ///   - deadline: The time limit for the user.
    /// - Returns: The URL at the redirect URI, with its query.
    /// - Throws: `timedOut` at stage `authorization` after the deadline; the page is closed by then.
    public func open(
        _ url: URL,
        accepting predicate: RedirectPredicate,
        within deadline: Duration
    ) async throws(SignInError) -> URL {
        let result = await withTaskGroup(of: Result<URL, SignInError>?.self) { group in
            group.addTask {
                do throws(SignInError) { return .success(try await open(url, accepting: predicate)) } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                do { try await Task.sleep(for: deadline) } catch { return nil }
                return .failure(SignInError(.authorization, .timedOut))
            }
            defer { group.cancelAll() }
            while let first = await group.next() {
                if let first { return first }
            }
            return .failure(SignInError(.authorization, .cancelled))
        }
        return try result.get()
    }
}
