import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A provider with its clock, and what a client does with it.
struct World {
    let clock: MovableClock
    let storage: any ProviderStorage
    let provider: Provider
    let log = EventLog()

    init(
        scenario: Scenario = .none,
        issuer: String = Fixtures.issuer,
        storage: any ProviderStorage = MemoryProviderStorage(),
        clock: MovableClock = MovableClock(),
        change: (inout ProviderConfiguration) -> Void = { _ in }
    ) throws {
        self.storage = storage
        self.clock = clock
        provider = Provider(
            configuration: try Fixtures.configuration(issuer: issuer, change: change),
            storage: storage,
            clock: clock.device,
            random: CountingGenerator(),
            scenario: scenario,
            events: { [log] in log.append($0) }
        )
    }

    func browser() -> Browser { Browser(provider: provider) }

    /// Sends a form as a client does.
    func post(
        _ path: String,
        _ form: Parameters,
        fields: HTTPFields = [:],
        query: String? = nil
    ) async -> ProviderResponse {
        var fields = fields
        if fields[.contentType] == nil { fields[.contentType] = "application/x-www-form-urlencoded" }
        return await provider.respond(
            to: ProviderRequest(
                method: .post,
                path: path,
                query: query,
                fields: fields,
                body: Array(FormURLEncoding.encode(form).utf8)
            )
        )
    }

    /// Sends JSON as a client does that registers.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ object: JSONObject? = nil,
        bearer: String? = nil
    ) async -> ProviderResponse {
        var request = ProviderRequest(method: method, path: path, body: object?.encoded() ?? [])
        if object != nil { request.fields[.contentType] = "application/json" }
        request.fields[.authorization] = bearer.map { "Bearer \($0)" }
        return await provider.respond(to: request)
    }

    func get(_ path: String, query: String? = nil, fields: HTTPFields = [:]) async -> ProviderResponse {
        await provider.respond(to: ProviderRequest(path: path, query: query, fields: fields))
    }

    func userInfo(_ accessToken: String) async -> ProviderResponse {
        await get("/userinfo", fields: [.authorization: "Bearer \(accessToken)"])
    }

    /// Signs alice in and takes the code.
    func code(_ request: Parameters = .authorization(), in browser: Browser? = nil) async throws -> String {
        let response = try await (browser ?? self.browser()).signIn(request)
        return try #require(response.redirect?.parameters[.code])
    }

    /// Signs alice in and redeems the code.
    func tokens(_ request: Parameters = .authorization(), in browser: Browser? = nil) async throws -> Tokens {
        let code = try await code(request, in: browser)
        return try Tokens(await post("/token", .codeGrant(code, redirectURI: request[.redirectURI])))
    }

    func refresh(_ token: String, _ change: (inout Parameters) -> Void = { _ in }) async -> ProviderResponse {
        var form = Parameters([.grantType: "refresh_token", .refreshToken: token, .clientID: "app"])
        change(&form)
        return await post("/token", form)
    }

    /// The claims of a token that the provider's own key set verifies.
    func verifiedClaims(_ token: String) async throws -> JSONObject {
        guard case .bytes(let bytes) = await get("/jwks").content else { throw Missing() }
        let keys = try JSONWebKeySet(parsing: bytes)
        return try UnverifiedJWT(token).verified(by: keys, algorithms: Set(SignatureAlgorithm.allCases)).claims
    }
}

struct Missing: Error {}

/// The reports of a provider.
final class EventLog: Sendable {
    private let kept = Lock<[ProviderEvent]>([])
    private let stream = AsyncStream.makeStream(of: ProviderEvent.self)

    var events: [ProviderEvent] { kept.withLock { $0 } }
    func append(_ event: ProviderEvent) {
        kept.withLock { $0.append(event) }
        stream.continuation.yield(event)
    }
    /// Waits for the next event with an outcome.
    func first(_ outcome: ProviderEvent.Outcome) async -> ProviderEvent? {
        for await event in stream.stream where event.outcome == outcome { return event }
        return nil
    }
    /// The rules whose breach was served.
    var admitted: [ProviderRule] { events.filter { $0.outcome == .admitted }.compactMap(\.rule) }
    /// The last refusal.
    var refusal: ProviderEvent? { events.last { $0.outcome == .refused } }
}

/// The tokens of a token response.
struct Tokens {
    var response: JSONObject
    var access: String
    var refresh: String?
    var id: String?

    init(_ response: ProviderResponse) throws {
        self.response = try #require(response.json)
        access = try #require(self.response["access_token"]?.string)
        refresh = self.response["refresh_token"]?.string
        id = self.response["id_token"]?.string
    }
}

extension Parameters {
    /// A request that the provider likes, changed.
    static func authorization(_ change: (inout Parameters) -> Void = { _ in }) -> Parameters {
        var parameters = Parameters([
            .responseType: "code", .clientID: "app", .redirectURI: Fixtures.redirectURI,
            .scope: "openid profile offline_access", .state: "the state", .nonce: "the-nonce",
            .codeChallenge: Fixtures.challenge, .codeChallengeMethod: "S256",
        ])
        change(&parameters)
        return parameters
    }

    /// A token request that the provider likes, changed.
    static func codeGrant(
        _ code: String,
        redirectURI: String? = nil,
        _ change: (inout Parameters) -> Void = { _ in }
    ) -> Parameters {
        var parameters = Parameters([
            .grantType: "authorization_code", .code: code, .redirectURI: redirectURI ?? Fixtures.redirectURI,
            .codeVerifier: Fixtures.verifier, .clientID: "app",
        ])
        change(&parameters)
        return parameters
    }

    /// The request of the client that authenticates with Basic.
    static func webAuthorization(_ change: (inout Parameters) -> Void = { _ in }) -> Parameters {
        authorization {
            $0[.clientID] = "web app"
            $0[.redirectURI] = "https://app.example.com/callback?from=provider"
            $0[.scope] = "openid profile"
            change(&$0)
        }
    }
}

extension ProviderResponse {
    /// The place that the browser is sent to, and the parameters that go along.
    var redirect: (place: String, parameters: Parameters)? {
        guard status == .seeOther, let location = fields[.location] else { return nil }
        let parts = location.split(separator: "?", maxSplits: 1)
        return FormURLEncoding.decode(parts.count > 1 ? parts[1] : "").map { (String(parts[0]), $0) }
    }

    /// The error that the browser is sent back with.
    var redirectError: String? { redirect?.parameters[.error] }

    var json: JSONObject? {
        guard case .bytes(let bytes) = content else { return nil }
        return try? JSONObject(parsing: bytes)
    }

    /// The error of a JSON answer.
    var error: String? { json?["error"]?.string }

    var page: Page? {
        if case .page(let page) = content { page } else { nil }
    }

    var loginPage: LoginPage? {
        if case .login(let page) = page { page } else { nil }
    }

    var consentPage: ConsentPage? {
        if case .consent(let page) = page { page } else { nil }
    }

    var signOutPage: SignOutPage? {
        if case .signOut(let page) = page { page } else { nil }
    }

    var userCodePage: UserCodePage? {
        if case .userCode(let page) = page { page } else { nil }
    }

    var deviceConsentPage: DeviceConsentPage? {
        if case .deviceConsent(let page) = page { page } else { nil }
    }

    var deviceDoneSentence: String? {
        if case .deviceDone(let page) = page { page.sentence } else { nil }
    }

    var errorSentence: String? {
        if case .error(let page) = page { page.sentence } else { nil }
    }

    var accountPage: AccountPage? {
        if case .account(let page) = page { page } else { nil }
    }

    var isSignedOutPage: Bool {
        if case .signedOut = page { true } else { false }
    }

    var cookies: [String] { fields[values: .setCookie] }
}
