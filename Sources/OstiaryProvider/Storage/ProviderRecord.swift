public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One thing that the provider remembers.
///
/// The key of a code, a token, a session or an interaction is its digest: storage never holds what would open anything,
/// but for the signing keys.
public struct ProviderRecord: Sendable, Hashable {
    /// What is remembered.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A sign-in that waits for the person.
        case interaction
        /// A person's login in one browser.
        case loginSession = "login_session"
        /// What a person allows a client.
        case consent
        /// What one sign-in gave: every token of it is good only while this record is there.
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
        /// An authorization request that a client pushed.
        case pushedRequest = "pushed_request"
        /// What a device asked for, and waits for (RFC 8628).
        case deviceCode = "device_code"
        /// The code that a person types for a device.
        case userCode = "user_code"
        /// What a person decided for a device.
        case deviceDecision = "device_decision"
        /// How a device asks whether the person has decided.
        case devicePolling = "device_polling"
        /// A client that registered itself (RFC 7591).
        case registeredClient = "registered_client"
        /// A private key, as a JSON Web Key.
        case signingKey = "signing_key"
    }

    /// What is remembered.
    public var kind: Kind
    /// The key, unique for its kind.
    public var key: String
    /// The grant that it belongs to.
    public var family: String?
    /// The login that it ends with.
    public var session: String?
    /// The content.
    public var value: JSONObject
    /// When it may be forgotten; `nil` for never.
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

    /// What using a record once came to.
    public enum Use: Sendable, Hashable {
        /// There is no such record.
        case absent
        /// This was the first use.
        case first(ProviderRecord)
        /// It was used before.
        case again(ProviderRecord)
    }

    /// Which records to remove.
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
