import OstiaryOAuth

#if canImport(FoundationNetworking)
    public import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// The errors of Logto's core, under its own names; none holds a secret.
public enum LogtoErrors {
    /// A token that cannot be taken apart.
    public enum Decoding: String, Error, Sendable, Hashable {
        /// The text has no payload: an opaque token, or no token.
        case noPayloadFound
        /// Its payload is not base64url.
        case invalidUrlSafeBase64Encoding
    }

    /// A check that an ID token did not pass.
    public enum Verification: Error, Sendable, Hashable {
        /// There are no keys.
        case missingJwk
        /// There are keys, and none of a kind that signs.
        case unsupportedJwkType
        /// No key fits the token.
        case noSigningKeyMatched
        /// It does not say how it is signed.
        case jwtMissingAlgorithmInHeader
        /// The token is signed with an algorithm that Logto does not use.
        case unsupportedAlgorithm
        /// The token has expired.
        case jwtExpired
        /// It was made too long ago, or will be.
        case jwtIssuedTimeIncorrect
        /// A value is not the one expected.
        case jwtValueMismatched(field: JwtField)
    }

    /// A redirect that is not a valid response.
    public enum UriVerification: Error, Sendable, Hashable {
        /// It goes elsewhere.
        case redirectUriMismatched
        /// Its query cannot be read, or repeats a parameter that may occur once.
        case decodeComponentsFailed
        /// The redirect belongs to another sign-in.
        case stateMismatched
        /// It comes from another issuer.
        case issuerMismatched
        /// It brings an error: `error`, and `error_description` if it is there.
        case errorItemFound(items: [URLQueryItem])
        /// It brings no code.
        case missingCode
    }

    /// A URL that cannot be made.
    public enum UrlConstruction: String, Error, Sendable, Hashable {
        /// The endpoint is not an https URL; http is for loopback hosts.
        case invalidEndpoint
        /// The URL cannot be made of its parts.
        case unableToConstructUrl
    }

    /// An invalid response.
    public enum Response: Error, Sendable, Hashable {
        /// The response is not HTTP.
        case notHttpResponse(response: URLResponse?)
        /// The response has a status other than success.
        case withCode(code: Int, httpResponse: HTTPURLResponse, data: Data?)
    }
}

/// A field of a token.
public enum JwtField: String, Sendable, Hashable {
    /// `iss`.
    case issuer = "iss"
    /// `aud`.
    case audience = "aud"
    /// `azp`.
    case authorizedParty = "azp"
    /// `sub`.
    case subject = "sub"
    /// `nonce`.
    case nonce
    /// `at_hash`.
    case accessTokenHash = "at_hash"
    /// Any other.
    case other
}

extension LogtoErrors.Verification {
    /// The name of a failed check among Logto's.
    init(_ check: SignInError.Check) {
        switch check {
        case .issuer: self = .jwtValueMismatched(field: .issuer)
        case .audience: self = .jwtValueMismatched(field: .audience)
        case .authorizedParty: self = .jwtValueMismatched(field: .authorizedParty)
        case .subject: self = .jwtValueMismatched(field: .subject)
        case .nonce: self = .jwtValueMismatched(field: .nonce)
        case .accessTokenHash: self = .jwtValueMismatched(field: .accessTokenHash)
        case .expiry: self = .jwtExpired
        case .issuedAt, .notBefore: self = .jwtIssuedTimeIncorrect
        case .algorithm: self = .unsupportedAlgorithm
        case .key, .signature: self = .noSigningKeyMatched
        default: self = .jwtValueMismatched(field: .other)
        }
    }
}

extension LogtoErrors.UriVerification {
    /// Logto's name for the fault of a redirect.
    init(_ reason: SignInError.Reason) {
        switch reason {
        case .mismatch(.redirectURI): self = .redirectUriMismatched
        case .mismatch(.state): self = .stateMismatched
        case .mismatch(.issuer): self = .issuerMismatched
        case .refused(let error): self = .errorItemFound(items: error.queryItems)
        case .malformed("code"): self = .missingCode
        default: self = .decodeComponentsFailed
        }
    }
}

extension OAuthError {
    /// The error as the parameters of a redirect.
    var queryItems: [URLQueryItem] {
        let description = description.map { URLQueryItem(name: "error_description", value: $0) }
        return [URLQueryItem(name: "error", value: code.rawValue)] + (description.map { [$0] } ?? [])
    }
}

extension LogtoErrors.Response: CustomStringConvertible {
    /// The status; the fields and the body of a response may be confidential.
    public var description: String {
        switch self {
        case .notHttpResponse: "The response is not HTTP."
        case .withCode(let code, _, let data): "The response has status \(code) and \(data?.count ?? 0) bytes."
        }
    }
}

extension LogtoErrors.Response: CustomReflectable {
    /// The status.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
