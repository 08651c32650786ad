import Foundation
import HTTPTypes
import Ostiary
import OstiaryCompatibility
import OstiaryJOSE
import OstiaryLogi
import OstiaryLogiServer
import OstiaryProvider
import OstiaryProviderDialects
import OstiaryServer
import OstiaryTesting
import Testing

/// A partner's backend, made of the backend kit, and the key of one app.
struct LogiPartner: Sendable {
    static let origin = "https://partner.example.com"

    let world: LogiWorld
    let store: MemoryServerStore
    /// The transport of the backend.
    let wire: LogiWire
    /// The outcomes of renewals of tokens.
    let renewals: Renewals

    final class Renewals: Sendable {
        private let noted = Lock<[ServerSessions.Event]>([])
        private let failed = Lock<[Verdict.Entry]>([])
        /// The first check that failed in each answer.
        var failures: [Verdict.Entry] { failed.withLock { $0 } }
        func note(_ verdict: Verdict) { failed.withLock { $0 += verdict.failure.map { [$0] } ?? [] } }
        /// Every event but the beginnings of sessions.
        var all: [ServerSessions.Event] { noted.withLock { $0.filter { $0 != .began } } }
        func note(_ event: ServerSessions.Event) { noted.withLock { $0.append(event) } }
    }
    let backend: LogiBackend

    init(
        _ world: LogiWorld,
        store: MemoryServerStore = MemoryServerStore(),
        backendStore: (any LogiBackend.Store)? = nil,
        sealing: SealingKeys? = nil,
        lifetimes: ServerSessions.Lifetimes = .init(),
        nonces: ServerNonces? = nil,
        clock: DeviceClock? = nil
    ) throws {
        self.world = world
        self.store = store
        wire = LogiWire(world.network)
        let renewals = Renewals()
        self.renewals = renewals
        backend = try LogiBackend(
            clientID: LogiDevelopment.backendClientID,
            clientSecret: LogiWorld.backendSecret,
            redirectURI: LogiWorld.redirectURI,
            issuer: world.issuer,
            lifetimes: lifetimes,
            store: backendStore ?? store,
            sealing: try sealing ?? SealingKeys(.random()),
            dpop: ProofChecking(origins: [ExternalOrigin(Self.origin)], replays: store, nonces: nonces),
            transport: wire,
            clock: clock ?? world.clock.device,
            events: { renewals.note($0) },
            verdicts: { renewals.note($0) }
        )
    }

    /// The key of the app that these tests are about.
    static let appKey = try! SigningKey.generate(.es256)

    /// A proof by the app's key, or by another.
    func proof(_ path: String, method: String = "POST", token: String? = nil, by key: SigningKey = appKey) -> String {
        let header: JSONObject = ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(key.publicKey.jsonObject)]
        var claims: JSONObject = [
            "jti": .string(UUID().uuidString), "htm": .string(method), "htu": .string(Self.origin + path),
            "iat": .integer(Int(world.clock.now.timeIntervalSince1970)),
        ]
        claims["ath"] = token.map { .string(Base64URL.encode(HashAlgorithm.sha256.hash(Array($0.utf8)))) }
        let input = Base64URL.encode(header.encoded()) + "." + Base64URL.encode(claims.encoded())
        return input + "." + Base64URL.encode(try! key.signature(for: Array(input.utf8)))
    }

    /// The backend's answer to a request for a page.
    func startAnswer(by key: SigningKey = appKey, proofs: [String]? = nil) async throws -> (
        status: Int, object: JSONObject
    ) {
        var fields = HTTPFields()
        for proof in proofs ?? [proof("/auth/start", by: key)] { fields.append(HTTPField(name: .dpop, value: proof)) }
        return try read(
            await backend.signIn.start.respond(
                to: ServerRequest(method: .post, target: "/auth/start", fields: fields, sender: "192.0.2.1")
            )
        )
    }

    /// The page, for a browser and for the provider's app.
    func start(by key: SigningKey = appKey) async throws -> LogiStartURL {
        let object = try await startAnswer(by: key).object
        return try LogiStartURL(
            try #require(object["start_url"]?.string.flatMap { URL(string: $0) }),
            native: object["native_start_url"]?.string.flatMap { URL(string: $0) }
        )
    }

    /// The backend's answer to code and state.
    func finish(_ callback: LogiCallback, by key: SigningKey = appKey) async throws -> (status: Int, object: JSONObject)
    {
        try await finish(code: callback.code.reveal(), state: callback.state.reveal(), by: key)
    }

    func finish(
        code: String,
        state: String,
        more: [String: JSONValue] = [:],
        by key: SigningKey = appKey
    ) async throws -> (status: Int, object: JSONObject) {
        var body: JSONObject = ["code": .string(code), "state": .string(state)]
        for (name, value) in more { body[name] = value }
        return try read(
            await backend.signIn.finish.respond(
                to: ServerRequest(
                    method: .post,
                    target: "/auth/finish",
                    fields: [.contentType: "application/json", .dpop: proof("/auth/finish", by: key)],
                    body: body.encoded()
                )
            )
        )
    }

    /// The name of a session in the store.
    func id(of handle: String) -> StoreDigest {
        StoreDigest("session", [world.issuer, LogiDevelopment.backendClientID, handle])
    }

    /// The session that a request with this handle is for.
    func session(_ handle: String, by key: SigningKey = appKey) async throws -> ServerSession {
        try await backend.sessions.session(
            of: ServerRequest(
                target: "/me",
                fields: [
                    .authorization: "DPoP " + handle, .dpop: proof("/me", method: "GET", token: handle, by: key),
                ]
            )
        )
    }

    private func read(_ response: ServerResponse) throws -> (status: Int, object: JSONObject) {
        (response.status.code, response.body.isEmpty ? [:] : try JSONObject(parsing: response.body))
    }
}
