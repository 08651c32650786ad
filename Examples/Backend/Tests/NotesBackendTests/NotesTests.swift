import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NotesBackend
import Ostiary
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("A backend of one's own: access tokens", .timeLimit(.minutes(5)))
struct NotesTests {
    let world: NotesWorld

    init() throws { world = try NotesWorld() }

    /// The access token of an app that signs in by itself.
    private func token(_ scopes: [Scope], bound: SenderConstraint = .none) async throws -> (SignInClient, Session) {
        let clock = world.clock
        let client = SignInClient(
            issuer: try Issuer(NotesWorld.issuer),
            client: try Client(
                id: "notes-app",
                redirectURI: try RedirectURI(NotesWorld.callback),
                senderConstraint: bound
            ),
            configuration: SignInClient.Configuration(
                userAgent: world.person(),
                transport: world.network,
                store: MemoryStore(),
                clock: clock.device
            )
        )
        return (client, try await client.signIn(AuthorizationRequest(scopes: [.openID] + scopes)))
    }

    @Test("A note is written and read with a bearer token that has the scope", arguments: [TestingSetup.router, .live])
    func bearer(_ setup: TestingSetup) async throws {
        let (_, session) = try await token(["notes"])
        let token = try await session.accessToken().reveal()
        try await world.serve(setup) { client in
            let fields: HTTPFields = [.authorization: "Bearer " + token]
            let written = try await client.execute(
                uri: "/notes",
                method: .post,
                headers: fields,
                body: ByteBuffer(string: "Buy milk")
            )
            #expect(written.status == .noContent)
            let read = try await client.execute(uri: "/notes", method: .get, headers: fields)
            #expect(try read.json == ["notes": ["Buy milk"]])
        }
    }

    @Test("Without a token, and without the scope, the answer is a challenge that leads to the metadata")
    func challenges() async throws {
        let (_, session) = try await token([])
        let token = try await session.accessToken().reveal()
        try await world.serve { client in
            let none = try await client.execute(uri: "/notes", method: .get)
            let document = "\(NotesWorld.origin)/.well-known/oauth-protected-resource"
            #expect(none.status == .unauthorized)
            #expect(none.headers[.wwwAuthenticate] == #"Bearer scope="notes", resource_metadata="\#(document)""#)
            let narrow = try await client.execute(
                uri: "/notes",
                method: .get,
                headers: [.authorization: "Bearer " + token]
            )
            #expect(narrow.status == .forbidden)
            #expect(narrow.headers[.wwwAuthenticate]?.contains("insufficient_scope") == true)
        }
    }

    @Test(
        "The guarded route rejects a missing, malformed, expired or insufficient token with its status and challenge",
        arguments: [TestingSetup.router, .live]
    )
    func guarded(_ setup: TestingSetup) async throws {
        let world = world
        try await world.serve(setup) { client in
            let clock = world.clock
            let check = GuardedRouteCheck(
                issuer: try Issuer(NotesWorld.issuer),
                audience: NotesWorld.origin,
                scopes: ["notes"],
                key: NotesWorld.issuerKey,
                clock: clock.device
            ) { fields in
                let response = try await client.execute(uri: "/notes", method: .get, headers: fields)
                return GuardedRouteCheck.Answer(status: response.status, fields: response.headers)
            }
            try await check.run()
        }
    }

    @Test(
        "The resource metadata lists the resource, the issuer, the scopes and the binding that the routes require",
        arguments: [TestingSetup.router, .live]
    )
    func metadata(_ setup: TestingSetup) async throws {
        let document = try await world.serve(setup) { client in
            try await client.execute(uri: "/.well-known/oauth-protected-resource", method: .get).json
        }
        #expect(document["resource"] == .string(NotesWorld.origin))
        #expect(document["authorization_servers"] == [.string(NotesWorld.issuer)])
        #expect(document["scopes_supported"] == ["notes", "notes.erase"])
        #expect(document["dpop_bound_access_tokens_required"] == false)
    }

    @Test("Erasing a note requires a bound token, a fresh DPoP proof for the request, and a recent sign-in")
    func erase() async throws {
        let world = world
        let key = DPoPKey(world.key)
        let (_, session) = try await token(["notes", "notes.erase"], bound: .dpop(key))
        let token = try await session.accessToken().reveal()
        let (_, unbound) = try await self.token(["notes", "notes.erase"])
        let bearer = try await unbound.accessToken().reveal()
        try await world.serve { client in
            func erase(_ authorization: String, _ proof: String?) async throws -> HTTPResponse.Status {
                var fields: HTTPFields = [.authorization: authorization]
                fields[.dpop] = proof
                return try await client.execute(uri: "/notes", method: .delete, headers: fields).status
            }
            let proof = try world.proof("DELETE", "/notes", token: token)
            #expect(try await erase("DPoP " + token, proof) == .noContent)
            #expect(try await erase("DPoP " + token, proof) == .unauthorized)
            #expect(try await erase("DPoP " + token, try world.proof("GET", "/notes", token: token)) == .unauthorized)
            #expect(try await erase("Bearer " + token, nil) == .unauthorized)
            #expect(try await erase("Bearer " + bearer, nil) == .unauthorized)
            world.clock.advance(by: .seconds(331))
            let late = try await client.execute(
                uri: "/notes",
                method: .delete,
                headers: [.authorization: "DPoP " + token, .dpop: try world.proof("DELETE", "/notes", token: token)]
            )
            #expect(late.status == .unauthorized)
            #expect(late.headers[.wwwAuthenticate]?.contains("insufficient_user_authentication") == true)
        }
    }

    @Test("The health endpoint responds 200 at once, and the readiness endpoint only once the keys are loaded")
    func health() async throws {
        let world = world
        try await world.serve { client in
            #expect(try await client.execute(uri: "/health", method: .get).status == .ok)
            #expect(try await client.execute(uri: "/ready", method: .get).status == .serviceUnavailable)
            try await world.backend.keys.warm()
            #expect(try await client.execute(uri: "/ready", method: .get).status == .ok)
        }
    }
}
