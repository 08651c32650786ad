import Ostiary
public import OstiaryJOSE
import OstiaryOAuth

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Small parts of Logto's SDK under their own names.
public enum LogtoUtilities {
    /// The scopes that Logto's SDKs always request.
    public static let reservedScopes: [UserScope] = [.openid, .offlineAccess, .profile]

    /// Scopes with the reserved ones before them, each once.
    public static func withReservedScopes(_ scopes: [String]) -> [String] {
        withReserved(scopes.map(Scope.init(rawValue:))).map(\.rawValue)
    }

    static func withReserved(_ scopes: [Scope]) -> [Scope] {
        let reserved = reservedScopes.map { Scope(rawValue: $0.rawValue) }
        return reserved + scopes.reduce(into: []) { if !reserved.contains($1), !$0.contains($1) { $0.append($1) } }
    }

    /// The prefix of an organization's URN.
    public static let organizationUrnPrefix = "urn:logto:organization:"

    /// The URN of an organization, which its tokens are for.
    public static func buildOrganizationUrn(forId id: String) -> String { organizationUrnPrefix + id }

    /// Whether a resource is an organization's URN.
    public static func isOrganizationUrn(_ resource: String?) -> Bool {
        resource.flatMap(organizationID(fromURN:)) != nil
    }

    /// The organization that a URN names; `nil` for any other resource.
    static func organizationID(fromURN resource: String) -> String? {
        guard resource.utf8.starts(with: organizationUrnPrefix.utf8) else { return nil }
        return String(decoding: resource.utf8.dropFirst(organizationUrnPrefix.utf8.count), as: UTF8.self)
    }

    /// Returns an unpredictable value for `state`: 32 bytes of the operating system's, in base64url.
    public static func generateState() -> String { random() }

    /// A code verifier (RFC 7636 section 4.1): 32 bytes of the operating system's, in base64url.
    public static func generateCodeVerifier() -> String { random() }

    /// The S256 challenge of a code verifier (RFC 7636 section 4.2).
    public static func generateCodeChallenge(codeVerifier: String) -> String {
        Base64URL.encode(HashAlgorithm.sha256.hash(Array(codeVerifier.utf8)))
    }

    private static func random() -> String {
        var random = SecureRandom()
        return Base64URL.encode((0..<4).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } })
    }

    /// Returns the unverified claims of an ID token, for display.
    ///
    /// ``verifyIdToken(_:issuer:clientId:jwks:forTimeInterval:)`` validates them.
    ///
    /// - Throws: ``LogtoErrors/Decoding`` for a text that is not a JSON Web Token.
    public static func decodeIdToken(_ token: String) throws(LogtoErrors.Decoding) -> IdTokenClaims {
        IdTokenClaims(claims: try payload(token))
    }

    /// Returns the unverified claims of an access token, for display.
    ///
    /// - Throws: ``LogtoErrors/Decoding`` for an opaque token, which has no claims.
    public static func decodeAccessToken(_ token: String) throws(LogtoErrors.Decoding) -> JsonObject {
        JsonObject(try payload(token))
    }

    private static func payload(_ token: String) throws(LogtoErrors.Decoding) -> JSONObject {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[1].isEmpty, token.utf8.count <= 65_536 else { throw .noPayloadFound }
        guard let bytes = try? Base64URL.decode(parts[1]) else { throw .invalidUrlSafeBase64Encoding }
        guard let claims = try? JSONObject(parsing: bytes) else { throw .noPayloadFound }
        return claims
    }

    /// Checks an ID token: its signature with the key that it names, its issuer, audience and times.
    ///
    /// ``Logto/signIn(_:)`` checks more: the nonce, `azp` and `at_hash`, and it corrects the clock.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - issuer: The required issuer.
    ///   - clientId: The required audience: this app, alone or among others of which `azp` names this one.
    ///   - jwks: The issuer's keys.
    ///   - time: The current time, in seconds since 1970. Default: the device's.
    /// - Throws: ``LogtoErrors/Verification``.
    public static func verifyIdToken(
        _ token: String,
        issuer: String,
        clientId: String,
        jwks: JSONWebKeySet,
        forTimeInterval time: TimeInterval = Date().timeIntervalSince1970
    ) throws(LogtoErrors.Verification) {
        guard !jwks.keys.isEmpty else { throw jwks.ignoredKeys.isEmpty ? .missingJwk : .unsupportedJwkType }
        let verified: VerifiedJWT
        do throws(JOSEError) {
            verified = try UnverifiedJWT(token).verified(by: jwks, algorithms: Logto.idTokenAlgorithms)
        } catch {
            switch error {
            case .algorithmNotAllowed, .unsupportedAlgorithm: throw .unsupportedAlgorithm
            case .noMatchingKey, .ambiguousKey, .invalidSignature: throw .noSigningKeyMatched
            default: throw .jwtMissingAlgorithmInHeader
            }
        }
        let claims = IdTokenClaims(claims: verified.claims)
        guard claims.iss.utf8.elementsEqual(issuer.utf8) else { throw .jwtValueMismatched(field: .issuer) }
        guard claims.audience.contains(where: { $0.utf8.elementsEqual(clientId.utf8) }) else {
            throw .jwtValueMismatched(field: .audience)
        }
        let party = claims.text("azp")
        guard claims.audience.count == 1 || party != nil, party.map({ $0.utf8.elementsEqual(clientId.utf8) }) ?? true
        else { throw .jwtValueMismatched(field: .authorizedParty) }
        guard let expiry = verified.claims["exp"]?.number, time < expiry + tolerance else { throw .jwtExpired }
        guard let made = verified.claims["iat"]?.number, abs(time - made) <= maximumAge + tolerance,
            made <= time + tolerance
        else { throw .jwtIssuedTimeIncorrect }
    }

    private static let tolerance: TimeInterval = 60
    private static let maximumAge: TimeInterval = 600
}
