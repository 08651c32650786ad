import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NotesBackend
import Ostiary
import OstiaryAutomation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryServer
import OstiaryTesting
import Testing

@Suite("A backend of one's own: sessions", .timeLimit(.minutes(5)))
struct SessionTests {
    let world: NotesWorld

    init() throws { world = try NotesWorld() }

    /// Signs the user in, as an app does that has a key and no secret.
    ///
    /// - Returns: The session's handle, and what the issuer calls the session.
    private static func signIn(_ world: NotesWorld, _ client: any TestClientProtocol) async throws -> (
        handle: String, subject: String
    ) {
        let start = try await client.execute(
            uri: "/auth/start",
            method: .post,
            headers: [.dpop: try world.proof("POST", "/auth/start")]
        ).json
        let page = try #require(start["start_url"]?.string.flatMap { URL(string: $0) })
        let redirect = try await world.person().attempt(awaiting: try RedirectURI(NotesWorld.callback)).open(
            page,
            accepting: .any
        )
        let answer = try #require(FormURLEncoding.decode(redirect.query(percentEncoded: true) ?? ""))
        var body: JSONObject = [:]
        for name in ["code", "state", "iss"] as [OstiaryOAuth.Parameters.Name] {
            body[name.rawValue] = answer[name].map { .string($0) }
        }
        let finish = try await client.execute(
            uri: "/auth/finish",
            method: .post,
            headers: [.contentType: "application/json", .dpop: try world.proof("POST", "/auth/finish")],
            body: ByteBuffer(bytes: body.encoded())
        ).json
        return (try #require(finish["session"]?.string), try #require(finish["sub"]?.string))
    }

    private static func me(_ world: NotesWorld, _ client: any TestClientProtocol, _ handle: String) async throws
        -> TestResponse
    {
        try await client.execute(
            uri: "/me",
            method: .get,
            headers: [.authorization: "DPoP " + handle, .dpop: try world.proof("GET", "/me", token: handle)]
        )
    }

    @Test(
        "A user signs in, and the session handle is rejected without its key",
        arguments: [TestingSetup.router, .live]
    )
    func signIn(_ setup: TestingSetup) async throws {
        let world = world
        try await world.serve(setup) { client in
            let (handle, subject) = try await Self.signIn(world, client)
            #expect(try await Self.me(world, client, handle).json == ["sub": .string(subject)])
            let thief = try await client.execute(
                uri: "/me",
                method: .get,
                headers: [
                    .authorization: "DPoP " + handle,
                    .dpop: try world.proof("GET", "/me", token: handle, by: .generate(.es256)),
                ]
            )
            #expect(thief.status == .unauthorized)
        }
    }

    @Test(
        "A logout token of the issuer ends the session and revokes its refresh token, and a replay ends no later session",
        arguments: [TestingSetup.router, .live]
    )
    func signedOut(_ setup: TestingSetup) async throws {
        let world = world
        try await world.serve(setup) { client in
            let (handle, subject) = try await Self.signIn(world, client)
            let token = try await world.provider.logoutToken(for: "notes-backend", subject: subject)
            func signOut() async throws -> HTTPResponse.Status {
                try await client.execute(
                    uri: "/auth/signed-out",
                    method: .post,
                    headers: [.contentType: "application/x-www-form-urlencoded"],
                    body: ByteBuffer(string: "logout_token=\(token)")
                ).status
            }
            #expect(try await signOut() == .ok)
            #expect(try await Self.me(world, client, handle).status == .unauthorized)
            await world.backend.settle()
            #expect(world.network.count("/revoke") == 1)
            // The same token again, which an attacker may have seen, ends no later session.
            let (later, _) = try await Self.signIn(world, client)
            #expect(try await signOut() == .badRequest)
            #expect(try await Self.me(world, client, later).status == .ok)
        }
    }
}
