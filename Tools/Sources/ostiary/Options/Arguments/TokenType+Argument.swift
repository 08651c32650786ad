import ArgumentParser
import OstiaryOAuth

extension TokenType {
    /// The short names.
    static var shortNames: [String] { short.keys.sorted() }

    private static let short: [String: TokenType] = [
        "access_token": .accessToken, "refresh_token": .refreshToken, "id_token": .idToken, "jwt": .jwt,
    ]

    /// Reads a short name or a URI.
    @Sendable static func named(_ name: String) throws -> TokenType {
        if let type = short[name] { return type }
        guard name.contains(":") else {
            throw ValidationError("A type of token is access_token, refresh_token, id_token, jwt or a URI.")
        }
        return TokenType(rawValue: name)
    }
}
