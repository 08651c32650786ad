import Foundation
import HTTPTypes
import Ostiary
import OstiaryProvider
import OstiaryTesting
import Synchronization
import Testing

@Suite("A code for the app's own backend")
struct HandOffTests {
    @Test("It comes with what the backend needs, and nothing was redeemed or stored")
    func handOff() async throws {
        let world = try World()
        let handOff = try await world.client().handOff()
        #expect(handOff.issuer.description == World.issuer)
        #expect(handOff.redirectURI.description == "com.example.app:/callback")
        #expect(handOff.nonce?.isEmpty == false)
        #expect(world.network.count(path: "/token") == 0)
        #expect(try await world.store.read(.session(issuer: handOff.issuer, clientID: "app")) == nil)
        let response = try await world.network.send(
            EndpointRequest(
                url: URL(string: World.issuer + "/token")!,
                method: .post,
                form: Parameters([
                    .grantType: "authorization_code", .clientID: "app", .code: handOff.code.reveal(),
                    .codeVerifier: handOff.codeVerifier.reveal(), .redirectURI: handOff.redirectURI.description,
                ])
            )
        )
        #expect(response.status == .ok)
    }

    @Test("It prints nothing of the code")
    func printing() async throws {
        let handOff = try await World().client().handOff()
        var text = String(describing: handOff) + String(reflecting: handOff)
        dump(handOff, to: &text)
        #expect(!text.contains(handOff.code.reveal()) && !text.contains(handOff.codeVerifier.reveal()))
    }

    @Test("A redirect with another state gives no code")
    func state() async throws {
        let world = try World(
            scenario: Scenario(name: "other state") { $0.authorizationResponse = { $0[.state] = "other" } }
        )
        let client = try world.client()
        #expect(
            await failure { () throws(SignInError) in _ = try await client.handOff() }
                == SignInError(.redirect, .mismatch(.state))
        )
    }

    @Test("Without a response type none is sent")
    func withoutResponseType() async throws {
        let world = try World()
        let opened = Mutex<URL?>(nil)
        let client = try world.client(
            userAgent: ScriptedUserAgent { (url, _) throws(SignInError) in
                opened.withLock { $0 = url }
                throw SignInError(.authorization, .cancelled)
            }
        )
        var request = AuthorizationRequest()
        request.responseType = nil
        _ = try? await client.handOff(request)
        let query = try #require(opened.withLock { $0 }?.query())
        #expect(!query.contains("response_type") && query.hasPrefix("client_id=app&"))
    }
}

@Suite("A sign-in that outlives the app")
struct ResumingTests {
    static let policy = SessionPolicy(pendingLifetime: 600)

    /// The app dies while its page is open: what it would have been opened with.
    private func interrupted(
        _ world: World,
        policy: SessionPolicy = Self.policy,
        request: AuthorizationRequest = AuthorizationRequest(),
        senderConstraint: SenderConstraint = .none
    ) async throws -> URL {
        let person = world.person()
        let kept = Mutex<[UInt8]?>(nil)
        let redirect = Mutex<URL?>(nil)
        let key = StoreKey.pending(issuer: try Issuer(World.issuer), clientID: "app")
        let client = try world.client(
            userAgent: ScriptedUserAgent { (url, redirectURI) async throws(SignInError) in
                let stored = try? await world.store.read(key)
                kept.withLock { $0 = stored }
                let answer = try await person.attempt(awaiting: redirectURI).open(url)
                redirect.withLock { $0 = answer }
                throw SignInError(.authorization, .cancelled)
            },
            policy: policy,
            senderConstraint: senderConstraint
        )
        _ = try? await client.signIn(request)
        #expect(try await world.store.read(key) == nil, "What was given up is forgotten.")
        if let kept = kept.withLock({ $0 }) { try await world.store.write(kept, for: key) }
        return try #require(redirect.withLock { $0 })
    }

    @Test("The answer that comes after a restart signs in, once")
    func resume() async throws {
        let world = try World()
        let url = try await interrupted(world)
        let session = try #require(try await world.client(policy: Self.policy).resumeSignIn(from: url))
        #expect(session.identity?.subject == "alice-subject")
        #expect(try await world.client(policy: Self.policy).restoreSession() != nil)
        #expect(try await world.client(policy: Self.policy).resumeSignIn(from: url) == nil)
        #expect(world.network.count(path: "/token") == 1)
    }

    @Test("A bound sign-in keeps its key")
    func resumeBound() async throws {
        let world = try World()
        let url = try await interrupted(world, senderConstraint: .dpop)
        let session = try #require(
            try await world.client(policy: Self.policy, senderConstraint: .dpop).resumeSignIn(from: url)
        )
        #expect(session.tokenType == "DPoP")
    }

    @Test("What the first request demanded is still checked")
    func resumeStrict() async throws {
        let world = try World()
        let url = try await interrupted(
            world,
            request: AuthorizationRequest(authenticationContext: .required(["urn:ostiary:other"]))
        )
        let client = try world.client(policy: Self.policy)
        #expect(
            await failure { () throws(SignInError) in
                _ = try await client.resumeSignIn(from: url)
            } == SignInError(.identity, .mismatch(.authenticationContext))
        )
    }

    @Test("A hand-off is resumed as one")
    func resumeHandOff() async throws {
        let world = try World()
        let url = try await interrupted(world)
        let handOff = try #require(try await world.client(policy: Self.policy).resumeHandOff(from: url))
        #expect(!handOff.codeVerifier.isEmpty)
        #expect(world.network.count(path: "/token") == 0)
    }

    @Test("A URL that is not the answer leaves it waiting")
    func unrelated() async throws {
        let world = try World()
        let url = try await interrupted(world)
        let other = try #require(URL(string: "com.example.app:/callback?code=c&state=other"))
        let client = try world.client(policy: Self.policy)
        #expect(try await client.resumeSignIn(from: other) == nil)
        #expect(try await client.resumeSignIn(from: url) != nil)
    }

    @Test("After its time it is forgotten, and before it was made, too", arguments: [601.0, -1.0])
    func expired(_ seconds: Double) async throws {
        let world = try World()
        let url = try await interrupted(world)
        world.clock.advance(by: seconds)
        #expect(try await world.client(policy: Self.policy).resumeSignIn(from: url) == nil)
        #expect(try await world.store.read(.pending(issuer: Issuer(World.issuer), clientID: "app")) == nil)
    }

    @Test("Another client's is not read")
    func corrupted() async throws {
        let world = try World()
        let url = try await interrupted(world)
        let key = StoreKey.pending(issuer: try Issuer(World.issuer), clientID: "app")
        let text = String(decoding: try #require(try await world.store.read(key)), as: UTF8.self)
        try await world.store.write(
            Array(text.replacing("\"client_id\":\"app\"", with: "\"client_id\":\"ap\"").utf8),
            for: key
        )
        let client = try world.client(policy: Self.policy)
        #expect(
            await failure { () throws(SignInError) in
                _ = try await client.resumeSignIn(from: url)
            } == SignInError(.storage, .storage(.corrupted))
        )
    }

    @Test("Without a lifetime nothing is kept")
    func memoryOnly() async throws {
        let world = try World()
        let url = try await interrupted(world, policy: SessionPolicy())
        #expect(try await world.client(policy: Self.policy).resumeSignIn(from: url) == nil)
    }
}
