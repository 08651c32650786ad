public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One record of the provider's state.
///
/// The key of a code, a token, a session or an interaction is its digest: storage never holds what would open anything,
/// but for the signing keys.
public struct ProviderRecord: Sendable, Hashable {
    /// The kind of a record.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A sign-in that waits for the user.
        case interaction
        /// A user's login in one browser.
        case loginSession = "login_session"
        /// The accounts that users have signed in with in one browser.
        case browserAccounts = "browser_accounts"
        /// A client that is to hear of a login's end.
        case sessionClient = "session_client"
        /// A logout token that a client has not taken yet.
        case pendingLogout = "pending_logout"
        /// A user's consent to a client.
        case consent
        /// The grant of one sign-in: its tokens are valid only while this record exists.
        case grant
        /// An authorization code.
        case authorizationCode = "authorization_code"
        /// A refresh token.
        case refreshToken = "refresh_token"
        /// An access token.
        case accessToken = "access_token"
        /// A DPoP proof that was accepted, so that it is not accepted again.
        case dpopProof = "dpop_proof"
        /// A client's assertion that was accepted, so that it is not accepted again.
        case clientAssertion = "client_assertion"
        /// A proof of an attested instance that was accepted, so that it is not accepted again.
        case attestationProof = "attestation_proof"
        /// A one-time password that was accepted, so that it is not accepted again.
        case oneTimePassword = "one_time_password"
        /// An authorization request that a client pushed.
        case pushedRequest = "pushed_request"
        /// A device authorization request that waits for the user (RFC 8628).
        case deviceCode = "device_code"
        /// The code that the user enters for a device.
        case userCode = "user_code"
        /// The user's decision about a device.
        case deviceDecision = "device_decision"
        /// The polling of a device.
        case devicePolling = "device_polling"
        /// A client that registered itself (RFC 7591).
        case registeredClient = "registered_client"
        /// A user's passkey.
        case passkey
        /// The secret part of pairwise subjects.
        case subjectSalt = "subject_salt"
        /// A private key, as a JSON Web Key.
        case signingKey = "signing_key"
    }

    /// The limits of a content as JSON text, those of a whole snapshot: a storage that keeps text reads it with them.
    public static let limits = JSONLimits(
        maximumBytes: Provider.maximumSnapshotBytes,
        maximumDepth: 64,
        maximumMembers: 1_000_000
    )

    /// The kind of the record.
    public var kind: Kind
    /// The key, unique for its kind.
    public var key: String
    /// The grant that it belongs to.
    public var family: String?
    /// The login that it ends with.
    public var session: String?
    /// The content.
    public var value: JSONObject
    /// The time after which the record may be deleted; `nil` for never.
    public var expires: Date?

    /// Makes a record.
    public init(
        kind: Kind,
        key: String,
        family: String? = nil,
        session: String? = nil,
        value: JSONObject,
        expires: Date?
    ) {
        self.kind = kind
        self.key = key
        self.family = family
        self.session = session
        self.value = value
        self.expires = expires
    }

    /// A record as a storage holds it.
    public struct Stored: Sendable, Hashable {
        /// The record.
        public var record: ProviderRecord
        /// Whether it was used.
        public var isUsed: Bool

        /// Joins a record and its use.
        public init(_ record: ProviderRecord, isUsed: Bool) {
            self.record = record
            self.isUsed = isUsed
        }
    }

    /// The result of using a record once.
    public enum Use: Sendable, Hashable {
        /// There is no such record.
        case absent
        /// This was the first use.
        case first(ProviderRecord)
        /// It was used before.
        case again(ProviderRecord)
    }

    /// The records to remove.
    public enum Selection: Sendable, Hashable {
        /// The one with this key.
        case key(Kind, String)
        /// Every record of a grant.
        case family(String)
        /// Every record that ends with a login.
        case session(String)
        /// Every record that may be forgotten by now.
        case expired(at: Date)
    }
}

extension ProviderRecord: CustomStringConvertible, CustomReflectable {
    /// The kind alone.
    public var description: String { "ProviderRecord(\(kind.rawValue))" }
    /// The kind alone.
    public var customMirror: Mirror { Mirror(self, children: ["kind": kind.rawValue]) }
}
