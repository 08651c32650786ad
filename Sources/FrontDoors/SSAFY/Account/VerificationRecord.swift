public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The only data of a verification that an app may store: the user's identifier, cohort, campus, and the time.
///
/// The service forbids storing more, so the record has no other members.
public struct VerificationRecord: Sendable, Hashable {
    /// The user's identifier for this client alone.
    public let subject: String
    /// The cohort; `0` is the staff.
    public let cohort: String?
    /// The campus.
    public let campus: String?
    /// The time of the verification.
    public let verifiedAt: Date

    /// Takes the values of a result that may be stored.
    public init(_ result: VerificationResult) {
        subject = result.subject
        cohort = result.cohort
        campus = result.campus
        verifiedAt = result.authenticated
    }

    init(_ bytes: [UInt8]) throws(VerificationError) {
        guard let object = try? JSONObject(parsing: bytes), object["verified"] == true,
            let subject = object["sub"]?.string, let time = object["verifiedAt"]?.number
        else { throw VerificationError(.storage(.corrupted)) }
        self.subject = subject
        cohort = object["cohort"]?.string
        campus = object["campus"]?.string
        verifiedAt = Date(timeIntervalSince1970: time)
    }

    var bytes: [UInt8] {
        var object: JSONObject = ["verified": true, "sub": .string(subject)]
        object["cohort"] = cohort.map { .string($0) }
        object["campus"] = campus.map { .string($0) }
        object["verifiedAt"] = .number(verifiedAt.timeIntervalSince1970)
        return object.encoded()
    }
}

extension VerificationRecord: CustomStringConvertible, CustomReflectable {
    /// The type's name alone; no data about the user.
    public var description: String { "VerificationRecord" }
    /// Has no children, so that `dump` finds nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Keeps the record of one client in a store.
///
/// Signing out is forgetting it: SSAFY Verify has no session that could end.
public struct VerificationRecordKeeper: Sendable {
    private let store: any SecretStore
    private let key: StoreKey

    /// Keeps records in a store.
    public init(_ configuration: SSAFYConfiguration, in store: any SecretStore) {
        self.store = store
        let parts = ["verification", configuration.issuer.description, configuration.clientID]
        key = StoreKey(parts.map(FormURLEncoding.escape).joined(separator: "/"))
    }

    /// Keeps a record in place of the one before.
    ///
    /// - Throws: `storage`; the one before is still there.
    public func keep(_ record: VerificationRecord) async throws(VerificationError) {
        do throws(StorageFailure) {
            try await store.write(record.bytes, for: key)
        } catch {
            throw VerificationError(.storage(error))
        }
    }

    /// Returns the stored record; `nil` for none.
    ///
    /// - Throws: `storage`; the stored record is unchanged.
    public func record() async throws(VerificationError) -> VerificationRecord? {
        let bytes: [UInt8]?
        do throws(StorageFailure) {
            bytes = try await store.read(key)
        } catch {
            throw VerificationError(.storage(error))
        }
        guard let bytes else { return nil }
        return try VerificationRecord(bytes)
    }

    /// Forgets the record.
    ///
    /// - Throws: `storage`; the record is still there.
    public func forget() async throws(VerificationError) {
        do throws(StorageFailure) {
            try await store.remove(key)
        } catch {
            throw VerificationError(.storage(error))
        }
    }
}
