import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryServer
import Testing

@Suite("The start of a backend's sign-in")
struct SignInStartTests {
    /// The status of a start at an issuer whose metadata is right but for the changes.
    private func status(
        secretExpiry: Date? = nil,
        changing change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> Int {
        var metadata: JSONObject = [
            "issuer": .string(Fixtures.issuerText),
            "authorization_endpoint": .string(Fixtures.issuerText + "/authorize"),
            "token_endpoint": .string(Fixtures.issuerText + "/token"),
            "jwks_uri": .string(Fixtures.issuerText + "/jwks"),
            "id_token_signing_alg_values_supported": .array(["ES256"]),
        ]
        change(&metadata)
        let transport = ScriptedTransport()
        transport.answer(ScriptedTransport.openIDConnect, ScriptedTransport.json(metadata))
        let store = MemoryServerStore()
        let sessions = ServerSessions(
            client: try Client(
                id: "service",
                redirectURI: try RedirectURI("com.example.app:/callback"),
                authentication: .clientSecretBasic(Secret("secret")).expiring(at: secretExpiry)
            ),
            keys: try KeySource(issuer: Fixtures.issuer, transport: transport, clock: Fixtures.clock),
            store: store,
            sealing: SealingKeys(try .random()),
            dpop: try ProofChecking(origins: [try ExternalOrigin(Proofs.origin)], replays: store),
            transport: transport,
            clock: Fixtures.clock
        )
        let signIn = try BackendSignIn(sessions: sessions, scopes: [.openID], store: store)
        let proof = Proofs.proof(nil, path: "/auth/start", method: "POST")
        return await signIn.start.respond(
            to: ServerRequest(method: .post, target: "/auth/start", fields: [.dpop: proof], sender: "192.0.2.1")
        ).status.code
    }

    @Test("A sign-in starts at an issuer whose metadata lets the backend redeem the code")
    func good() async throws {
        #expect(try await status() == 200)
        #expect(try await status(secretExpiry: Fixtures.now.addingTimeInterval(1)) == 200)
    }

    @Test("A sign-in start returns no page where the metadata names no token endpoint")
    func noTokenEndpoint() async throws { #expect(try await status { $0["token_endpoint"] = nil } == 503) }

    @Test("A sign-in start returns no page where the issuer signs with no algorithm that the backend allows")
    func noAlgorithm() async throws {
        #expect(try await status { $0["id_token_signing_alg_values_supported"] = .array(["HS256"]) } == 503)
    }

    @Test("A sign-in start returns no page once the backend's client secret has expired")
    func expiredSecret() async throws { #expect(try await status(secretExpiry: Fixtures.now) == 503) }
}
