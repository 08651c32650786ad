public import OstiaryJOSE

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A well-formed token response whose ID token has not been validated.
///
/// It gives access to no token.
///
/// (RFC 6749 section 5.1, OpenID Connect Core section 3.1.3.3.)
public struct TokenResponse: Sendable {
    let content: TokenResponseContent
    let refreshToken: String?
    let stage: SignInError.Stage
    let expectation: TokenResponse.Expectation
    let client: Client
    /// The server's metadata; newer metadata takes its place when an algorithm is not among those that it names.
    var server: AuthorizationServer
    let dpopKey: DPoPKey?
    /// Whether user info has proved whose session the response is about.
    var isProven = false

    /// Reads a response.
    ///
    /// - Throws: `malformed` or `mismatch` at the stage for a response that cannot be used.
    init(
        _ object: JSONObject,
        stage: SignInError.Stage,
        expectation: TokenResponse.Expectation,
        dpopKey: DPoPKey?,
        client: Client,
        server: AuthorizationServer
    ) throws(SignInError) {
        refreshToken = try TokenResponseMembers(object, stage: stage).optionalToken("refresh_token")
        content = try TokenResponseContent(
            object,
            stage: stage,
            expectation: expectation,
            isBound: dpopKey != nil,
            manners: client.manners
        )
        self.stage = stage
        self.expectation = expectation
        self.dpopKey = dpopKey
        self.client = client
        self.server = server
    }

    var accessToken: String { content.accessToken }
    var idToken: UnverifiedJWT? { content.idToken }

    /// The checks of reading the response: the token is of the requested kind.
    public var verdict: Verdict { content.verdict }

    /// The parameters of the ID token's signature key; `nil` when there is no ID token and so no need for keys.
    package var signature: (keyID: String?, algorithm: SignatureAlgorithm?)? {
        idToken.map { ($0.header.keyID, SignatureAlgorithm(rawValue: $0.header.algorithmName)) }
    }

    /// Checks the ID token, if there is one, and returns the tokens (OpenID Connect Core sections 3.1.3.7 and 12.2).
    ///
    /// - Parameters:
    ///   - keys: The issuer's keys.
    ///   - now: The time to compare with.
    ///   - requested: When the request was sent; the lifetime counts from there. Default: `now`.
    /// - Returns: The tokens of the response.
    /// - Throws: `mismatch` at stage `identity`, naming the check; nothing of the response can be used then.
    public func validated(by keys: JSONWebKeySet, now: Date, requested: Date? = nil) throws(SignInError) -> TokenSet {
        var verdict = Verdict.ofFailures(.identity)
        return try validated(by: keys, now: now, requested: requested, recording: &verdict)
    }

    /// Checks the ID token, if there is one, returns the tokens, and records every check that was made.
    ///
    /// - Parameters:
    ///   - keys: The issuer's keys.
    ///   - now: The current time.
    ///   - requested: When the request was sent; the lifetime counts from there. Default: `now`.
    ///   - verdict: Records every check, also when one of them fails.
    /// - Returns: The tokens of the response.
    /// - Throws: As ``validated(by:now:requested:)``.
    public func validated(
        by keys: JSONWebKeySet,
        now: Date,
        requested: Date? = nil,
        recording verdict: inout Verdict
    ) throws(SignInError) -> TokenSet {
        try validated(by: keys, now: now, requested: requested, received: nil, recording: &verdict)
    }

    /// Checks the ID token, if there is one, returns the tokens, and records every check that was made.
    ///
    /// `received` is the time of the request by the device's own clock, right or wrong; it is stored with the access
    /// token. `choice` determines the keys to check the signature with.
    ///
    /// - Throws: As ``validated(by:now:requested:)``.
    package func validated(
        by keys: JSONWebKeySet,
        now: Date,
        requested: Date?,
        received: Date?,
        recording verdict: inout Verdict,
        choosing choice: KeyChoice = .named
    ) throws(SignInError) -> TokenSet {
        try content.requireSameUser(as: expectation, recording: &verdict)
        let identity = try verifiedIDToken(by: keys, choosing: choice, now: now, recording: &verdict)
        let start = requested ?? now
        let expiry = content.lifetime.map { start.addingTimeInterval($0) }
        let refreshTokenExpiry = content.refreshTokenLifetime.map { start.addingTimeInterval($0) }
        func token(_ assumed: [Scope]) -> AccessToken {
            AccessToken(
                value: Secret(content.accessToken),
                scopes: content.scopes ?? assumed,
                expiry: expiry,
                lifetimeInSeconds: content.lifetime,
                received: received
            )
        }
        func tokens(
            _ access: AccessToken,
            targetTokens: [AccessTokenTarget: AccessToken] = [:],
            additional: TokenSet.AdditionalMembers = content.additional,
            continuing previous: TokenSet? = nil
        ) -> TokenSet {
            var tokens = TokenSet(
                issuer: server.issuer,
                clientID: client.id,
                access: access,
                targetTokens: targetTokens,
                refreshToken: refreshToken.map(Secret.init) ?? previous?.refreshToken,
                refreshTokenExpiry: refreshTokenExpiry ?? (refreshToken == nil ? previous?.refreshTokenExpiry : nil),
                identity: identity ?? previous?.identity,
                dpopKey: dpopKey,
                issuedTokenType: content.issuedTokenType,
                additionalMembers: previous?.additionalMembers.updated(by: additional) ?? additional,
                isUnproven: false,
                claimedIdentity: identity == nil ? previous?.claimedIdentity : nil
            )
            tokens.signInResource = previous?.signInResource
            return tokens
        }
        switch expectation {
        case .signIn(let request):
            var tokens = tokens(token(request.scopes))
            tokens.signInResource = request.resource
            return tokens
        case .tokens(let asked), .exchanged(let asked, _): return tokens(token(asked))
        case .refresh(let previous, let target) where target.isSignIn:
            return tokens(token(previous.scopes), targetTokens: previous.targetTokens(at: now), continuing: previous)
        case .refresh(let previous, let target):
            let targetTokens = previous.targetTokens(at: now, adding: token(previous.scopes), for: target)
            // Members that came with a token for another target are not about the sign-in.
            return tokens(
                previous.access,
                targetTokens: targetTokens,
                additional: TokenSet.AdditionalMembers(),
                continuing: previous
            )
        }
    }

    private func verifiedIDToken(
        by keys: JSONWebKeySet,
        choosing choice: KeyChoice,
        now: Date,
        recording verdict: inout Verdict
    ) throws(SignInError) -> IDToken? {
        if case .signIn(let request) = expectation, request.scopes.contains(.openID) {
            try verdict.require(
                "id_token.present",
                .idToken,
                "OpenID Connect Core section 3.1.3.3",
                idToken != nil
            )
        }
        guard let idToken else {
            try verdict.require("refresh.proven", .idToken, "OpenID Connect Core section 12.2", !needsProof)
            return nil
        }
        let token = try verdict.verified(
            idToken,
            by: keys,
            algorithms: client.idTokenAlgorithms(at: server),
            choosing: choice,
            named: "id_token.signature",
            setting: client.setting(excluding: idToken.header.algorithmName)
        )
        let facts = IDTokenCheck.Facts(
            token: token,
            audience: token.claims.audience,
            accessToken: accessToken,
            expectation: expectation,
            client: client,
            server: server,
            now: now
        )
        try verdict.require(IDTokenCheck.rules, of: facts)
        return IDToken(token)
    }

    /// Returns the reason for a sign-in's failure because of a signature.
    static func reason(of error: JOSEError) -> SignInError.Reason {
        error.failure(
            form: .malformed("the token is not a JSON Web Token"),
            critical: .mismatch(.critical),
            algorithm: .mismatch(.algorithm),
            key: .mismatch(.key),
            signature: .mismatch(.signature)
        )
    }
}

extension TokenResponseContent {
    /// Rejects a refresh whose response names another user than the responses before it.
    func requireSameUser(
        as expectation: TokenResponse.Expectation,
        recording verdict: inout Verdict
    ) throws(SignInError) {
        guard case .refresh(let previous, _) = expectation, let before = previous.additionalMembers["sub"],
            let after = additional["sub"]
        else { return }
        try verdict.require(
            "refresh.response.sub",
            .subject,
            "OpenID Connect Core section 12.2",
            expected: Verdict.fingerprint(before.reveal()),
            found: Verdict.fingerprint(after.reveal()),
            before == after
        )
    }
}

extension TokenResponse: CustomStringConvertible, CustomReflectable {
    /// Nothing of the response.
    public var description: String { "TokenResponse(\(server.issuer))" }
    /// Nothing of the response.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
