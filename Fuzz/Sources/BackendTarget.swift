import Dispatch
import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryServer
import Synchronization

extension FuzzTarget {
    /// The places of a backend that take a body from any client: code and state of a sign-in, and logout tokens.
    static let backend = FuzzTarget(name: "backend") { bytes in
        demandAnswer(to: bytes, "application/json", "/auth/finish", [200, 400, 401, 503]) { store in
            try? BackendSignIn(sessions: sessions(in: store), scopes: [.openID], store: store).finish
        }
        demandAnswer(to: bytes, "application/x-www-form-urlencoded", "/signed-out", [200, 400]) { store in
            BackChannelLogout(
                verifier: LogoutTokenVerifier(keys: keys, clientID: "app", replays: store, clock: DeviceClock(now: { World.now })),
                sessions: store
            )
        }
    }

    private static func demandAnswer(
        to bytes: [UInt8],
        _ type: String,
        _ path: String,
        _ statuses: Set<Int>,
        by place: @Sendable (MemoryServerStore) -> (any ServerEndpoint)?
    ) {
        // A store of its own, so that an input that was kept does the same again.
        guard let place = place(MemoryServerStore()), bytes.count <= place.maximumBodyBytes else { return }
        let request = ServerRequest(
            method: .post,
            target: path,
            fields: [.contentType: type, .dpop: proof],
            body: bytes
        )
        let answer = answered(request, by: place)
        demand(statuses.contains(answer.status.code), "\(answer.status.code) is an answer of \(path)")
        demand(answer.body.count <= 1024, "an answer is short")
        demand(!String(decoding: answer.body, as: UTF8.self).contains(secretWord), "no secret is answered")
        demandDiscreet(answer)
    }

    /// The answer, which nothing has to be waited for but the tasks of this process.
    static func answered(_ request: ServerRequest, by place: any ServerEndpoint) -> ServerResponse {
        let box = Box()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            box.put(await place.respond(to: request))
            done.signal()
        }
        done.wait()
        return box.take()
    }

    /// One answer, from a task to who waits for it.
    private final class Box: Sendable {
        private let answer = Mutex<ServerResponse?>(nil)
        func put(_ value: ServerResponse) { answer.withLock { $0 = value } }
        func take() -> ServerResponse { answer.withLock { $0 } ?? ServerResponse(status: .internalServerError) }
    }

    static let keys = made {
        try KeySource(issuer: World.issuer, server: World.server, transport: KeysAlone(), clock: DeviceClock(now: { World.now }))
    }

    private static func sessions(in store: MemoryServerStore) -> ServerSessions {
        made {
            ServerSessions(
                client: World.client(),
                keys: keys,
                server: World.server,
                store: store,
                sealing: SealingKeys(try .init(id: "1", bytes: Array(repeating: 7, count: 32))),
                dpop: try ProofChecking(origins: [ExternalOrigin("https://api.example")], replays: store),
                transport: KeysAlone(),
                clock: DeviceClock(now: { World.now }, uptime: { 0 }, sleep: { _ in })
            )
        }
    }

    /// A proof of the signer's key for the place that asks for one.
    private static let proof = made {
        let header: JSONObject = [
            "typ": "dpop+jwt", "alg": "EdDSA", "jwk": .object(World.signer.publicKey.jsonObject),
        ]
        let claims: JSONObject = [
            "jti": "proof", "htm": "POST", "htu": "https://api.example/auth/finish",
            "iat": .integer(Int(World.now.timeIntervalSince1970)),
        ]
        let input = Base64URL.encode(header.encoded()) + "." + Base64URL.encode(claims.encoded())
        return input + "." + Base64URL.encode(try World.signer.signature(for: Array(input.utf8)))
    }

    static func made<Value>(_ make: () throws -> Value) -> Value {
        do { return try make() } catch { fatalError("The fixed values do not hold: \(error)") }
    }
}

/// An issuer that has keys and nothing else.
struct KeysAlone: HTTPTransport {
    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        guard request.url.path() == "/jwks" else { throw .unreachable }
        let keys = World.keys.keys.map { JSONValue.object($0.jsonObject) }
        return EndpointResponse(
            fields: [.contentType: "application/json"],
            body: (["keys": .array(keys)] as JSONObject).encoded()
        )
    }
}
