public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Lists the sessions of one user, so that the user can see and end them.
public protocol SessionListStore: Sendable {
    /// The sessions of a subject that have not expired, the newest first.
    ///
    /// - Parameters:
    ///   - issuer: The issuer of the subject.
    ///   - subject: The user at that issuer.
    ///   - limit: The most sessions to return; none for a limit below 1.
    ///   - now: The time.
    /// - Returns: The sessions.
    /// - Throws: The store's failure.
    func sessions(
        issuer: String,
        subject: String,
        limit: Int,
        now: Date
    ) async throws(StorageFailure) -> [ServerSessionRecord]
}
