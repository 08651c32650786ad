public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension UserAgentAttempt {
    /// Shows a URL and returns the redirect, as ``open(_:accepting:)`` does, or gives up.
    ///
    /// - Parameters:
    ///   - predicate: Which URL at the redirect URI answers the page.
    ///   - deadline: How long the user may take.
    /// - Throws: `timedOut` at stage `authorization` when it is over; the page is closed by then.
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
