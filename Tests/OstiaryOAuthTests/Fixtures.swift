import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth

/// A small world with names: one issuer, one client, one key, one user, one moment.
enum Fixtures {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let issuerText = "https://id.example.com"
    static let accessToken = "access-token-of-alice"
    static let key = try! SigningKey.generate(.es256, keyID: "key-1")
    static let otherKey = try! SigningKey.generate(.es256, keyID: "key-2")
    static let keys = JSONWebKeySet([key.publicKey])

    static var issuer: Issuer { try! Issuer(issuerText) }

    static var server: AuthorizationServer {
        AuthorizationServer(
            issuer: issuer,
            authorizationEndpoint: URL(string: issuerText + "/authorize")!,
            tokenEndpoint: URL(string: issuerText + "/token")!,
            jwksURI: URL(string: issuerText + "/jwks")!,
            userInfoEndpoint: URL(string: issuerText + "/userinfo")!,
            revocationEndpoint: URL(string: issuerText + "/revoke")!,
            endSessionEndpoint: URL(string: issuerText + "/end-session")!
        )
    }

    static func client(
        id: String = "app",
        redirectURI: String = "com.example.app:/callback",
        authentication: ClientAuthentication = .none,
        validation: Client.ValidationPolicy = Client.ValidationPolicy()
    ) -> Client {
        try! Client(
            id: id,
            redirectURI: try! RedirectURI(redirectURI),
            authentication: authentication,
            validation: validation
        )
    }

    static func pending(
        _ request: AuthorizationRequest = AuthorizationRequest(),
        client: Client = client(),
        server: AuthorizationServer = server
    ) throws -> PendingAuthorization {
        var random = CountingWords()
        return try request.prepared(for: client, at: server, using: &random)
    }

    /// The parameters of the URL that a request opens.
    static func query(_ pending: PendingAuthorization) -> Parameters {
        FormURLEncoding.decode(pending.url.absoluteString.split(separator: "?", maxSplits: 1)[1])!
    }

    /// The claims of a good ID token that answers a request.
    static func claims(answering pending: PendingAuthorization? = nil) -> JSONObject {
        var claims: JSONObject = [
            "iss": .string(issuerText),
            "sub": "alice",
            "aud": "app",
            "iat": .integer(Int(now.timeIntervalSince1970)),
            "exp": .integer(Int(now.timeIntervalSince1970) + 300),
        ]
        claims["nonce"] = pending.flatMap { query($0)[.nonce] }.map { .string($0) }
        return claims
    }

    static func tokenResponse(_ members: JSONObject) -> EndpointResponse {
        EndpointResponse(status: .ok, fields: [.contentType: "application/json"], body: members.encoded())
    }

    static func goodMembers(idToken: String?) -> JSONObject {
        var members: JSONObject = [
            "access_token": .string(accessToken), "token_type": "Bearer", "expires_in": 900,
            "refresh_token": "refresh-1",
            "scope": "openid profile offline_access",
        ]
        members["id_token"] = idToken.map { .string($0) }
        return members
    }

    /// A grant that was checked, for a request.
    static func grant(_ pending: PendingAuthorization, redirectURI: String = "com.example.app:/callback") throws
        -> AuthorizationCodeGrant
    {
        let state = query(pending)[.state]!
        return try pending.grant(from: URL(string: "\(redirectURI)?code=code-1&state=\(state)")!)
    }

    /// Signs in with an ID token of these claims.
    static func signIn(
        _ request: AuthorizationRequest = AuthorizationRequest(),
        client: Client = client(),
        server: AuthorizationServer = server,
        key: SigningKey = key,
        keys: JSONWebKeySet = keys,
        type: String? = "JWT",
        extraHeader: JSONObject = [:],
        now: Date = now,
        changing change: (inout JSONObject) -> Void = { _ in },
        response changeMembers: (inout JSONObject) -> Void = { _ in }
    ) throws -> TokenSet {
        let pending = try pending(request, client: client, server: server)
        var claims = claims(answering: pending)
        change(&claims)
        let idToken = try key.sign(claims: claims, type: type, extraHeader: extraHeader)
        var members = goodMembers(idToken: idToken)
        changeMembers(&members)
        let exchange = try grant(pending).exchange()
        return try exchange.output(from: tokenResponse(members)).validated(by: keys, now: now)
    }

    /// Renews tokens with an ID token of these claims, or with none.
    static func refresh(
        _ tokens: TokenSet,
        client: Client = client(),
        now: Date = now,
        idToken hasIDToken: Bool = true,
        changing change: (inout JSONObject) -> Void = { _ in },
        response changeMembers: (inout JSONObject) -> Void = { _ in }
    ) throws -> TokenSet {
        var claims = claims()
        change(&claims)
        var members = goodMembers(idToken: hasIDToken ? try key.sign(claims: claims) : nil)
        members["access_token"] = "access-token-2"
        members["refresh_token"] = "refresh-2"
        changeMembers(&members)
        let exchange = TokenRequest(try RefreshGrant(tokens), client: client, server: server)
        return try exchange.output(from: tokenResponse(members)).validated(by: keys, now: now)
    }
}

/// The error that a body throws.
func signInError(_ body: () throws -> Void) -> SignInError? {
    do {
        try body()
        return nil
    } catch {
        return error as? SignInError
    }
}

func mismatch(_ stage: SignInError.Stage, _ check: SignInError.Check) -> SignInError {
    SignInError(stage, .mismatch(check))
}

extension Exchange where Self: ~Copyable {
    /// The request at a known time, with known one-time values.
    func request(at time: Date = Date(timeIntervalSince1970: 1_800_000_000)) throws(SignInError) -> EndpointRequest {
        var fresh = Freshness(now: time, random: CountingWords())
        return try request(&fresh)
    }
}

/// A generator whose numbers are known: never outside a test.
struct CountingWords: RandomNumberGenerator {
    private var word: UInt64 = 0
    mutating func next() -> UInt64 {
        word &+= 0x9E37_79B9_7F4A_7C15
        return word
    }
}

extension ExchangeContext {
    /// A context at a known time.
    init(
        clock: ServerClock = ServerClock(DeviceClock(now: { Date(timeIntervalSince1970: 1_800_000_000) })),
        events: @escaping @Sendable (RequestEvent) -> Void = { _ in }
    ) {
        self.init(clock: clock, random: { SystemRandomNumberGenerator() }, events: events)
    }
}

extension HTTPTransport {
    /// Carries out an exchange that shares nothing with others.
    func perform<E: Exchange & ~Copyable>(_ exchange: borrowing E) async throws(SignInError) -> E.Output {
        try await perform(exchange, in: ExchangeContext())
    }
}
