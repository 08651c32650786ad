public import Ostiary

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What an ID token has to say, in the words of the vendor's document.
public struct VerifyExpected: Sendable, Hashable {
    /// What `iss` says.
    public var issuer: String
    /// For whom it is.
    public var clientId: String
    /// The nonce of the request; `nil` compares none, as after a refresh.
    public var nonce: String?

    /// Takes what is expected.
    public init(issuer: String = LogiPreset.issuer, clientId: String, nonce: String? = nil) {
        self.issuer = issuer
        self.clientId = clientId
        self.nonce = nonce
    }
}

/// An ID token that has passed every check of the vendor's list.
public struct VerifiedIdToken: Sendable, Hashable {
    /// Who signed in.
    public let sub: String
    /// Every claim.
    public let claims: JSONObject
}

/// The first check of the vendor's list that an ID token did not pass.
public enum IdTokenVerifyError: String, Error, Sendable, Hashable {
    /// It is not three parts with two JSON objects, or says nothing usable of when it was made.
    case malformed
    /// It is not signed with RS256, or the signature is wrong.
    case badSignature = "bad_signature"
    /// It does not name its key.
    case missingKid = "missing_kid"
    /// No RSA key has the name.
    case unknownKid = "unknown_kid"
    /// It is of another issuer.
    case issMismatch = "iss_mismatch"
    /// It is for somebody else, or was made for another client.
    case audMismatch = "aud_mismatch"
    /// It has expired, or does not say when it will.
    case expired
    /// It answers another request.
    case nonceMismatch = "nonce_mismatch"
    /// It is about nobody.
    case missingClaim = "missing_claim"
    /// The access token is not the one that belongs to it.
    case atHashMismatch = "at_hash_mismatch"
}

/// Checks an ID token that came by another way than a sign-in here, such as to the app's own backend.
///
/// The checks are made in the order of the vendor's list, so that two failures at once are told as every other logi SDK
/// tells them. A sign-in of ``Logi`` checks more by itself, and needs no call of this.
///
/// - Parameters:
///   - idToken: The token as it came.
///   - jwks: The issuer's keys.
///   - expected: What it has to say.
///   - now: The time to compare with.
///   - clockSkewSec: How far the clocks may be apart, in seconds: 0 to 60. Default 60.
///   - accessToken: Compared with `at_hash`, if the token has one; `nil` compares nothing.
/// - Throws: The first check that failed.
public func verifyIdToken(
    _ idToken: String,
    jwks: JSONWebKeySet,
    expected: VerifyExpected,
    now: Date,
    clockSkewSec: Double = LogiPreset.clockTolerance,
    accessToken: String? = nil
) throws(IdTokenVerifyError) -> VerifiedIdToken {
    let claims = try signedClaims(idToken, jwks)
    let time = now.timeIntervalSince1970
    let skew = min(max(clockSkewSec, 0), LogiPreset.clockTolerance)
    guard claims["iss"] == .string(expected.issuer) else { throw .issMismatch }
    try checkAudience(claims, .string(expected.clientId))
    guard let expiry = claims["exp"]?.number, expiry > time - skew else { throw .expired }
    guard let made = claims["iat"]?.number, made <= time + skew else { throw .malformed }
    if let nonce = expected.nonce {
        guard let found = claims["nonce"]?.string, Secret(found) == Secret(nonce) else { throw .nonceMismatch }
    }
    guard let sub = claims["sub"]?.string, !sub.isEmpty else { throw .missingClaim }
    if let accessToken, let hash = claims["at_hash"], !hash.isNull {
        guard hash == .string(HashAlgorithm.sha256.leftHalf(of: accessToken)) else { throw .atHashMismatch }
    }
    return VerifiedIdToken(sub: sub, claims: claims)
}

/// The claims, after form, algorithm, key and signature.
private func signedClaims(_ idToken: String, _ jwks: JSONWebKeySet) throws(IdTokenVerifyError) -> JSONObject {
    guard let token = try? UnverifiedJWT(idToken) else { throw .malformed }
    guard token.header.algorithmName == SignatureAlgorithm.rs256.rawValue else { throw .badSignature }
    guard let name = token.header.keyID, !name.isEmpty else { throw .missingKid }
    // A key without a name is nobody's here, though it would do elsewhere.
    let named = jwks.keys.filter { $0.keyID?.utf8.elementsEqual(name.utf8) ?? false }
    do throws(JOSEError) {
        return try token.verified(by: JSONWebKeySet(named), algorithms: [.rs256]).claims
    } catch {
        switch error {
        case .noMatchingKey: throw .unknownKid
        case .base64URL, .json: throw .malformed
        default: throw .badSignature
        }
    }
}

private func checkAudience(_ claims: JSONObject, _ client: JSONValue) throws(IdTokenVerifyError) {
    let audiences: [JSONValue] =
        switch claims["aud"] {
        case .array(let values)?: values
        case let value?: [value]
        case nil: []
        }
    guard audiences.contains(client), audiences.allSatisfy({ $0.string != nil }) else { throw .audMismatch }
    guard audiences.count < 2 || claims["azp"] != nil else { throw .audMismatch }
    guard claims["azp"].map({ $0 == client }) ?? true else { throw .audMismatch }
}
