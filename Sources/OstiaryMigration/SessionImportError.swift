import Ostiary
import OstiaryJOSE
import OstiaryOAuth

/// The reason a stored session of another SDK cannot be imported.
///
/// The SDK's item is never changed.
@nonexhaustive
public enum SessionImportError: String, Error, Sendable, Hashable {
    /// The stored session does not have the expected format.
    case malformed
    /// It contains no refresh token, so that the user must sign in.
    case noRefreshToken
    /// The other SDK had already learned that the session has ended.
    case ended
}

extension ImportedSession {
    /// Combines the values that were found.
    ///
    /// `idToken` is read for its claims and not verified.
    init(
        refreshToken: String?,
        issuer: String?,
        clientID: String?,
        scope: String?,
        idToken: String?
    ) throws(SessionImportError) {
        guard let refreshToken, !refreshToken.isEmpty else { throw .noRefreshToken }
        guard refreshToken.utf8.count <= 65_536, refreshToken.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            throw .malformed
        }
        let claims = idToken.flatMap(Self.claims)
        self.init(
            refreshToken: Secret(refreshToken),
            issuer: issuer ?? claims?["iss"]?.string,
            clientID: clientID,
            scopes: scope.map(Scope.list) ?? [],
            subject: claims?["sub"]?.string,
            nonce: claims?["nonce"]?.string,
            authenticationTime: claims?["auth_time"]?.number
        )
    }

    /// Returns the unverified claims of a token.
    private static func claims(of token: String) -> JSONObject? {
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard token.utf8.count <= 65_536, parts.count == 3, let payload = try? Base64URL.decode(Array(parts[1])) else {
            return nil
        }
        return try? JSONObject(parsing: payload)
    }
}
