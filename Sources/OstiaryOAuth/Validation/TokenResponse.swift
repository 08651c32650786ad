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
    let lifetime: Double?
    let scopes: [Scope]?
    let idToken: UnverifiedJWT?
    let stage: SignInError.Stage
    let expectation: TokenExpectation
    let client: Client
    let server: AuthorizationServer

    init(
        _ object: JSONObject,
        stage: SignInError.Stage,
        expectation: TokenExpectation,
        client: Client,
        server: AuthorizationServer
    ) throws(SignInError) {
        func malformed(_ member: String) -> SignInError {
            SignInError(stage, .malformed("the token response's \(member)"))
        }
        func optionalString(_ name: String) throws(SignInError) -> String? {
            guard let value = object[name], !value.isNull else { return nil }
            guard let text = value.string else { throw malformed(name) }
            return text
        }
        guard let accessToken = object["access_token"]?.string, !accessToken.isEmpty else {
            throw malformed("access_token")
        }
        guard let tokenType = object["token_type"]?.string, !tokenType.isEmpty else { throw malformed("token_type") }
        guard tokenType.lowercased() == "bearer" else { throw SignInError(stage, .mismatch(.tokenType)) }
        switch object["expires_in"] {
        case nil, .null: lifetime = nil
        case .string(let digits):
            // Some servers send the number as a string.
            guard let seconds = Double(digits), seconds.isFinite, seconds >= 0 else { throw malformed("expires_in") }
            lifetime = seconds
        case .some(let value):
            guard let seconds = value.number, seconds >= 0 else { throw malformed("expires_in") }
            lifetime = seconds
        }
        let refreshToken = try optionalString("refresh_token")
        guard refreshToken?.isEmpty != true else { throw malformed("refresh_token") }
        do throws(JOSEError) {
            idToken = try optionalIDToken(object["id_token"])
        } catch {
            throw SignInError(.identity, Self.reason(of: error))
        }
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        scopes = try optionalString("scope").map(Scope.list)
        self.stage = stage
        self.expectation = expectation
        self.client = client
        self.server = server
    }

    /// What the ID token's signature needs: `nil` when there is no ID token and hence no need for keys.
    package var signature: (keyID: String?, algorithm: SignatureAlgorithm?)? {
        idToken.map { ($0.header.keyID, SignatureAlgorithm(rawValue: $0.header.algorithmName)) }
    }

    /// Checks the ID token, if there is one, and gives out the tokens (OpenID Connect Core sections 3.1.3.7 and 12.2).
    ///
    /// - Parameters:
    ///   - keys: The issuer's keys.
    ///   - now: The time to compare with.
    ///   - requested: When the request was sent; the lifetime counts from there. Default: `now`.
    /// - Throws: `mismatch` at stage `identity`, naming the check; nothing of the response can be used then.
    public func validated(by keys: JSONWebKeySet, now: Date, requested: Date? = nil) throws(SignInError) -> TokenSet {
        let identity = try verifiedIdentity(by: keys, now: now)
        let expiry = lifetime.map { (requested ?? now).addingTimeInterval($0) }
        switch expectation {
        case .signIn(let request):
            return TokenSet(
                issuer: server.issuer,
                clientID: client.id,
                accessToken: Secret(accessToken),
                refreshToken: refreshToken.map(Secret.init),
                scopes: scopes ?? request.scopes,
                expiry: expiry,
                identity: identity
            )
        case .refresh(let previous):
            return TokenSet(
                issuer: server.issuer,
                clientID: client.id,
                accessToken: Secret(accessToken),
                refreshToken: refreshToken.map(Secret.init) ?? previous.refreshToken,
                scopes: scopes ?? previous.scopes,
                expiry: expiry,
                identity: identity ?? previous.identity
            )
        }
    }

    private func verifiedIdentity(by keys: JSONWebKeySet, now: Date) throws(SignInError) -> IdentityToken? {
        guard let idToken else {
            if case .signIn(let request) = expectation, request.scopes.contains(.openID) {
                throw SignInError(.identity, .mismatch(.idToken))
            }
            return nil
        }
        let token: VerifiedJWT
        do throws(JOSEError) {
            token = try idToken.verified(by: keys, algorithms: client.validation.idTokenAlgorithms(at: server))
        } catch {
            throw SignInError(.identity, Self.reason(of: error))
        }
        let facts = IDTokenCheck.Facts(
            token: token,
            accessToken: accessToken,
            expectation: expectation,
            client: client,
            server: server,
            now: now
        )
        if let failed = IDTokenCheck.firstFailure(in: facts) { throw SignInError(.identity, .mismatch(failed)) }
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
