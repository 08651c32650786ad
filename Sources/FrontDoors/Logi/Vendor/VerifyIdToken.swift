public import Ostiary
import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The required values of an ID token, in the terms of the vendor's document.
public struct VerifyExpected: Sendable, Hashable {
    /// The required `iss`.
    public var issuer: String
    /// The required audience.
    public var clientId: String
    /// The nonce of the request; `nil` compares none, as after a refresh.
    public var nonce: String?

    /// Takes the required values.
    public init(issuer: String = LogiPreset.issuer, clientId: String, nonce: String? = nil) {
        self.issuer = issuer
        self.clientId = clientId
        self.nonce = nonce
    }
}

/// An ID token that has passed every check of the vendor's list.
public struct VerifiedIdToken: Sendable, Hashable {
    /// The user's identifier.
    public let sub: String
    /// Every claim.
    public let claims: JSONObject
}

/// The first check of the vendor's list that an ID token did not pass.
public enum IdTokenVerifyError: String, Error, Sendable, Hashable {
    /// The token is not three parts with two JSON objects, or has no usable `iat`.
    case malformed
    /// The token is not signed with RS256, or the signature is invalid.
    case badSignature = "bad_signature"
    /// It does not name its key.
    case missingKid = "missing_kid"
    /// No RSA key has the name.
    case unknownKid = "unknown_kid"
    /// The token is of another issuer.
    case issMismatch = "iss_mismatch"
    /// The token has another audience, or was issued to another client.
    case audMismatch = "aud_mismatch"
    /// The token has expired, or has no expiry.
    case expired
    /// The token belongs to another request.
    case nonceMismatch = "nonce_mismatch"
    /// The token has no subject.
    case missingClaim = "missing_claim"
    /// The access token is not the one that belongs to it.
    case atHashMismatch = "at_hash_mismatch"
}

/// Checks an ID token that was not received by a sign-in here, for example in the app's own backend.
///
/// The checks are made in the order of the vendor's list, so that of two failures the same one is reported as by every
/// other logi SDK. A sign-in of ``Logi`` makes these checks and more, and needs no call of this.
///
/// - Parameters:
///   - idToken: The token.
///   - jwks: The issuer's keys.
///   - expected: The required values.
///   - now: The time to compare with.
///   - clockSkewSec: The accepted clock skew, in seconds: 0 to 60. Default 60.
///   - accessToken: Compared with `at_hash`, if the token has one; `nil` compares nothing.
/// - Returns: The verified token.
/// - Throws: The first check that failed.
public func verifyIdToken(
    _ idToken: String,
    jwks: JSONWebKeySet,
    expected: VerifyExpected,
    now: Date,
    clockSkewSec: Double = 60,
    accessToken: String? = nil
) throws(IdTokenVerifyError) -> VerifiedIdToken {
    let claims = try signedClaims(idToken, jwks)
    let time = now.timeIntervalSince1970
    let skew = min(max(clockSkewSec, 0), 60)
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
    // A key without a `kid` is not used here, though other verifiers may accept it.
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
