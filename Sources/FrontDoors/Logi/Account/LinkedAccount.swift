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
    /// The time of the merge, as the server wrote it: ISO 8601, or a number.
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

/// Reads claims: strictly those that decide whose data the user sees, leniently those that only inform.
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

    /// A text about the account; a number counts as its digits, and anything else as absent.
    func informationalText(_ name: String) -> String? {
        guard let value = claims[name] else { return nil }
        let text = value.string ?? value.integer.map { String($0) }
        return text.flatMap { (1...1024).contains($0.utf8.count) ? $0 : nil }
    }

    /// A statement about the account; anything but a Boolean counts as absent.
    func informationalBool(_ name: String) -> Bool? { claims[name]?.bool }

    /// Identifiers alone in one document, objects in the other: both are read, also side by side.
    ///
    /// An entry without an identifier is left out.
    func linkedAccounts() -> [LinkedAccount] {
        (claims["linked_subs"]?.array ?? []).prefix(Self.maximumLinks).compactMap(linkedAccount)
    }

    private func linkedAccount(_ value: JSONValue) -> LinkedAccount? {
        if let sub = value.string { return (1...1024).contains(sub.utf8.count) ? LinkedAccount(sub: sub) : nil }
        let reader = LogiClaimReader(value.object ?? JSONObject())
        guard let sub = try? reader.required("sub") else { return nil }
        return LinkedAccount(
            sub: sub,
            mergedCanonicalSub: reader.informationalText("merged_canonical_sub"),
            reason: reader.informationalText("merged_via").map(LinkedAccount.Reason.init),
            occurredAt: reader.informationalText("occurred_at"),
            sourceEventID: reader.informationalText("source_event_id")
        )
    }

    private func malformed(_ name: String) -> SignInError { SignInError(.identity, .malformed("the claim \(name)")) }
}
