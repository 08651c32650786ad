public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Stores the result of each user's verification, and nothing else about the user.
public protocol VerificationRecordStore: Sendable {
    /// Stores a record in place of an older one of the same subject; a newer one stays.
    func save(_ record: ServerVerificationRecord) async throws(StorageFailure)

    /// The record of a subject; `nil` without one.
    func verification(of subject: String) async throws(StorageFailure) -> ServerVerificationRecord?

    /// Removes the record of a subject, such as at the user's request.
    func removeVerification(of subject: String) async throws(StorageFailure)
}

/// The stored result of a user's verification.
public struct ServerVerificationRecord: Sendable, Hashable {
    /// Whether the user is a member.
    public let verified: Bool
    /// The user's identifier for this client alone (`sub`).
    public let subject: String
    /// The cohort that the user joined in, as a string: "0" is a valid one.
    public let cohort: String?
    /// The user's campus.
    public let campus: String?
    /// The time of the verification.
    public let verifiedAt: Date

    /// Describes a verified user.
    public init(verified: Bool, subject: String, cohort: String?, campus: String?, verifiedAt: Date) {
        self.verified = verified
        self.subject = subject
        self.cohort = cohort
        self.campus = campus
        self.verifiedAt = verifiedAt
    }
}

extension ServerVerificationRecord: CustomStringConvertible, CustomReflectable {
    /// Nothing about the user.
    public var description: String { "ServerVerificationRecord(verified: \(verified))" }
    /// Nothing about the user.
    public var customMirror: Mirror { Mirror(self, children: ["verified": verified]) }
}
