import Ostiary

/// An account that was merged into another.
public struct LinkedAccount: Sendable, Hashable {
    /// The evidence by which two accounts were merged.
    public struct Reason: RawRepresentable, Sendable, Hashable {
        /// The value as it was sent; unknown values pass through.
        public let rawValue: String
        /// Takes any value.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// They used one device.
        public static let deviceLink = Reason(rawValue: "t1_device_link")
        /// They have one address.
        public static let emailMatch = Reason(rawValue: "t2_email_match")
        /// The user entered a one-time code.
        public static let oneTimeCode = Reason(rawValue: "t3_otp")
        /// The user was signed in to both.
        public static let sessionToken = Reason(rawValue: "session_token")
    }

    /// The account that no longer exists.
    public let sub: String
    /// The account that it went into.
    public let mergedCanonicalSub: String?
    /// The evidence by which the accounts were merged.
    public let reason: Reason?
    /// The time of the merge, as the server wrote it (ISO 8601).
    public let occurredAt: String?
    /// The server's identifier of the event.
    public let sourceEventID: String?

    /// Describes an account; often only its identifier is known.
    public init(
        sub: String,
        mergedCanonicalSub: String? = nil,
        reason: Reason? = nil,
        occurredAt: String? = nil,
        sourceEventID: String? = nil
    ) {
        self.sub = sub
        self.mergedCanonicalSub = mergedCanonicalSub
        self.reason = reason
        self.occurredAt = occurredAt
        self.sourceEventID = sourceEventID
    }
}

/// Reads claims, and names an invalid one.
struct LogiClaimReader {
    /// The largest number of merges of one account.
    private static let maximumLinks = 1000

    private let claims: JSONObject

    init(_ claims: JSONObject) { self.claims = claims }

    func required(_ name: String) throws(SignInError) -> String {
        guard let text = try string(name) else { throw malformed(name) }
        return text
    }

    func string(_ name: String) throws(SignInError) -> String? {
        guard let value = claims[name], !value.isNull else { return nil }
        guard let text = value.string, (1...1024).contains(text.utf8.count) else { throw malformed(name) }
        return text
    }

    func bool(_ name: String) throws(SignInError) -> Bool? {
        guard let value = claims[name], !value.isNull else { return nil }
        guard let bool = value.bool else { throw malformed(name) }
        return bool
    }

    /// Identifiers alone in one document, objects in the other: both are read, also side by side.
    func linkedAccounts() throws(SignInError) -> [LinkedAccount] {
        guard let value = claims["linked_subs"], !value.isNull else { return [] }
        guard let values = value.array, values.count <= Self.maximumLinks else { throw malformed("linked_subs") }
        var accounts: [LinkedAccount] = []
        for value in values { accounts.append(try linkedAccount(value)) }
        return accounts
    }

    private func linkedAccount(_ value: JSONValue) throws(SignInError) -> LinkedAccount {
        if let sub = value.string, !sub.isEmpty { return LinkedAccount(sub: sub) }
        guard let object = value.object else { throw malformed("linked_subs") }
        let reader = LogiClaimReader(object)
        guard let sub = try? reader.required("sub") else { throw malformed("linked_subs") }
        return LinkedAccount(
            sub: sub,
            mergedCanonicalSub: try reader.string("merged_canonical_sub"),
            reason: try reader.string("merged_via").map(LinkedAccount.Reason.init),
            occurredAt: try reader.string("occurred_at"),
            sourceEventID: try reader.string("source_event_id")
        )
    }

    private func malformed(_ name: String) -> SignInError { SignInError(.identity, .malformed("the claim \(name)")) }
}
