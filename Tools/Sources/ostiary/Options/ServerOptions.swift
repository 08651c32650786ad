import ArgumentParser
import OstiaryOAuth

/// The issuer's deviations from the specifications that the command accepts, as ``ServerManners`` has them.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "An error code with which this issuer ends a session, as others do with invalid_grant; may be repeated.",
            valueName: "code"
        )
    )
    var sessionEndingCode: [String] = []

    @Flag(help: "Accept token responses without token_type, as bearer tokens.")
    var assumeBearer = false

    @Option(
        help: ArgumentHelp("A token_type of this issuer that means Bearer; may be repeated.", valueName: "type")
    )
    var bearerTokenType: [String] = []

    @Flag(help: "Read commas between the scopes of a token response as separators.")
    var commaScopes = false

    @Flag(help: "Accept token exchange responses without issued_token_type.")
    var omitsIssuedTokenType = false

    @Flag(help: "Sign out with client_id and logout_uri, as Amazon Cognito requires.")
    var logoutURI = false

    mutating func validate() throws {
        for code in sessionEndingCode where !Self.isErrorCode(code) {
            throw ValidationError(
                "--session-ending-code takes an error code of printable ASCII, such as token_expired; found \(code.debugDescription)."
            )
        }
        for type in bearerTokenType where type.isEmpty || type.utf8.contains(where: { !(0x21...0x7E).contains($0) }) {
            throw ValidationError(
                "--bearer-token-type takes a name of printable ASCII, such as bearer_token; found \(type.debugDescription)."
            )
        }
    }

    /// Whether a text is an error code. (RFC 6749 section 5.2)
    private static func isErrorCode(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
    }

    /// A description of the issuer with these deviations besides its own.
    func added(to former: ServerManners = ServerManners()) -> ServerManners {
        ServerManners(
            sessionEndingCodes: former.sessionEndingCodes.union(sessionEndingCode.map { .init(rawValue: $0) }),
            assumesBearer: former.assumesBearer || assumeBearer,
            bearerTokenTypes: former.bearerTokenTypes.union(bearerTokenType),
            separatesScopesWithCommas: former.separatesScopesWithCommas || commaScopes,
            omitsIssuedTokenType: former.omitsIssuedTokenType || omitsIssuedTokenType,
            takesLogoutURI: former.takesLogoutURI || logoutURI
        )
    }
}
