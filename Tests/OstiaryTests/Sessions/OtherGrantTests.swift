import Foundation
import Ostiary
import OstiaryAutomation
import OstiaryCompatibility
import OstiaryProvider
import OstiaryTesting
import Testing

@Suite("Signing in on another device")
struct DeviceSignInTests {
    private func world(_ scenario: Scenario) throws -> World {
        try World(scenario: scenario, client: { $0.grantTypes.insert(.deviceCode) })
    }

    /// The user's decision on the other device; no redirect ever comes there.
    private func allow(_ pending: PendingDeviceAuthorization, in world: World) async {
        guard let page = pending.completeVerificationURI.flatMap(URL.init(string:)),
            let attempt = try? await world.person().attempt(awaiting: try! RedirectURI("com.example.app:/callback"))
        else { return }
        _ = try? await attempt.open(page, accepting: .any)
    }

    @Test(
        "A device signs in where PKCE is required, and where it is rejected",
        arguments: [(Scenario.deviceProofKeyRequired, 1), (.deviceProofKeyRejected, 2), (.none, 1)]
    )
    func proofKey(scenario: Scenario, requests: Int) async throws {
        let world = try world(scenario)
        let session = try await world.client().signInOnOtherDevice { await allow($0, in: world) }
        #expect(session.identity?.subject == "alice-subject")
        #expect(world.network.count(path: "/device_authorization") == requests)
    }

    @Test("The device codes are shown once, and the user's answer ends the polling")
    func signIn() async throws {
        let world = try world(.devicePending)
        let shown = Lock<[PendingDeviceAuthorization]>([])
        let client = try world.client()
        let session = try await client.signInOnOtherDevice { pending in
            shown.withLock { $0.append(pending) }
            await allow(pending, in: world)
        }
        #expect(session.identity?.subject == "alice-subject")
        #expect(shown.withLock { $0.count } == 1)
        #expect(world.network.count(path: "/token") > 1)
        #expect(try await client.restoreSession() != nil)
    }

    @Test(
        "A device that gets slow_down or 503 polls less often and signs in",
        arguments: [
            Scenario.deviceSlowDown, .deviceUnavailable,
        ]
    )
    func patience(scenario: Scenario) async throws {
        let world = try world(scenario)
        let start = world.clock.now
        _ = try await world.client().signInOnOtherDevice { await allow($0, in: world) }
        #expect(world.clock.now.timeIntervalSince(start) >= 15)
    }

    @Test(
        "A denied or expired device authorization ends with its error code",
        arguments: [
            (Scenario.deviceDenied, OAuthError.Code.accessDenied), (.deviceExpired, .expiredToken),
        ]
    )
    func final(scenario: Scenario, code: OAuthError.Code) async throws {
        let world = try world(scenario)
        let client = try world.client()
        let error = await failure { () throws(SignInError) in _ = try await client.signInOnOtherDevice { _ in } }
        guard case .refused(let refusal) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(refusal.code == code && error?.stage == .device)
        #expect(try await client.restoreSession() == nil)
    }

    @Test("A device authorization without an answer ends when the codes expire")
    func nobody() async throws {
        let world = try world(.none)
        let client = try world.client()
        let error = await failure { () throws(SignInError) in _ = try await client.signInOnOtherDevice { _ in } }
        #expect(error?.reason == .refused(OAuthError(code: .expiredToken)))
        #expect(world.network.count(path: "/token") <= 120)
    }
}

@Suite("Tokens of a client's own, exchanged and explained")
struct OtherGrantTests {
    private static let secret = Secret("a secret")

    private func world(_ scenario: Scenario = .none) throws -> World {
        try World(
            scenario: scenario,
            client: {
                $0.authenticationMethod = .clientSecretBasic(SecretDigest(of: Self.secret))
                $0.grantTypes.formUnion([.clientCredentials, .tokenExchange])
                $0.mayIntrospect = true
            }
        )
    }

    private func client(_ world: World) throws -> SignInClient {
        try world.client(authentication: .clientSecretBasic(Self.secret))
    }

    @Test("A client credentials token is returned and not stored")
    func clientCredentials() async throws {
        let world = try world()
        let client = try client(world)
        let tokens = try await client.clientCredentials()
        #expect(tokens.identity == nil && tokens.refreshToken == nil)
        #expect(try await client.restoreSession() == nil)
    }

    @Test("A token is exchanged, and the response's type is checked")
    func exchange() async throws {
        let world = try world()
        let client = try client(world)
        let session = try await client.signIn()
        let token = try await session.accessToken()
        let exchanged = try await client.exchange(.init(token, .accessToken), scopes: [.openID])
        #expect(exchanged.issuedTokenType == .accessToken && exchanged.accessToken != token)
        let odd = try self.world(.otherIssuedTokenType)
        let other = try self.client(odd)
        let theirs = try await other.signIn().accessToken()
        let error = await failure { () throws(SignInError) in
            _ = try await other.exchange(.init(theirs, .accessToken), requestedType: .accessToken)
        }
        #expect(error == SignInError(.token, .mismatch(.issuedTokenType)))
    }

    @Test("Introspection describes a valid token, and a revoked one is inactive")
    func introspection() async throws {
        let world = try world()
        let client = try client(world)
        let token = try await client.signIn().accessToken()
        guard case .active(let claims) = try await client.introspect(token) else {
            Issue.record("not active")
            return
        }
        #expect(claims.subject == "alice-subject" && claims.clientID == "app")
        try await client.revoke(token, kind: .accessToken)
        #expect(try await client.introspect(token) == .inactive)
    }
}
