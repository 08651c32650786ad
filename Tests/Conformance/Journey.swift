import Foundation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Synchronization

@testable import Ostiary

/// What a relying party does in a module: sign in, ask for user info, and what else its plan has; until something is
/// refused.
struct Journey: Sendable {
    static let issuer = "https://id.example.test"
    private static let callback = "com.example.app:/callback"
    private static let goodbye = "com.example.app:/bye"

    let module: Module
    let network: InProcessProvider
    let store = FaultyStore(MemoryStore())
    private let clock = TestClock()

    /// What came of a journey.
    struct Outcome: Sendable {
        var reached: Module.Expectation
        /// The paths of the requests after the one whose answer was refused.
        var furtherPaths: [String]
        /// Whether the store holds what the provider's bad answer brought.
        var keptSomething: Bool
        /// Whether a redirect that comes again is still taken for an answer.
        var isStillPending: Bool
    }

    init(_ module: Module) throws {
        self.module = module
        let clock = clock
        let provider = Provider(
            configuration: try Self.configuration(module),
            now: { clock.now },
            random: SystemRandomNumberGenerator(),
            scenario: module.scenario
        )
        network = InProcessProvider(provider: provider)
    }

    /// Goes as far as it gets.
    func run() async throws -> Outcome {
        let person = WatchedUserAgent(
            HTTPUserAgent(transport: network, credentials: .init(name: "alice", password: Secret("wonderland")))
        )
        var key: StoreKey?
        /// What the last good answer left in the store.
        var good: JSONValue?
        var isRefreshed = false
        do throws(SignInError) {
            let client = try await client(person)
            key = client.storeKey
            let session = try await client.signIn(module.setting.request)
            good = try? await tokens(at: client.storeKey)
            _ = try await session.userInfo()
            if session.isRefreshable {
                isRefreshed = true
                // A minute later: new keys are looked for every half minute at most.
                clock.advance(by: 60)
                try await session.refresh()
                good = try? await tokens(at: client.storeKey)
                _ = try await session.userInfo()
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
        let paths = network.requests.map(\.path)
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

    private func client(_ userAgent: any UserAgent) async throws(SignInError) -> SignInClient {
        let context = ExchangeContext(device: clock.device)
        var issuer = try Issuer(Self.issuer)
        if let identifier = module.setting.identifier {
            issuer = try await network.perform(try IssuerLookup(identifier), in: context)
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
                authentication: module.authentication
            )
        }
        if module.isFAPI {
            client.profile = .fapi2Security
            client.senderConstraint = .dpop
        }
        module.setting.change(&client)
        return SignInClient(
            issuer: issuer,
            client: client,
            userAgent: userAgent,
            transport: network,
            store: store,
            clock: clock.device
        )
    }
}

extension Journey {
    private static let secret = "s3cret with % & + = : and a blank "
    private static let signingKeys: [SigningKey] = [.rs256, .es256].map { try! SigningKey.generate($0) }
    fileprivate static let clientKey = try! SigningKey.generate(.es256)
    private static let password: PasswordHash = {
        var random = SystemRandomNumberGenerator()
        return try! PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random)
    }()

    private static func configuration(_ module: Module) throws -> ProviderConfiguration {
        var client = RegisteredClient(
            id: "app",
            name: "The app",
            authenticationMethod: .clientSecretBasic(SecretDigest(of: Secret(secret))),
            redirectURIs: [try RedirectURI(callback)],
            postLogoutRedirectURIs: [try RedirectURI(goodbye)],
            requiresConsent: false
        )
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
            issuer: try Issuer(issuer),
            clients: [client],
            users: [
                ProviderUser(
                    name: "alice",
                    passwordHash: password,
                    subject: "alice-subject",
                    claims: ["name": "Alice", "email": "alice@example.test"]
                )
            ],
            signingAlgorithms: [.rs256, .es256],
            signingKeys: signingKeys,
            requiresPushedAuthorizationRequests: module.isFAPI,
            registration: module.registersItself ? .open : .closed
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

/// A user agent that knows whether one of its attempts is still waiting.
private final class WatchedUserAgent: UserAgent {
    private let agent: HTTPUserAgent
    private let open = Mutex(0)
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
