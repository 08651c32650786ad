import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryMigration
import OstiaryProvider
import OstiaryTesting
import Testing

/// The output, errors, reports and files of a session's whole life: nothing secret.
@Suite("Planted secrets")
struct PlantedSecretsTests {
    @Test("Values, errors, events, dumps, lock files and stored files contain no planted secret")
    func everything() async throws {
        try await Folder.use { folder in
            let secrets = Planted()
            let world = try World(scenario: secrets.scenario) { client in
                client.authenticationMethod = .clientSecretPost(SecretDigest(of: Secret(Planted.clientSecret)))
            }
            let store = FileStore(directory: folder.path("store"), key: .file(at: URL(filePath: folder.path("key"))))
            let shown = Shown()
            try await live(in: world, store, shown)
            secrets.add(from: world.network.requests)
            shown.add(world.events.events)
            shown.add(folder)

            #expect(secrets.values.count > 20, "Too few are known: \(secrets.values.count)")
            #expect(secrets.values.filter { shown.text.contains($0) }.isEmpty)
            // A search that finds nothing in anything would not be noticed above.
            #expect(
                secrets.values.allSatisfy { (shown.text + $0).contains($0) } && shown.text.contains("invalid_grant")
            )
        }
    }

    /// Everything that may happen to a session, with all that comes of it.
    private func live(in world: World, _ store: FileStore, _ shown: Shown) async throws {
        let authentication = ClientAuthentication.clientSecretPost(Secret(Planted.clientSecret))
        func newClient(
            password: String = "wonderland",
            _ store: any SecretStore,
            _ authentication: ClientAuthentication
        ) throws -> SignInClient {
            let network = Network(provider: world.network)
            let person = HTTPUserAgent(
                transport: network,
                credentials: .init(name: "alice", password: Secret(password))
            )
            return try world.client(
                userAgent: person,
                transport: network,
                store: store,
                authentication: authentication
            )
        }
        let client = try newClient(store, authentication)
        let session = try await client.signIn()
        shown.add([client, client.client, session, session.tokens, authentication] as [Any])
        shown.add([session.identity as Any, try await session.accessToken(), try await session.userInfo()] as [Any])
        for await state in session.states {
            shown.add(state)
            break
        }
        try await session.refresh()
        // Answers that are lost, refused, forged and late.
        for (path, moment) in [("/token", InProcessProvider.LossMoment.beforeProcessing), ("/token", .afterProcessing)]
        {
            world.network.lose(to: path, moment, with: .tooLarge)
            shown.add(await failure { () async throws(SignInError) in try await session.refresh() } as Any)
        }
        shown.add(await failure { () async throws(SignInError) in try await session.refresh() } as Any)
        shown.add(try store.processLock?.owner(of: "anything") as Any)
        // The wrong password, the wrong secret, an unknown token, and what another SDK kept.
        let wrong = try newClient(password: Planted.wrongPassword, store, authentication)
        shown.add(await failure { () async throws(SignInError) in _ = try await wrong.signIn() } as Any)
        let impostor = try newClient(store, .clientSecretPost(Secret(Planted.wrongSecret)))
        shown.add(await failure { () async throws(SignInError) in _ = try await impostor.signIn() } as Any)
        let imported = ImportedSession(refreshToken: Secret(Planted.foreignToken))
        shown.add(imported)
        let fresh = try newClient(MemoryStore(), authentication)
        shown.add(await failure { () async throws(SignInError) in _ = try await fresh.adopt(imported) } as Any)
        // What is taken elsewhere, and the end.
        let key = StoreKey.session(issuer: client.issuer, clientID: client.client.id)
        let archive = try await SessionArchive.export([key], from: store, passphrase: Secret(Planted.passphrase))
        shown.add(String(decoding: archive, as: UTF8.self))
        let next = try await client.signIn()
        world.network.lose(to: "/revoke", .beforeProcessing)
        shown.add([try await next.signOut(), next, next.end as Any, session] as [Any])
        shown.add(await failure { () async throws(SignInError) in _ = try await next.accessToken() } as Any)
    }
}

/// The way to the provider, which is another machine: what it knows of people is not printed with a client.
private struct Network: HTTPTransport, CustomReflectable {
    let provider: InProcessProvider

    var customMirror: Mirror { Mirror(self, children: []) }
    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        try await provider.send(request)
    }
}

/// All that was printed.
private final class Shown: Sendable {
    private let all = Lock("")

    var text: String { all.withLock { $0 } }

    /// Prints a value in every way that there is.
    func add(_ value: Any) {
        var text = "\(value) \(String(reflecting: value)) "
        dump(value, to: &text)
        if let error = value as? any Error { text += error.localizedDescription }
        all.withLock { $0 += text }
    }

    /// Adds the names and the contents of all files.
    func add(_ folder: Folder) {
        for name in FileManager.default.enumerator(atPath: folder.path(""))?.compactMap({ $0 as? String }) ?? [] {
            let content = FileManager.default.contents(atPath: folder.path(name)) ?? Data()
            all.withLock { $0 += name + " " + String(decoding: content, as: UTF8.self) }
        }
    }
}

/// The values that may appear nowhere.
private final class Planted: Sendable {
    static let clientSecret = "planted-client-secret"
    static let wrongSecret = "planted-wrong-secret"
    static let wrongPassword = "planted-wrong-password"
    static let foreignToken = "planted-foreign-token"
    static let passphrase = "planted-passphrase"

    private let found = Lock<Set<String>>([
        clientSecret, wrongSecret, wrongPassword, foreignToken, passphrase, "wonderland", "alice-subject",
        "alice@example.test",
    ])

    var values: Set<String> { found.withLock { $0 } }

    /// Remembers what the provider gives out.
    var scenario: Scenario {
        Scenario(name: "watched") { scenario in
            scenario.authorizationResponse = { self.add($0[.code]) }
            scenario.tokenResponse = { object, _ in
                for name in ["access_token", "refresh_token", "id_token"] { self.add(object[name]?.string) }
            }
        }
    }

    /// Remembers what the client made.
    func add(from requests: [InProcessProvider.RecordedRequest]) {
        for request in requests {
            let body = request.request.body.map { String(decoding: $0, as: UTF8.self) } ?? ""
            for text in [body, request.request.url.query ?? ""] {
                guard let form = FormURLEncoding.decode(text) else { continue }
                for name in ["code_verifier", "state", "nonce", "refresh_token", "code", "token"] {
                    add(form[Parameters.Name(rawValue: name)])
                }
            }
        }
    }

    private func add(_ value: String?) {
        guard let value, value.utf8.count >= 8 else { return }
        found.withLock { _ = $0.insert(value) }
    }
}
