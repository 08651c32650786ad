public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A token response of the right form whose ID token nobody has checked.
///
/// It gives out no token.
///
/// (RFC 6749 section 5.1, OpenID Connect Core section 3.1.3.3.)
public struct TokenResponse: Sendable {
    let accessToken: String
    let refreshToken: String?
    let refreshTokenLifetime: Double?
    let lifetime: Double?
    let scopes: [Scope]?
    let idToken: UnverifiedJWT?
    let issuedTokenType: TokenType?
    let stage: SignInError.Stage
    let expectation: TokenExpectation
    let client: Client
    let server: AuthorizationServer
    let dpopKey: DPoPKey?
    /// What was checked when the response was read: that the token is of the kind that was asked for.
    public let verdict: Verdict

    init(
        _ object: JSONObject,
        stage: SignInError.Stage,
        expectation: TokenExpectation,
        dpopKey: DPoPKey?,
        client: Client,
        server: AuthorizationServer
    ) throws(SignInError) {
        let members = TokenResponseMembers(object, stage: stage)
        accessToken = try members.string("access_token")
        refreshToken = try members.optionalString("refresh_token")
        refreshTokenLifetime = members.refreshTokenLifetime()
        lifetime = try members.lifetime()
        scopes = try members.optionalText("scope").map(Scope.list)
        issuedTokenType = try members.optionalString("issued_token_type").map(TokenType.init)
        var verdict = Verdict(stage)
        if case .exchanged(_, let wanted) = expectation {
            try verdict.require(
                "token.issued_token_type",
                .issuedTokenType,
                "RFC 8693 section 2.2.1",
                expected: wanted?.rawValue,
                found: issuedTokenType?.rawValue,
                issuedTokenType != nil && (wanted == nil || wanted == issuedTokenType)
            )
        }
        let type = try members.string("token_type")
        let isAccessToken = issuedTokenType.map { $0 == .accessToken || $0 == .jwt } ?? true
        let wanted = !isAccessToken && type.lowercased() == "n_a" ? "N_A" : dpopKey == nil ? "Bearer" : "DPoP"
        try verdict.require(
            "token.token_type",
            .tokenType,
            "RFC 6749 section 7.1, RFC 9449 section 5",
            expected: wanted,
            found: String(type.prefix(40)),
            type.lowercased() == wanted.lowercased()
        )
        self.verdict = verdict
        do throws(JOSEError) {
            idToken = try optionalIDToken(object["id_token"])
        } catch {
            throw SignInError(.identity, Self.reason(of: error))
        }
        self.stage = stage
        self.expectation = expectation
        self.dpopKey = dpopKey
        self.client = client
        self.server = server
    }

    /// What the ID token's signature needs: `nil` when there is no ID token and hence no need for keys.
    package var signature: (keyID: String?, algorithm: SignatureAlgorithm?)? {
        idToken.map { ($0.header.keyID, SignatureAlgorithm(rawValue: $0.header.algorithmName)) }
    }

    /// What takes the refresh token's place, before anything else of the response is known to be right.
    package var newRefreshToken: Secret? { refreshToken.map(Secret.init) }

    /// Checks the ID token, if there is one, and gives out the tokens (OpenID Connect Core sections 3.1.3.7 and 12.2).
    ///
    /// - Parameters:
    ///   - keys: The issuer's keys.
    ///   - now: The time to compare with.
    ///   - requested: When the request was sent; the lifetime counts from there. Default: `now`.
    /// - Throws: `mismatch` at stage `identity`, naming the check; nothing of the response can be used then.
    public func validated(by keys: JSONWebKeySet, now: Date, requested: Date? = nil) throws(SignInError) -> TokenSet {
        var verdict = Verdict(.identity)
        return try validated(by: keys, now: now, requested: requested, recording: &verdict)
    }

    /// Checks the ID token, if there is one, gives out the tokens, and tells of every check that was made.
    ///
    /// - Parameter verdict: Gets every check, also when one of them fails.
    /// - Throws: As ``validated(by:now:requested:)``.
    public func validated(
        by keys: JSONWebKeySet,
        now: Date,
        requested: Date? = nil,
        recording verdict: inout Verdict
    ) throws(SignInError) -> TokenSet {
        try validated(by: keys, now: now, requested: requested, received: nil, recording: &verdict)
    }

    /// Checks the ID token, if there is one, gives out the tokens, and tells of every check that was made.
    ///
    /// - Parameters:
    ///   - received: When the request was sent by the device's own clock, right or wrong; it is kept with the access token.
    ///   - verdict: Gets every check, also when one of them fails.
    /// - Throws: As ``validated(by:now:requested:)``.
    package func validated(
        by keys: JSONWebKeySet,
        now: Date,
        requested: Date?,
        received: Date?,
        recording verdict: inout Verdict
    ) throws(SignInError) -> TokenSet {
        let identity = try verifiedIdentity(by: keys, now: now, recording: &verdict)
        let start = requested ?? now
        let expiry = lifetime.map { start.addingTimeInterval($0) }
        let refreshTokenExpiry = refreshTokenLifetime.map { start.addingTimeInterval($0) }
        func token(_ assumed: [Scope]) -> AccessToken {
            AccessToken(
                value: Secret(accessToken),
                scopes: scopes ?? assumed,
                expiry: expiry,
                lifetime: lifetime,
                received: received
            )
        }
        func tokens(
            _ access: AccessToken,
            targetTokens: [AccessTokenTarget: AccessToken] = [:],
            continuing previous: TokenSet? = nil
        ) -> TokenSet {
            TokenSet(
                issuer: server.issuer,
                clientID: client.id,
                access: access,
                targetTokens: targetTokens,
                refreshToken: refreshToken.map(Secret.init) ?? previous?.refreshToken,
                refreshTokenExpiry: refreshTokenExpiry ?? (refreshToken == nil ? previous?.refreshTokenExpiry : nil),
                identity: identity ?? previous?.identity,
                dpopKey: dpopKey,
                issuedTokenType: issuedTokenType
            )
        }
        switch expectation {
        case .signIn(let request): return tokens(token(request.scopes))
        case .tokens(let asked), .exchanged(let asked, _): return tokens(token(asked))
        case .refresh(let previous, let target) where target.isSignIn:
            return tokens(token(previous.scopes), targetTokens: previous.targetTokens, continuing: previous)
        case .refresh(let previous, let target):
            var targetTokens = previous.targetTokens
            targetTokens[target] = token(previous.scopes)
            return tokens(previous.access, targetTokens: targetTokens, continuing: previous)
        }
    }

    private func verifiedIdentity(
        by keys: JSONWebKeySet,
        now: Date,
        recording verdict: inout Verdict
    ) throws(SignInError) -> IdentityToken? {
        if case .signIn(let request) = expectation, request.scopes.contains(.openID) {
            try verdict.require(
                "id_token.present",
                .idToken,
                "OpenID Connect Core section 3.1.3.3",
                idToken != nil
            )
        }
        guard let idToken else { return nil }
        let token = try verdict.verified(
            idToken,
            by: keys,
            algorithms: client.idTokenAlgorithms(at: server),
            named: "id_token.signature"
        )
        let facts = IDTokenCheck.Facts(
            token: token,
            accessToken: accessToken,
            expectation: expectation,
            client: client,
            server: server,
            now: now
        )
        try verdict.require(IDTokenCheck.rules, of: facts)
        return IdentityToken(token)
    }

    /// What a signature's failure means for a sign-in.
    static func reason(of error: JOSEError) -> SignInError.Reason {
        switch error {
        case .algorithmNotAllowed, .unsupportedAlgorithm: .mismatch(.algorithm)
        case .criticalHeader: .mismatch(.critical)
        case .noMatchingKey, .ambiguousKey: .mismatch(.key)
        case .invalidSignature: .mismatch(.signature)
        default: .malformed("the token is not a JSON Web Token")
        }
    }
}

private func optionalIDToken(_ value: JSONValue?) throws(JOSEError) -> UnverifiedJWT? {
    guard let value, !value.isNull else { return nil }
    guard let text = value.string else { throw .malformed("id_token") }
    return try UnverifiedJWT(text)
}

extension TokenResponse: CustomStringConvertible, CustomReflectable {
    /// Nothing of the response.
    public var description: String { "TokenResponse(\(server.issuer))" }
    /// Nothing of the response.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
