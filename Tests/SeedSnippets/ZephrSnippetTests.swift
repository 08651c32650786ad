import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryTesting
import OstiaryZephr
import Testing

/// The guide "OAuth on iOS using the Swift SDK", run against the dialect.
///
/// The process has one Blaize client, so the tests take turns.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ZephrSnippetTests {
    private let site: ZephrSnippetSite

    init() throws {
        site = try ZephrSnippetSite()
        BlaizeConfiguration.shared.overrideBaseUrl = ZephrSnippetSite.base
        BlaizeConfiguration.shared.use(transport: site.network, clock: site.clock.device)
    }

    @Test("The Zephr guide's startOAuthFlow call returns the page")
    func startOAuthFlow() async throws {
        let locations = AsyncStream<URL?>.makeStream()
        let AuthProvider = AuthProvider.google

        BlaizePublic.client.startOAuthFlow(provider: AuthProvider) { result in
            switch result {
            case .success(let locationUrl):
                // Trigger OAuth flow
                locations.continuation.yield(locationUrl)
            case .failure:
                // Handle failure
                locations.continuation.yield(nil)
            }
        }

        let location = try #require(await locations.stream.first { _ in true } ?? nil)
        #expect(location.absoluteString.hasPrefix(ZephrSnippetSite.base + "/zephr/oauth2?"))
    }

    @Test("The Zephr guide's failing start returns its error")
    func startFails() async throws {
        let failures = AsyncStream<ZephrError?>.makeStream()
        BlaizePublic.client.startOAuthFlow(provider: .twitter) { result in
            switch result {
            case .success: failures.continuation.yield(nil)
            case .failure(let error): failures.continuation.yield(error)
            }
        }
        #expect(await failures.stream.first { _ in true } == ZephrError(.unknownProvider))
    }

    @Test("The Zephr guide's callback handler signs in, and registers with the state key")
    func callbacks() async throws {
        let login = ZephrSnippetApp()
        login.handle(try await site.callback(of: "ada"))
        #expect(login.printed == ["Login successful"])
        let sessionID = try #require(login.sessionID)
        #expect(sessionID.utf8.count == 43)

        let partial = ZephrSnippetApp()
        partial.handle(try await site.callback(of: "grace"))
        #expect(await partial.registrations.stream.first { _ in true } == "Registration successful")
        #expect(partial.printed == ["Partial registration successful"])
        #expect(partial.sessionID != nil)

        let failure = ZephrSnippetApp()
        failure.handle(try await site.callback(of: "blocked", .deny))
        #expect(failure.printed == ["Auth response error", "access_denied"])
    }

    @Test("The Zephr guide's callback URLs are parsed as documented")
    func documentedCallbacks() throws {
        let base = "https://myapp.com/oauthredirect"
        let success = try #require(URL(string: base + "?action=login&status=success&tracking_id=1234&session_id=1234"))
        #expect(success.queryItems["session_id"] == "1234")
        let partial = try #require(
            URL(
                string:
                    "my-app:/oauthRedirect?action=register&status=partial&state_key=1234&identifier=user@example.com"
            )
        )
        #expect(partial.queryItems["state_key"] == "1234")
        #expect(partial.queryItems["identifier"] == "user@example.com")
        let repeated = try #require(URL(string: base + "?status=success&status=failure"))
        #expect(repeated.queryItems["status"] == nil)
        #expect(base.isEmpty == false && URL(string: base)?.queryItems["status"] == nil)
    }

    @Test("The Zephr guide's registration returns each case of the result")
    func registerCases() async throws {
        let results = AsyncStream<String>.makeStream()
        for (email, password, expected) in [
            ("new@reader.example", "long enough", "[redacted]"), ("new@reader.example", "long enough", "exists"),
            ("x@blocked.example", "long enough", "blacklisted"), ("y@reader.example", "short", "bad"),
        ] {
            BlaizePublic.client.register(email: email, password: password, attributes: ["first_name": "N"]) { result in
                switch result {
                case .success(let sessionId): results.continuation.yield("\(sessionId)")
                case .userAlreadyExists: results.continuation.yield("exists")
                case .emailDomainBlacklisted: results.continuation.yield("blacklisted")
                case .badRequest: results.continuation.yield("bad")
                }
            }
            let result = try #require(await results.stream.first { _ in true })
            #expect(result == expected)
        }
    }

    @Test("The Zephr SDK's login, profile, entitlement, decision and logout calls work")
    func otherCalls() async throws {
        let client = BlaizePublic.client
        let session = try await value { (done: @escaping @MainActor @Sendable (BlaizeClient.LoginResult) -> Void) in
            client.login(email: "ada@reader.example", password: ZephrSnippetSite.password, completion: done)
        }
        guard case .success(let sessionId) = session else {
            Issue.record("ada is not signed in")
            return
        }
        let profile = try await value { client.getUserProfile(sessionId: sessionId, completion: $0) }
        #expect(try profile.get()["first_name"] == "Ada")
        _ = try await value {
            client.updateUserProfile(sessionId: sessionId, attributes: ["a": 1], merge: false, completion: $0)
        }
        #expect(try await value { client.getUserProfile(sessionId: sessionId, completion: $0) }.get() == ["a": 1])
        _ = try await value {
            client.updateExtendedProfile(sessionId: sessionId, appId: "app", attributes: ["b": 2], completion: $0)
        }
        let extended = try await value { client.getExtendedProfile(sessionId: sessionId, appId: "app", completion: $0) }
        #expect(try extended.get() == ["b": 2])
        let entitlements = try await value {
            client.entitlementChallenge(sessionId: sessionId, entitlementIds: ["premium"], completion: $0)
        }
        #expect(try entitlements.get() == ["premium": true])
        let decision = try await value {
            client.accessDecision(sessionId: sessionId, path: "/premium/a", completion: $0)
        }
        #expect(try decision.get().isAllowed)
        try await value { client.logout(sessionId: sessionId, completion: $0) }.get()
        let after = try await value { client.getUserProfile(sessionId: sessionId, completion: $0) }
        #expect(after == .failure(ZephrError(.sessionExpired)))
        let broken = try await value { client.logout(sessionId: Secret("a\r\nb"), completion: $0) }
        let sentence = "A session id is one word of printable characters."
        #expect(throws: ZephrError(.configuration(sentence))) { try broken.get() }
        #expect(try await value { client.anonymousSession(completion: $0) }.get().isEmpty == false)
    }

    @Test("The Zephr SDK's login returns each case of the result, and forget-me succeeds")
    func loginCases() async throws {
        let client = BlaizePublic.client
        func login(_ email: String, _ password: String) async throws -> BlaizeClient.LoginResult {
            try await value { client.login(email: email, password: password, completion: $0) }
        }
        if case .userNotFound = try await login("nobody@reader.example", "x") {} else { Issue.record("found") }
        if case .badPassword = try await login("ada@reader.example", "x") {} else { Issue.record("not refused") }
        guard case .badRequest(let error) = try await login("unverified@reader.example", ZephrSnippetSite.password),
            error == ZephrError(.emailVerificationRequired)
        else {
            Issue.record("taken")
            return
        }
        guard case .success(let sessionId) = try await login("ada@reader.example", ZephrSnippetSite.password) else {
            Issue.record("refused")
            return
        }
        try await value { client.forgetMe(sessionId: sessionId, completion: $0) }.get()
        if case .userNotFound = try await login("ada@reader.example", "x") {} else { Issue.record("not forgotten") }
    }

    @Test("A Zephr tenant without a base URL uses its default, and an environment needs one")
    func configuration() async throws {
        let configuration = BlaizeConfiguration.shared
        configuration.overrideBaseUrl = nil
        configuration.env = "staging"
        defer {
            configuration.env = nil
            configuration.tenantId = nil
        }
        func start() async throws -> ZephrError? {
            let result = try await value { BlaizePublic.client.startOAuthFlow(provider: .google, completion: $0) }
            if case .failure(let error) = result { return error }
            return nil
        }
        #expect(try await start()?.recovery == .fixConfiguration)
        configuration.tenantId = "daily"
        #expect(try await start()?.recovery == .fixConfiguration)
        configuration.env = "live"
        #expect(try await start() == ZephrError(.transport(.unreachable)))
        configuration.overrideBaseUrl = "http://news.example.com"
        #expect(try await start()?.recovery == .fixConfiguration)
    }

    /// The value that a call with a completion gives.
    private func value<Value: Sendable>(
        _ call: (@escaping @MainActor @Sendable (Value) -> Void) -> Void
    ) async throws -> Value {
        let values = AsyncStream<Value>.makeStream()
        call { values.continuation.yield($0) }
        return try #require(await values.stream.first { _ in true })
    }
}

/// The app's part of the guide: what it does with a callback.
private final class ZephrSnippetApp: Sendable {
    let registrations = AsyncStream<String>.makeStream()
    private let lines = Lock<[String]>([])
    private let session = Lock<String?>(nil)

    var printed: [String] { lines.withLock { $0 } }
    var sessionID: String? { session.withLock { $0 } }

    private func print(_ text: Any) { lines.withLock { $0.append("\(text)") } }
    private func setUserSessionId(sessionId: String?) { session.withLock { $0 = sessionId } }

    func handle(_ callbackURL: URL?) {
        guard let queryItems = callbackURL?.queryItems else { return }

        switch callbackURL?.queryItems["status"] {
        case "success":
            print("Login successful")
            setUserSessionId(sessionId: queryItems["session_id"])
        case "partial":
            print("Partial registration successful")
            triggerPartialRegistration(token: queryItems["state_key"])
        case "failure":
            print("Auth response error")
            print(queryItems["message"] ?? "")
        default:
            print("Unknown auth response status")
            print(callbackURL!)
        }
    }

    private func triggerPartialRegistration(token: String?) {
        guard let token else { return }
        let outcome = registrations.continuation

        BlaizePublic.client.register(token: token, attributes: ["first_name": "Grace"]) { result in
            switch result {
            case .success(let sessionId):
                // Save the sessionId
                self.setUserSessionId(sessionId: sessionId.reveal())
                outcome.yield("Registration successful")
            case .userAlreadyExists:
                outcome.yield("Error: user already exists")
            case .emailDomainBlacklisted:
                outcome.yield("Error: email domain blacklisted")
            case .badRequest:
                outcome.yield("Error: bad registration request")
            }
        }
    }
}

/// A publisher's site, in this process.
private struct ZephrSnippetSite {
    static let base = "https://news.example.com"
    static let redirectURI = "my-app:/oauthRedirect"
    static let password = "a long password"

    let clock = TestClock()
    let network: InProcessProvider

    init() throws {
        var random = SecureRandom()
        let configuration = try ProviderConfiguration.zephr(
            issuer: try Issuer(Self.base),
            redirectURI: try RedirectURI(Self.redirectURI),
            password: Secret(Self.password),
            cost: .insecureForTests,
            using: &random
        )
        let clock = clock
        network = InProcessProvider(
            provider: Provider(configuration: configuration, clock: clock.device, random: SecureRandom())
        )
    }

    /// The redirect of the browser when a reader signs in at the location.
    func callback(of reader: String, _ answer: HTTPUserAgent.Answer = .approve) async throws -> URL {
        let locations = AsyncStream<URL?>.makeStream()
        BlaizePublic.client.startOAuthFlow(provider: .google) { locations.continuation.yield(try? $0.get()) }
        let location = try #require(await locations.stream.first { _ in true } ?? nil)
        let browser = HTTPUserAgent(
            transport: network,
            credentials: .init(name: reader, password: Secret(Self.password)),
            answer: answer,
            clock: clock.device
        )
        return try await browser.attempt(awaiting: try RedirectURI(Self.redirectURI)).open(location, accepting: .any)
    }
}
