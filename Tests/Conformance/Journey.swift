import Foundation
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting

@testable import Ostiary

/// The steps of a relying party in a module: sign in, ask for user info, and what else its plan has; until something is
/// refused.
struct Journey: Sendable {
    static let issuer = "https://id.example.test"
    private static let callback = "com.example.app:/callback"
    private static let goodbye = "com.example.app:/bye"

    let module: Module
    let manners: ProviderManners
    let network: InProcessProvider
    /// The same provider without the module's fault.
    private let mended: InProcessProvider
    let store = FaultyStore(MemoryStore())
    let clock = TestClock()

    /// The outcome of a journey.
    struct Outcome: Sendable {
        var reached: Module.Expectation
        /// The paths of the requests after the one whose answer was refused.
        var furtherPaths: [String]
        /// Whether the store holds what the provider's bad answer brought.
        var keptSomething: Bool
        /// Whether a redirect that comes again is still taken for an answer.
        var isStillPending: Bool
        /// The error of a refresh that is made after all this, with the provider's fault mended; `nil` for none, and
        /// when there is nothing to refresh.
        var laterError: SignInError?
        /// Whether a session that can be refreshed was begun, and is gone, though the provider has not ended it.
        var isSignedOut = false
    }

    init(_ module: Module, manners: ProviderManners = .strict) throws {
        self.module = module
        self.manners = manners
        let clock = clock
        let configuration = try Self.configuration(module, manners)
        let storage = MemoryProviderStorage()
        func network(_ scenario: Scenario) -> InProcessProvider {
            InProcessProvider(
                provider: Provider(
                    configuration: configuration,
                    storage: storage,
                    clock: clock.device,
                    random: SystemRandomNumberGenerator(),
                    scenario: scenario
                )
            )
        }
        self.network = network(module.scenario)
        mended = network(.none)
    }

    /// Goes as far as it gets; where something was refused, the fault is mended, and a session that was begun goes on.
    func runAndGoOn() async throws -> Outcome {
        var outcome = try await run()
        guard outcome.reached != .accepted, !module.registersItself, module.plan != .logout else { return outcome }
        let person = HTTPUserAgent(transport: mended, credentials: Self.credentials)
        let client = try await client(person, over: mended)
        let isKept = try await tokens(at: client.storeKey) != nil
        outcome.isSignedOut = hasBegun.withLock { $0 } && !isKept && !outcome.isEndedByProvider
        guard isKept else { return outcome }
        clock.advance(by: .seconds(60))
        do throws(SignInError) {
            guard let session = try await client.restoreSession(), session.isRefreshable else { return outcome }
            try await session.refresh()
        } catch {
            outcome.laterError = error
        }
        return outcome
    }

    private static let credentials = HTTPUserAgent.Credentials(name: "alice", password: Secret("wonderland"))
    private let hasBegun = HasBegun()

    /// Goes as far as it gets.
    func run() async throws -> Outcome {
        let person = WatchedUserAgent(
            HTTPUserAgent(transport: network, credentials: Self.credentials)
        )
        var key: StoreKey?
        /// The content of the store after the last accepted answer.
        var good: JSONValue?
        var isRefreshed = false
        do throws(SignInError) {
            let client = try await client(person, over: network)
            key = client.storeKey
            let session = try await client.signIn(manners.request(module.setting.request))
            good = try? await tokens(at: client.storeKey)
            hasBegun.withLock { $0 = session.isRefreshable }
            if manners.hasUserInfo { _ = try await session.userInfo() }
            if session.isRefreshable {
                isRefreshed = true
                // A minute later: new keys are looked for every half minute at most.
                clock.advance(by: .seconds(60))
                try await session.refresh()
                good = try? await tokens(at: client.storeKey)
                if manners.hasUserInfo { _ = try await session.userInfo() }
            }
            if module.plan == .logout {
                let report = try await session.signOut(endingProviderSessionAt: try RedirectURI(Self.goodbye))
                good = nil
                if let failure = report.endSessionFailure { throw failure }
            }
            return Outcome(reached: .accepted, furtherPaths: [], keptSomething: false, isStillPending: false)
        } catch {
            var kept: JSONValue?
            if let key { kept = try? await tokens(at: key) }
            return Outcome(
                reached: .refused(error),
                furtherPaths: pathsAfterRefusal(error, isRefreshed: isRefreshed),
                keptSomething: kept != good,
                isStillPending: person.hasOpenAttempt
            )
        }
    }

    /// The tokens in the store; the rest of what is stored says that a refresh is under way.
    private func tokens(at key: StoreKey) async throws -> JSONValue? {
        try await store.read(key).flatMap { try JSONObject(parsing: $0)["tokens"] }
    }

    /// Requests that may not be sent any more once an answer was refused.
    private func pathsAfterRefusal(_ error: SignInError, isRefreshed: Bool) -> [String] {
        let prefix = manners.issuerPath.hasSuffix("/") ? String(manners.issuerPath.dropLast()) : manners.issuerPath
        let paths = network.requests.map { String($0.path.dropFirst($0.path.hasPrefix(prefix) ? prefix.count : 0)) }
        switch error.stage {
        case .discovery: return paths.filter(["/par", "/register", "/authorize", "/token", "/userinfo"].contains)
        case .authorization: return paths.filter(["/authorize", "/token", "/userinfo"].contains)
        case .redirect: return paths.filter(["/token", "/userinfo"].contains)
        case .token, .keys, .refresh, .identity:
            // No access token of a refused answer is presented: it is revoked, once, where it could be read.
            let answered = paths.lastIndex(of: "/token") ?? 0
            let revocations = paths.filter { $0 == "/revoke" }
            let isRevoked = isRefreshed || error.stage == .identity
            return paths[answered...].filter { $0 == "/userinfo" } + revocations.dropFirst(isRevoked ? 1 : 0)
        default: return []
        }
    }

    func client(
        _ userAgent: any UserAgent,
        over network: InProcessProvider,
        storing store: (any SecretStore)? = nil
    ) async throws(SignInError) -> SignInClient {
        let context = ExchangeContext(device: clock.device)
        var issuer = try manners.issuer(at: Issuer(Self.issuer))
        if let identifier = module.setting.identifier {
            issuer = try await network.perform(try IssuerDiscoveryRequest(identifier), in: context)
        }
        var client: Client
        if module.registersItself {
            let registrar = ClientRegistrar(
                issuer: issuer,
                transport: network,
                store: MemoryStore(),
                context: context
            )
            var metadata = ClientMetadata(
                name: "The app",
                redirectURIs: [try RedirectURI(Self.callback)],
                scopes: module.setting.request.scopes,
                authenticationMethod: "client_secret_basic"
            )
            module.setting.registration(&metadata)
            let registration = try await registrar.register(metadata)
            client = try registration.client(redirectURI: try RedirectURI(Self.callback))
        } else {
            client = try Client(
                id: "app",
                redirectURI: try RedirectURI(Self.callback),
                authentication: try authentication(at: issuer)
            )
        }
        if module.isFAPI {
            client.profile = .fapi2Security
            client.senderConstraint = .dpop
        }
        client.manners.takesLogoutURI = manners.endSession == .logoutURI
        module.setting.change(&client)
        return SignInClient(
            issuer: issuer,
            client: client,
            configuration: SignInClient.Configuration(
                userAgent: userAgent,
                transport: network,
                store: store ?? self.store,
                clock: clock.device
            )
        )
    }
}

extension Journey {
    private func authentication(at issuer: Issuer) throws(SignInError) -> ClientAuthentication {
        guard manners.clientSecrets == .signed else { return module.authentication }
        let now = Int(clock.now.timeIntervalSince1970)
        let claims: JSONObject = [
            "iss": "TEAM", "sub": "app", "aud": .string(issuer.description), "iat": .integer(now),
            "exp": .integer(now + 86_400),
        ]
        guard let secret = try? Self.clientKey.sign(claims: claims, type: nil) else {
            throw SignInError(.token, .configuration("The client's key cannot sign."))
        }
        return .clientSecretPost(Secret(secret))
    }

    private static let secret = "s3cret with % & + = : and a blank "
    private static let signingKeys: [SigningKey] = [.rs256, .es256].map { try! SigningKey.generate($0) }
    fileprivate static let clientKey = try! SigningKey.generate(.es256)
    private static let password: PasswordHash = {
        var random = SystemRandomNumberGenerator()
        return try! PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random)
    }()

    private static func configuration(
        _ module: Module,
        _ manners: ProviderManners
    ) throws -> ProviderConfiguration {
        var client = RegisteredClient(
            id: "app",
            name: "The app",
            authenticationMethod: .clientSecretBasic(SecretDigest(of: Secret(secret))),
            redirectURIs: [try RedirectURI(callback)],
            postLogoutRedirectURIs: [try RedirectURI(goodbye)],
            requiresConsent: false
        )
        if manners.clientSecrets == .signed {
            client.authenticationMethod = .signedSecret(
                keys: JSONWebKeySet([clientKey.publicKey]),
                developer: "TEAM"
            )
        }
        if module.isFAPI {
            client.authenticationMethod = .privateKeyJWT(
                keys: JSONWebKeySet([clientKey.publicKey]),
                algorithm: .es256
            )
            client.idTokenAlgorithm = .es256
            client.requiresDPoP = true
            client.requiresPushedAuthorization = true
        }
        module.setting.registered(&client)
        return ProviderConfiguration(
            issuer: try manners.issuer(at: Issuer(issuer)),
            clients: [client],
            users: [
                ProviderUser(
                    name: "alice",
                    passwordHash: password,
                    subject: "alice-subject",
                    claims: ["name": "Alice", "email": "alice@example.test"]
                )
            ],
            // Many journeys are made under manners, and a signature with RSA takes its time.
            signingAlgorithms: manners == .strict ? [.rs256, .es256] : [.es256, .rs256],
            signingKeys: signingKeys,
            requiresPushedAuthorizationRequests: module.isFAPI,
            registration: module.registersItself ? .open : .closed,
            manners: manners
        )
    }

    fileprivate static var basic: ClientAuthentication { .clientSecretBasic(Secret(secret)) }
}

extension Module {
    var isFAPI: Bool { plan == .fapi || plan == .ownFAPI }

    var registersItself: Bool { plan == .dynamic || setting.registers }

    fileprivate var authentication: ClientAuthentication {
        isFAPI ? .privateKeyJWT(Journey.clientKey) : Journey.basic
    }
}

extension Journey.Outcome {
    /// Whether the provider said that the session is over.
    var isEndedByProvider: Bool {
        guard case .refused(let error) = reached, case .refused(let answer) = error.reason else { return false }
        return error.stage == .refresh && answer.code == .invalidGrant
    }
}

extension ProviderManners {
    /// Whether there is user info.
    var hasUserInfo: Bool { !absentEndpoints.contains(.userInfo) }

    /// A request as an app writes it that knows the provider.
    func request(_ request: AuthorizationRequest) -> AuthorizationRequest {
        var request = request
        var refused = formPostScopes
        if offlineAccess == .unknown { refused.insert(.offlineAccess) }
        if !refused.isDisjoint(with: request.scopes) {
            request.scopes.removeAll { refused.contains($0) }
        }
        if offlineAccess == .withConsentPrompt, request.prompt.isEmpty { request.prompt = [.consent] }
        if refreshTokenCondition == .accessType { request.additionalParameters["access_type"] = "offline" }
        return request
    }
}

/// Whether a session that can be refreshed was begun.
private final class HasBegun: Sendable {
    private let value = Lock(false)
    func withLock<R: Sendable>(_ body: (inout sending Bool) -> sending R) -> R { value.withLock(body) }
}

/// A user agent that knows whether one of its attempts is still waiting.
private final class WatchedUserAgent: UserAgent {
    private let agent: HTTPUserAgent
    private let open = Lock(0)
    var hasOpenAttempt: Bool { open.withLock { $0 > 0 } }

    init(_ agent: HTTPUserAgent) { self.agent = agent }

    func attempt(awaiting redirectURI: RedirectURI) async throws(SignInError) -> UserAgentAttempt {
        let attempt = try await agent.attempt(awaiting: redirectURI)
        open.withLock { $0 += 1 }
        return UserAgentAttempt(
            redirectURI: attempt.redirectURI,
            open: { (url: URL, predicate: RedirectPredicate) async throws(SignInError) -> URL in
                defer { self.open.withLock { $0 -= 1 } }
                return try await attempt.open(url, accepting: predicate)
            },
            abandon: {
                self.open.withLock { $0 -= 1 }
                await attempt.abandon()
            }
        )
    }
}
