import Crypto
import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Scenario {
    /// `iss` with a `1` behind it.
    public static let invalidIssuer = idToken("oidcc-client-test-invalid-iss") { $0.append("1", to: "iss") }
    /// No `iss`.
    public static let missingIssuer = idToken("missing-iss") { $0["iss"] = nil }
    /// `aud` with a `1` behind it.
    public static let invalidAudience = idToken("oidcc-client-test-invalid-aud") { $0.append("1", to: "aud") }
    /// No `aud`.
    public static let missingAudience = idToken("oidcc-client-test-missing-aud") { $0["aud"] = nil }
    /// A second audience that the client does not trust.
    public static let secondAudience = idToken("second-aud") { claims in
        claims["aud"] = .array([claims["aud"] ?? .null, "https://other.example"])
    }
    /// An `azp` that is not the client.
    public static let invalidAuthorizedParty = idToken("invalid-azp") { $0["azp"] = "https://other.example" }
    /// `sub` followed by a `1`: another user than in the UserInfo response.
    public static let invalidSubject = idToken("invalid-sub") { $0.append("1", to: "sub") }
    /// No `sub`.
    public static let missingSubject = idToken("oidcc-client-test-missing-sub") { $0["sub"] = nil }
    /// An empty `sub`.
    public static let emptySubject = idToken("empty-sub") { $0["sub"] = "" }
    /// No `iat`.
    public static let missingIssuedAt = idToken("oidcc-client-test-missing-iat") { $0["iat"] = nil }
    /// `iat` a week ago.
    public static let staleIssuedAt = idToken("iat-is-week-in-past") { $0.add(-7 * 86_400, to: "iat") }
    /// `iat` in an hour.
    public static let futureIssuedAt = idToken("iat-in-future") { $0.add(3600, to: "iat") }
    /// No `exp`.
    public static let missingExpiry = idToken("missing-exp") { $0["exp"] = nil }
    /// `exp` ten minutes ago, `iat` before that.
    public static let expired = idToken("expired-exp") { claims in
        claims.add(-900, to: "exp")
        claims.add(-900, to: "iat")
    }
    /// `nonce` with a `1` behind it.
    public static let invalidNonce = idToken("oidcc-client-test-nonce-invalid", on: .authorizationCode) {
        $0.append("1", to: "nonce")
    }
    /// No `nonce`.
    public static let missingNonce = idToken("missing-nonce") { $0["nonce"] = nil }
    /// `at_hash` with a `1` behind it.
    public static let invalidAccessTokenHash = idToken("oidcc-client-test-invalid-athash") {
        $0.append("1", to: "at_hash")
    }
    /// No `at_hash`, which a client of the code flow accepts.
    public static let missingAccessTokenHash = idToken("oidcc-client-test-missing-athash") { $0["at_hash"] = nil }
    /// No `auth_time`, which matters when the client sent `max_age`.
    public static let missingAuthenticationTime = idToken("missing-auth-time") { $0["auth_time"] = nil }
    /// `auth_time` two days ago, which matters when the client sent `max_age`.
    public static let staleAuthenticationTime = idToken("stale-auth-time") { $0.add(-2 * 86_400, to: "auth_time") }
    /// Times with a fraction, which a NumericDate may have (RFC 7519 section 2): to be accepted.
    public static let fractionalDates = idToken("fractional-dates") { claims in
        for name in ["exp", "iat", "auth_time"] {
            if let value = claims[name]?.number { claims[name] = .number(value + 0.5) }
        }
    }
    /// Every octet of the signature changed.
    public static let invalidSignature = draft("oidcc-client-test-invalid-sig-rs256") { $0.signature = .damaged }
    /// `alg` is `none`, and there is no signature.
    public static let unsigned = draft("oidcc-client-test-idtoken-sig-none") { draft in
        draft.header["alg"] = "none"
        draft.header["kid"] = nil
        draft.signature = .absent
    }
    /// An HMAC with a public key: the identifier of the signing key.
    public static let symmetricSignature = draft("oidcc-client-test-invalid-sig-hs256") { draft in
        let key = Array((draft.header["kid"]?.string ?? "").utf8)
        draft.header["alg"] = "HS256"
        draft.signature = .other { input in
            Array(HMAC<SHA256>.authenticationCode(for: input, using: SymmetricKey(data: key)))
        }
    }
    /// A key identifier that no key has.
    public static let unknownKeyID = draft("unknown-kid") { $0.header["kid"] = "no-such-key" }
    /// No key identifier, and none in the key set: to be accepted while one key fits.
    public static let absentKeyID = Scenario(name: "oidcc-client-test-kid-absent-single-jwks") {
        $0.idToken = { $0.header["kid"] = nil }
        $0.keySet = { document in
            let keys = document["keys"]?.array ?? []
            document["keys"] = .array(
                keys.map { key in
                    guard var object = key.object else { return key }
                    object["kid"] = nil
                    return .object(object)
                }
            )
        }
    }
    /// An extension that the client would have to understand (RFC 7515 section 4.1.11).
    public static let criticalHeader = draft("critical-header") { draft in
        draft.header["crit"] = ["https://example.com/critical"]
        draft.header["https://example.com/critical"] = true
    }
    /// A refreshed ID token with another `iss`.
    public static let refreshInvalidIssuer = idToken(
        "oidcc-client-test-refresh-token-invalid-issuer",
        on: .refreshToken
    ) {
        $0.append("1", to: "iss")
    }
    /// A refreshed ID token about another user.
    public static let refreshInvalidSubject = idToken("oidcc-client-test-refresh-token-invalid-sub", on: .refreshToken)
    {
        $0.append("1", to: "sub")
    }
    /// A refreshed ID token for another client.
    public static let refreshInvalidAudience = idToken("refresh-token-invalid-aud", on: .refreshToken) {
        $0.append("1", to: "aud")
    }
    /// A refreshed ID token with a nonce that the client never sent.
    public static let refreshUnexpectedNonce = idToken("refresh-token-unexpected-nonce", on: .refreshToken) {
        $0["nonce"] = "never-sent"
    }
    /// A refreshed ID token whose `auth_time` moved into the past.
    public static let refreshInvalidAuthenticationTime = idToken("refresh-token-invalid-auth-time", on: .refreshToken) {
        $0.add(-3600, to: "auth_time")
    }
    /// New, unpublished keys just before signing: to be accepted after the keys are read again.
    public static let keyRotation = Scenario(name: "oidcc-client-test-signing-key-rotation-just-before-signing") {
        $0.rotatesKeysBeforeSigning = true
    }

    private static func draft(_ name: String, _ change: @escaping @Sendable (inout TokenDraft) -> Void) -> Scenario {
        Scenario(name: name) { $0.idToken = change }
    }

    private static func idToken(
        _ name: String,
        on occasion: RegisteredClient.GrantType? = nil,
        _ change: @escaping @Sendable (inout JSONObject) -> Void
    ) -> Scenario {
        draft(name) { draft in
            if occasion.map({ $0 == draft.occasion }) ?? true { change(&draft.claims) }
        }
    }
}

extension JSONObject {
    fileprivate mutating func append(_ text: String, to name: String) {
        self[name] = .string((self[name]?.string ?? "") + text)
    }

    fileprivate mutating func add(_ seconds: Int, to name: String) {
        self[name] = .integer((self[name]?.integer ?? 0) + seconds)
    }
}
