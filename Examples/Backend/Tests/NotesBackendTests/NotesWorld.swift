import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NotesBackend
import Ostiary
import OstiaryAutomation
import OstiaryHummingbird
import OstiaryJOSE
import OstiaryProvider
import OstiaryProviderDialects
import OstiarySQLite
import OstiarySSAFYServer
import OstiaryServer
import OstiaryTesting
import Synchronization

/// The backend, the two providers that it trusts, an app with its key, and a user, in one process and on one clock.
final class NotesWorld: Sendable {
    static let origin = "https://notes.example.com"
    static let issuer = "https://id.example.com"
    static let callback = "com.example.notes:/callback"
    static let membershipCallback = "https://partner.example.com/ios/ssafy/callback"

    /// The issuer's signing key.
    static let issuerKey = try! SigningKey.generate(.es256, keyID: "issuer-key")

    let clock = TestClock()
    let provider: Provider
    let network: Network
    let store: SQLiteServerStore
    let backend: NotesBackend
    /// The app's key: sessions and tokens are bound to it.
    let key = try! SigningKey.generate(.es256)
    private let folder: URL

    init() throws {
        let clock = clock
        folder = FileManager.default.temporaryDirectory.appending(path: "notes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        store = try SQLiteServerStore(path: folder.appending(path: "notes.sqlite").path)
        var random = SecureRandom()
        provider = Provider(configuration: try Self.configuration(&random), clock: clock.device, random: SecureRandom())
        let membership = Provider(
            configuration: try .ssafy(
                issuer: try Issuer(SSAFYConfiguration.canonicalIssuer),
                password: Secret("mattermost code"),
                clientSecret: Secret("partner-secret"),
                cost: .insecureForTests,
                using: &random
            ),
            clock: clock.device,
            random: SecureRandom()
        )
        network = Network([InProcessProvider(provider: provider), InProcessProvider(provider: membership)])
        backend = try NotesBackend(
            NotesSettings(
                origin: Self.origin,
                issuer: try Issuer(Self.issuer),
                clientID: "notes-backend",
                clientSecret: Secret("notes-secret"),
                redirectURI: try RedirectURI(Self.callback),
                membership: SSAFYServerConfiguration(
                    clientID: "ssafy-partner",
                    clientSecret: Secret("partner-secret"),
                    redirectURIs: [Self.membershipCallback]
                ),
                sealing: SealingKeys(try .random())
            ),
            store: store,
            transport: network,
            clock: clock.device
        )
    }

    deinit {
        store.close()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func configuration(_ random: inout SecureRandom) throws -> ProviderConfiguration {
        let redirectURI = try RedirectURI(callback)
        let scopes: [Scope] = [.openID, .profile, .offlineAccess, "notes", "notes.erase"]
        return ProviderConfiguration(
            issuer: try Issuer(issuer),
            clients: [
                RegisteredClient(
                    id: "notes-backend",
                    name: "Notes",
                    authenticationMethod: .clientSecretPost(SecretDigest(of: Secret("notes-secret"))),
                    redirectURIs: [redirectURI],
                    allowedScopes: scopes,
                    requiresConsent: false
                ),
                RegisteredClient(
                    id: "notes-app",
                    name: "Notes",
                    redirectURIs: [redirectURI],
                    allowedScopes: scopes,
                    requiresConsent: false
                ),
            ],
            users: [
                ProviderUser(
                    name: "alice",
                    passwordHash: try PasswordHash(Secret("wonderland"), cost: .insecureForTests, using: &random),
                    subject: "alice-subject",
                    claims: [:]
                )
            ],
            additionalScopes: [
                ProviderScope("notes", sentence: "Read and write your notes"),
                ProviderScope("notes.erase", sentence: "Erase your notes"),
            ],
            signingAlgorithms: [.es256],
            signingKeys: [issuerKey],
            accessTokenAudience: [origin]
        )
    }

    /// The user at the issuer's page.
    func person(_ name: String = "alice", _ password: String = "wonderland") -> HTTPUserAgent {
        let clock = clock
        return HTTPUserAgent(
            transport: network,
            credentials: .init(name: name, password: Secret(password)),
            clock: clock.device
        )
    }

    /// A proof by the app's key for one request.
    func proof(_ method: String, _ path: String, token: String? = nil, by key: SigningKey? = nil) throws -> String {
        let key = key ?? self.key
        let header: JSONObject = ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(key.publicKey.jsonObject)]
        var claims: JSONObject = [
            "jti": .string(UUID().uuidString), "htm": .string(method), "htu": .string(Self.origin + path),
            "iat": .integer(Int(clock.now.timeIntervalSince1970)),
        ]
        claims["ath"] = token.map { .string(Base64URL.encode(HashAlgorithm.sha256.hash(Array($0.utf8)))) }
        let input = Base64URL.encode(header.encoded()) + "." + Base64URL.encode(claims.encoded())
        return input + "." + Base64URL.encode(try key.signature(for: Array(input.utf8)))
    }

    /// The backend behind a client: its router, or a socket on this machine.
    func serve<Value: Sendable>(
        _ setup: TestingSetup = .router,
        _ body: @Sendable @escaping (any TestClientProtocol) async throws -> Value
    ) async throws -> Value {
        try await Application(router: try backend.router()).test(setup, body)
    }
}

/// Several providers on one network, which counts the requests.
final class Network: HTTPTransport {
    private let providers: [InProcessProvider]
    private let paths = Mutex<[String]>([])

    init(_ providers: [InProcessProvider]) { self.providers = providers }

    /// The number of requests to a path.
    func count(_ path: String) -> Int { paths.withLock { paths in paths.count { $0 == path } } }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        let path = request.url.path
        paths.withLock { $0.append(path) }
        for provider in providers
        where request.url.host() == URL(string: provider.provider.configuration.issuer.description)?.host() {
            return try await provider.send(request)
        }
        throw .unreachable
    }
}

extension TestResponse {
    /// The body, as JSON.
    var json: JSONObject { get throws { try JSONObject(parsing: Array(body.readableBytesView)) } }
}
