public import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps who was verified, and of each person no more than that.
public protocol VerificationRecordStore: Sendable {
    /// Keeps a record in the place of an older one of the same subject; a newer one stays.
    func save(_ record: ServerVerificationRecord) async throws(StorageFailure)

    /// What is known of a subject; `nil` when nothing is.
    func verification(of subject: String) async throws(StorageFailure) -> ServerVerificationRecord?

    /// Forgets a subject, such as when somebody asks to be forgotten.
    func removeVerification(of subject: String) async throws(StorageFailure)
}

/// What is kept of a person who was verified.
public struct ServerVerificationRecord: Sendable, Hashable {
    /// Whether the person is a member.
    public let verified: Bool
    /// Who the person is to this client alone (`sub`).
    public let subject: String
    /// The year that the person joined in, as a text: "0" is one too.
    public let cohort: String?
    /// Where.
    public let campus: String?
    /// When the person showed it.
    public let verifiedAt: Date

    /// Describes a person who was verified.
    public init(verified: Bool, subject: String, cohort: String?, campus: String?, verifiedAt: Date) {
        self.verified = verified
        self.subject = subject
        self.cohort = cohort
        self.campus = campus
        self.verifiedAt = verifiedAt
    }
}

extension ServerVerificationRecord: CustomStringConvertible, CustomReflectable {
    /// Nothing of the person.
    public var description: String { "ServerVerificationRecord(verified: \(verified))" }
    /// Nothing of the person.
    public var customMirror: Mirror { Mirror(self, children: ["verified": verified]) }
}
