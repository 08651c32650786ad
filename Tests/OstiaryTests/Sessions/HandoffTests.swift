import Foundation
import HTTPTypes
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("A code for the app's own backend")
struct HandoffTests {
    @Test("A code handoff has everything that the backend needs, and nothing is redeemed or stored")
    func handoff() async throws {
        let world = try World()
        let handoff = try await world.client().codeHandoff()
        #expect(handoff.issuer.description == World.issuer)
        #expect(handoff.redirectURI.description == "com.example.app:/callback")
        #expect(handoff.nonce?.isEmpty == false)
        #expect(world.network.count(path: "/token") == 0)
        #expect(try await world.store.read(.session(issuer: handoff.issuer, clientID: "app")) == nil)
        let response = try await world.network.send(
            EndpointRequest(
                url: URL(string: World.issuer + "/token")!,
                method: .post,
                form: Parameters([
                    .grantType: "authorization_code", .clientID: "app", .code: handoff.code.reveal(),
                    .codeVerifier: handoff.codeVerifier.reveal(), .redirectURI: handoff.redirectURI.description,
                ])
            )
        )
        #expect(response.status == .ok)
    }

    @Test("Printing a code handoff shows no code and no verifier")
    func printing() async throws {
        let handoff = try await World().client().codeHandoff()
        var text = String(describing: handoff) + String(reflecting: handoff)
        dump(handoff, to: &text)
        #expect(!text.contains(handoff.code.reveal()) && !text.contains(handoff.codeVerifier.reveal()))
    }

    @Test("A redirect with another state gives no code")
    func state() async throws {
        let world = try World(
            scenario: Scenario(name: "other state") { $0.authorizationResponse = { $0[.state] = "other" } }
        )
        let client = try world.client()
        #expect(
            await failure { () throws(SignInError) in _ = try await client.codeHandoff() }
                == SignInError(.redirect, .mismatch(.state))
        )
    }

    @Test("A request without a response type sends none")
    func withoutResponseType() async throws {
        let world = try World()
        let opened = Lock<URL?>(nil)
        let client = try world.client(
            userAgent: ScriptedUserAgent { (url, _) throws(SignInError) in
                opened.withLock { $0 = url }
                throw SignInError(.authorization, .cancelled)
            }
        )
        var request = AuthorizationRequest(pushing: .never)
        request.responseType = nil
        _ = try? await client.codeHandoff(request)
        let query = try #require(opened.withLock { $0 }?.query())
        #expect(!query.contains("response_type") && query.hasPrefix("client_id=app&"))
    }
}

@Suite("A sign-in that outlives the app")
struct ResumingTests {
    static let policy = SessionPolicy(pendingLifetime: .seconds(600))

    /// The app dies while its page is open: what it would have been opened with.
    private func interrupted(
        _ world: World,
        policy: SessionPolicy = Self.policy,
        request: AuthorizationRequest = AuthorizationRequest(),
        senderConstraint: SenderConstraint = .none
    ) async throws -> URL {
        let person = world.person()
        let kept = Lock<[UInt8]?>(nil)
        let redirect = Lock<URL?>(nil)
        let key = StoreKey.pending(issuer: try Issuer(World.issuer), clientID: "app")
        let client = try world.client(
            userAgent: ScriptedUserAgent { (url, redirectURI) async throws(SignInError) in
                let stored = try? await world.store.read(key)
                kept.withLock { $0 = stored }
                let answer = try await person.attempt(awaiting: redirectURI).open(url, accepting: .any)
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

    @Test("A redirect after a restart completes the pending sign-in once")
    func resume() async throws {
        let world = try World()
        let url = try await interrupted(world)
        let session = try #require(try await world.client(policy: Self.policy).resumeSignIn(from: url))
        #expect(session.identity?.subject == "alice-subject")
        #expect(try await world.client(policy: Self.policy).restoreSession() != nil)
        #expect(try await world.client(policy: Self.policy).resumeSignIn(from: url) == nil)
        #expect(world.network.count(path: "/token") == 1)
    }

    @Test("A pending sign-in keeps its DPoP key")
    func resumeBound() async throws {
        let world = try World()
        let url = try await interrupted(world, senderConstraint: .dpop)
        let session = try #require(
            try await world.client(policy: Self.policy, senderConstraint: .dpop).resumeSignIn(from: url)
        )
        #expect(session.tokenType == "DPoP")
    }

    @Test("A resumed sign-in still checks the original request's requirements")
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

    @Test("A pending sign-in can be resumed as a code handoff")
    func resumeCodeHandoff() async throws {
        let world = try World()
        let url = try await interrupted(world)
        let handoff = try #require(try await world.client(policy: Self.policy).resumeCodeHandoff(from: url))
        #expect(!handoff.codeVerifier.isEmpty)
        #expect(world.network.count(path: "/token") == 0)
    }

    @Test("A URL with another state leaves the sign-in pending")
    func unrelated() async throws {
        let world = try World()
        let url = try await interrupted(world)
        let other = try #require(URL(string: "com.example.app:/callback?code=c&state=other"))
        let client = try world.client(policy: Self.policy)
        #expect(try await client.resumeSignIn(from: other) == nil)
        #expect(try await client.resumeSignIn(from: url) != nil)
    }

    @Test("A pending sign-in expires after its lifetime, and before its creation time", arguments: [601.0, -1.0])
    func expired(_ seconds: Double) async throws {
        let world = try World()
        let url = try await interrupted(world)
        world.clock.advance(by: .seconds(seconds))
        #expect(try await world.client(policy: Self.policy).resumeSignIn(from: url) == nil)
        #expect(try await world.store.read(.pending(issuer: Issuer(World.issuer), clientID: "app")) == nil)
    }

    @Test("A pending sign-in of another client is corrupted")
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

    @Test("Without a pending lifetime no request is stored")
    func memoryOnly() async throws {
        let world = try World()
        let url = try await interrupted(world, policy: SessionPolicy())
        #expect(try await world.client(policy: Self.policy).resumeSignIn(from: url) == nil)
    }

    @Test("Several concurrent calls with one URL redeem the code once")
    func resumeTwice() async throws {
        let world = try World()
        let url = try await interrupted(world)
        let gate = GatedTransport(over: world.network, path: "/.well-known/openid-configuration")
        let client = try world.client(policy: Self.policy, transport: gate)
        let before = world.store.calls(of: .read)
        async let first = client.resumeSignIn(from: url)
        async let second = client.resumeSignIn(from: url)
        async let third = client.resumeCodeHandoff(from: url)
        // Each has read the request before any removes it.
        while world.store.calls(of: .read) < before + 3 { await Task.yield() }
        gate.open()
        let outcomes = try await [first != nil, second != nil, third != nil]
        #expect(outcomes.count { $0 } == 1)
        #expect(world.network.count(path: "/token") <= 1)
    }

    @Test("A URL that is resumed while a sign-in of the client is in progress is rejected, and the sign-in goes on")
    func resumeDuringSignIn() async throws {
        let world = try World()
        let person = world.person()
        let (opened, opening) = AsyncStream<URL>.makeStream()
        let (goingOn, goOn) = AsyncStream<Void>.makeStream()
        let client = try world.client(
            userAgent: ScriptedUserAgent { (url, redirectURI) async throws(SignInError) in
                let answer = try await person.attempt(awaiting: redirectURI).open(url, accepting: .any)
                opening.yield(answer)
                for await _ in goingOn { break }
                return answer
            },
            policy: Self.policy
        )
        async let session = client.signIn()
        var redirect: URL?
        for await url in opened {
            redirect = url
            break
        }
        let url = try #require(redirect)
        #expect(
            await failure { () throws(SignInError) in _ = try await client.resumeSignIn(from: url) }
                == SignInError(.authorization, .alreadyInProgress)
        )
        goOn.yield()
        #expect(try await session.identity?.subject == "alice-subject")
        #expect(world.network.count(path: "/token") == 1)
    }

    @Test("A cancelled sign-in removes its own pending request, and not a later one's")
    func replacedRequest() async throws {
        let world = try World()
        let key = StoreKey.pending(issuer: try Issuer(World.issuer), clientID: "app")
        let other = Lock<[UInt8]?>(nil)
        let client = try world.client(
            userAgent: ScriptedUserAgent { (_, _) async throws(SignInError) in
                // Another process of this client begins a sign-in meanwhile.
                let newer = try? world.client(
                    userAgent: ScriptedUserAgent { (_, _) async throws(SignInError) in
                        let stored = try? await world.store.read(key)
                        other.withLock { $0 = stored }
                        throw SignInError(.authorization, .cancelled)
                    },
                    policy: Self.policy,
                    store: world.storeOfAnotherProcess
                )
                _ = try? await newer?.signIn()
                if let stored = other.withLock({ $0 }) { try? await world.store.write(stored, for: key) }
                throw SignInError(.authorization, .cancelled)
            },
            policy: Self.policy
        )
        _ = try? await client.signIn()
        let kept = try #require(try await world.store.read(key))
        #expect(kept == other.withLock { $0 })
    }

    @Test("A pending lifetime of ages is kept as a year")
    func longestLifetime() async throws {
        let world = try World()
        let policy = SessionPolicy(pendingLifetime: .seconds(Int64.max), lockPatience: .seconds(Int64.max))
        let url = try await interrupted(world, policy: policy)
        #expect(try await world.client(policy: policy).resumeSignIn(from: url) != nil)
    }
}
