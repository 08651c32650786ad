import OstiaryJOSE

/// The members of a token response, read in the forms that the specifications define and servers send.
///
/// (RFC 6749 section 5.1, OpenID Connect Core section 3.1.3.3, RFC 8693 section 2.2.1.)
struct TokenResponseContent: Sendable {
    let accessToken: String
    let refreshTokenLifetime: Double?
    let lifetime: Double?
    let scopes: [Scope]?
    let idToken: UnverifiedJWT?
    let issuedTokenType: TokenType?
    let additional: TokenSet.AdditionalMembers
    let verdict: Verdict

    init(
        _ object: JSONObject,
        stage: SignInError.Stage,
        expectation: TokenResponse.Expectation,
        isBound: Bool,
        manners: ServerManners
    ) throws(SignInError) {
        let members = TokenResponseMembers(object, stage: stage)
        accessToken = try members.accessToken()
        refreshTokenLifetime = members.refreshTokenLifetime()
        lifetime = try members.lifetime()
        scopes = try members.scopes(separatedByCommas: manners.separatesScopesWithCommas)
        var verdict = Verdict(stage)
        issuedTokenType = try members.issuedTokenType(expectation, manners, recording: &verdict)
        try members.requireTokenType(of: issuedTokenType, isBound: isBound, manners, recording: &verdict)
        idToken = try members.idToken()
        additional = TokenSet.AdditionalMembers(ofTokenResponse: object)
        self.verdict = verdict
    }
}

extension TokenResponseMembers {
    /// Reads `issued_token_type`, which must be the type that the request named.
    fileprivate func issuedTokenType(
        _ expectation: TokenResponse.Expectation,
        _ manners: ServerManners,
        recording verdict: inout Verdict
    ) throws(SignInError) -> TokenType? {
        let given = try optionalToken("issued_token_type").map(TokenType.init)
        guard case .exchanged(_, let wanted) = expectation else { return given }
        if given == nil, manners.omitsIssuedTokenType, let wanted { return wanted }
        guard NamedCheck.holds("token.issued_token_type.present", given != nil) else {
            throw SignInError(
                verdict.stage,
                .malformed("the token response's issued_token_type is missing (RFC 8693 section 2.2.1)")
            )
        }
        try verdict.require(
            "token.issued_token_type",
            .issuedTokenType,
            "RFC 8693 section 2.2.1",
            expected: wanted?.rawValue,
            found: given?.rawValue,
            wanted == nil || wanted == given
        )
        return given
    }

    /// Checks `token_type`: `DPoP` for a bound token, `Bearer` for any other access token, `N_A` for other tokens.
    fileprivate func requireTokenType(
        of issued: TokenType?,
        isBound: Bool,
        _ manners: ServerManners,
        recording verdict: inout Verdict
    ) throws(SignInError) {
        let given = try optionalToken("token_type")
        // A token that must be bound to a key is not accepted as a bearer token.
        if given == nil, !manners.assumesBearer || isBound { throw malformed("token_type") }
        let type = (given ?? "Bearer").lowercased()
        let isAccessToken = issued.map { $0 == .accessToken || $0 == .jwt } ?? true
        let wanted = !isAccessToken && type == "n_a" ? "N_A" : isBound ? "DPoP" : "Bearer"
        let isAnotherName = wanted == "Bearer" && manners.bearerTokenTypes.contains { $0.lowercased() == type }
        try verdict.require(
            "token.token_type",
            .tokenType,
            "RFC 6749 section 7.1, RFC 9449 section 5",
            expected: wanted,
            found: given.map { String($0.prefix(40)) },
            type == wanted.lowercased() || isAnotherName
        )
    }

    /// Reads `id_token` without verifying it.
    fileprivate func idToken() throws(SignInError) -> UnverifiedJWT? {
        do throws(JOSEError) {
            guard let value = object["id_token"], !value.isNull, value != "" else { return nil }
            guard let text = value.string else { throw .malformed("id_token") }
            return try UnverifiedJWT(text)
        } catch {
            throw SignInError(.identity, TokenResponse.reason(of: error))
        }
    }
}
