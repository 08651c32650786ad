import ArgumentParser
import OstiaryOAuth

extension TokenType {
    /// Reads a short name or a URI.
    @Sendable static func named(_ name: String) throws -> TokenType {
        let short: [String: TokenType] = [
            "access_token": .accessToken, "refresh_token": .refreshToken, "id_token": .idToken, "jwt": .jwt,
        ]
        if let type = short[name] { return type }
        guard name.contains(":") else {
            throw ValidationError("A type of token is access_token, refresh_token, id_token, jwt or a URI.")
        }
        return TokenType(rawValue: name)
    }
}
