import OstiaryJOSE

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An attestation as the instance holds it: read, and not verified, since only servers know the attester's keys.
struct HeldAttestation: Sendable {
    static let type = "oauth-client-attestation+jwt"
    /// The time before its expiry at which an attestation is renewed, in seconds.
    private static let margin: Double = 30

    let compact: Secret
    private let expires: Double

    /// Parses an attestation from an attester.
    ///
    /// - Throws: `malformed` with the invalid part. Every server would reject an attestation that has expired or is for
    ///   another client or key, without saying why.
    init(_ compact: Secret, for request: ClientAttester.Request, now: Date) throws(SignInError) {
        func wrong(_ part: String) -> SignInError { SignInError(.token, .malformed("the client attestation: \(part)")) }
        guard let token = try? UnverifiedJWT(compact.reveal(), maximumBytes: 8_192) else { throw wrong("form") }
        guard token.header.type == Self.type else { throw wrong("typ") }
        let parts = compact.reveal().split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = try? Base64URL.decode(parts[1]),
            let claims = try? JSONObject(parsing: payload)
        else { throw wrong("payload") }
        guard claims["sub"]?.string.map({ $0.utf8.elementsEqual(request.clientID.utf8) }) ?? false else {
            throw wrong("sub")
        }
        guard let key = claims["cnf"]?.object?["jwk"]?.object.flatMap({ try? JSONWebKey($0) }),
            constantTimeEqual(key.thumbprint(), request.publicKey.thumbprint())
        else { throw wrong("cnf") }
        guard let expires = claims["exp"]?.number, expires > now.timeIntervalSince1970 else { throw wrong("exp") }
        self.compact = compact
        self.expires = expires
    }

    func lasts(at now: Date) -> Bool { now.timeIntervalSince1970 < expires - Self.margin }

    /// Whether the attestation has not expired, even if it is due for renewal.
    func isGood(at now: Date) -> Bool { now.timeIntervalSince1970 < expires }
}
