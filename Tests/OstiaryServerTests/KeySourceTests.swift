import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryServer
import Testing

@Suite("An issuer's keys")
struct KeySourceTests {
    private let transport = ScriptedTransport()
    private let clock = MovedClock()

    private func source(
        server: AuthorizationServer? = nil,
        snapshot: KeySetCache.Snapshot? = nil
    ) throws -> KeySource {
        try KeySource(
            issuer: Fixtures.issuer,
            server: server,
            snapshot: snapshot,
            transport: transport,
            clock: clock.device,
            jitter: { 0.5 }
        )
    }

    /// Whether the source has a key that fits, or what kept it from finding out.
    private func find(_ keyID: String? = "key-1", in source: KeySource) async -> Result<Bool, SignInError> {
        do throws(SignInError) {
            let keys = try await source.keys(keyID: keyID, algorithm: .es256)
            return .success(!keys.candidates(keyID: keyID, algorithm: .es256).isEmpty)
        } catch {
            return .failure(error)
        }
    }

    @Test("Keys are found through the metadata, and fetched again before old ones verify a token")
    func lifetime() async throws {
        let source = try source()
        #expect(await find(in: source) == .success(true))
        clock.advance(by: .seconds(2879))
        #expect(await find(in: source) == .success(true))
        #expect(transport.count(ScriptedTransport.jwks) == 1)
        clock.advance(by: .seconds(722))
        #expect(await find(in: source) == .success(true))
        #expect(transport.count(ScriptedTransport.jwks) == 2 && transport.count(ScriptedTransport.openIDConnect) == 2)
    }

    @Test("Keys near the end of their lifetime are fetched ahead, and no request waits")
    func refreshAhead() async throws {
        let source = try source()
        try await source.warm()
        transport.publish(JSONWebKeySet([Fixtures.key.publicKey, Fixtures.newKey.publicKey]))
        clock.advance(by: .seconds(2880))
        for _ in 0..<10 { #expect(source.cachedKeys(keyID: "key-1", algorithm: .es256) != nil) }
        #expect(source.cachedKeys(keyID: "key-2", algorithm: .es256) == nil)
        #expect(await find("key-2", in: source) == .success(true))
        #expect(transport.count(ScriptedTransport.jwks) == 2)
    }

    @Test("An unchanged key set is confirmed by its entity tag, and starts a new lifetime")
    func revalidation() async throws {
        transport.publish(Fixtures.keys, entityTag: #""1""#)
        let source = try source()
        try await source.warm()
        #expect(transport.last(ScriptedTransport.jwks)?.fields[.ifNoneMatch] == nil)
        transport.answer(
            ScriptedTransport.jwks,
            EndpointResponse(status: .notModified, fields: [.cacheControl: "max-age=600"])
        )
        clock.advance(by: .seconds(3601))
        #expect(await find(in: source) == .success(true))
        #expect(transport.last(ScriptedTransport.jwks)?.fields[.ifNoneMatch] == #""1""#)
        #expect(source.state == .fresh)
        clock.advance(by: .seconds(601))
        #expect(source.state == .stale(since: clock.now().addingTimeInterval(-1)))
    }

    @Test("A moved key set is found through the metadata within an hour")
    func movedPlace() async throws {
        transport.publish(Fixtures.keys, validity: "max-age=86400")
        let source = try source()
        try await source.warm()
        transport.answer(ScriptedTransport.openIDConnect, ScriptedTransport.metadata(jwks: "/keys"))
        transport.publish(JSONWebKeySet([Fixtures.newKey.publicKey]), at: "/keys")
        clock.advance(by: .seconds(3600))
        #expect(await find("key-2", in: source) == .success(true))
        #expect(transport.count(ScriptedTransport.jwks) == 1)
    }

    @Test("Metadata that cannot be refreshed is used for a day longer")
    func oldMetadata() async throws {
        let source = try source()
        try await source.warm()
        transport.fail(ScriptedTransport.openIDConnect)
        clock.advance(by: .seconds(90_000))
        #expect(await find(in: source) == .success(true))
        clock.advance(by: .seconds(5))
        #expect(source.state == .fresh)
        clock.advance(by: .seconds(3600))
        #expect(await find("key-2", in: source) == .failure(SignInError(.discovery, .transport(.unreachable))))
    }

    @Test("A key source's state goes from missing to fresh, stale and missing again")
    func health() async throws {
        let source = try source()
        #expect(source.state == .missing)
        try await source.warm()
        #expect(source.state == .fresh)
        let end = clock.now().addingTimeInterval(3600)
        transport.fail(ScriptedTransport.jwks)
        clock.advance(by: .seconds(3601))
        #expect(await find(in: source) == .success(true))
        #expect(source.state == .stale(since: end))
        clock.advance(by: .seconds(86_400))
        #expect(source.state == .missing)
    }

    @Test("A process that starts with a snapshot fetches no keys until they are due")
    func snapshot() async throws {
        let first = try source()
        #expect(first.snapshot == nil)
        try await first.warm()
        let snapshot = try KeySetCache.Snapshot(parsing: try #require(first.snapshot).encoded())
        let second = try source(snapshot: snapshot)
        #expect(second.cachedKeys(keyID: "key-1", algorithm: .es256) == Fixtures.keys)
        #expect(await find(in: second) == .success(true))
        #expect(transport.count(ScriptedTransport.jwks) == 1)
        clock.advance(by: .seconds(3601))
        #expect(second.cachedKeys(keyID: "key-1", algorithm: .es256) == nil)
        #expect(await find(in: second) == .success(true))
        #expect(transport.count(ScriptedTransport.jwks) == 2)
    }

    @Test("An issuer with RFC 8414 metadata alone is found")
    func oauthDocument() async throws {
        transport.answer(ScriptedTransport.openIDConnect, EndpointResponse(status: .notFound))
        transport.answer(ScriptedTransport.oauth, ScriptedTransport.metadata())
        #expect(await find(in: try source()) == .success(true))
    }

    @Test("Metadata of another issuer is rejected by the key source")
    func otherIssuer() async throws {
        transport.answer(
            ScriptedTransport.openIDConnect,
            ScriptedTransport.metadata(issuer: "https://evil.example.com")
        )
        #expect(await find(in: try source()) == .failure(SignInError(.discovery, .mismatch(.metadataIssuer))))
        #expect(transport.count(ScriptedTransport.jwks) == 0)
    }

    @Test("Metadata given by hand is not fetched, and must be the issuer's")
    func givenMetadata() async throws {
        let server = AuthorizationServer(issuer: Fixtures.issuer, jwksURI: URL(string: Fixtures.issuerText + "/jwks"))
        #expect(await find(in: try source(server: server)) == .success(true))
        #expect(transport.count(ScriptedTransport.openIDConnect) == 0)
        let other = AuthorizationServer(issuer: try Issuer("https://other.example.com"))
        #expect(throws: SignInError.self) { try source(server: other) }
    }

    @Test("A hundred concurrent requests cause one fetch of the keys")
    func singleFlight() async throws {
        let source = try source()
        await withTaskGroup(of: Result<Bool, SignInError>.self) { group in
            for _ in 0..<100 { group.addTask { await find(in: source) } }
            for await found in group { #expect(found == .success(true)) }
        }
        #expect(transport.count(ScriptedTransport.openIDConnect) == 1 && transport.count(ScriptedTransport.jwks) == 1)
    }

    @Test("A cancelled caller does not cancel the fetch of the others")
    func cancellation() async throws {
        let source = try source()
        let impatient = Task { await find(in: source) }
        impatient.cancel()
        #expect(await find(in: source) == .success(true))
        // It leaves at once, unless the fetch was faster.
        #expect(
            [.success(true), .failure(SignInError(.keys, .cancelled)), .failure(SignInError(.discovery, .cancelled))]
                .contains(await impatient.value)
        )
        #expect(transport.count(ScriptedTransport.jwks) == 1)
    }

    @Test("A new key is found with one fetch")
    func rotation() async throws {
        let source = try source()
        try await source.warm()
        transport.publish(JSONWebKeySet([Fixtures.newKey.publicKey]))
        #expect(await find("key-2", in: source) == .success(true))
        #expect(transport.count(ScriptedTransport.jwks) == 2)
    }

    @Test("A hundred requests with a new key wait for one fetch, and all succeed")
    func rotationUnderLoad() async throws {
        let source = try source()
        try await source.warm()
        transport.publish(JSONWebKeySet([Fixtures.newKey.publicKey]))
        await withTaskGroup(of: Result<Bool, SignInError>.self) { group in
            for _ in 0..<100 { group.addTask { await find("key-2", in: source) } }
            for await found in group { #expect(found == .success(true)) }
        }
        #expect(transport.count(ScriptedTransport.jwks) == 2)
    }

    @Test("A new key requested during a fetch causes one more fetch for all callers")
    func fetchTooEarly() async throws {
        let held = HeldTransport(over: transport, path: ScriptedTransport.jwks)
        let source = try KeySource(issuer: Fixtures.issuer, transport: held, clock: clock.device)
        let first = Task { await find(in: source) }
        await held.answered()
        // The issuer has answered, and publishes a new key before the answer is here.
        transport.publish(JSONWebKeySet([Fixtures.newKey.publicKey]))
        let others = (0..<10).map { _ in Task { await find("key-2", in: source) } }
        for _ in 0..<200 { await Task.yield() }
        held.open()
        #expect(await first.value == .success(true))
        for other in others { #expect(await other.value == .success(true)) }
        #expect(transport.count(ScriptedTransport.jwks) == 2)
    }

    @Test("Made-up key IDs during a fetch wait for it, and cause no other")
    func madeUpDuringFetch() async throws {
        let held = HeldTransport(over: transport, path: ScriptedTransport.jwks)
        let source = try KeySource(
            issuer: Fixtures.issuer,
            snapshot: try await filledSnapshot(),
            transport: held,
            clock: clock.device
        )
        let first = Task { await find("made-up", in: source) }
        await held.answered()
        let others = (0..<10).map { number in Task { await find("made-up-\(number)", in: source) } }
        for _ in 0..<200 { await Task.yield() }
        held.open()
        #expect(await first.value == .success(false))
        for other in others { #expect(await other.value == .success(false)) }
        #expect(transport.count(ScriptedTransport.jwks) == 2)
    }

    private func filledSnapshot() async throws -> KeySetCache.Snapshot {
        let source = try source()
        try await source.warm()
        return try #require(source.snapshot)
    }

    @Test("A key that the issuer did not have is not fetched again for a minute")
    func missing() async throws {
        let source = try source()
        try await source.warm()
        #expect(await find("gone", in: source) == .success(false))
        clock.advance(by: .seconds(59))
        #expect(await find("gone", in: source) == .success(false))
        #expect(transport.count(ScriptedTransport.jwks) == 2)
        clock.advance(by: .seconds(1))
        #expect(await find("gone", in: source) == .success(false))
        #expect(transport.count(ScriptedTransport.jwks) == 3)
    }

    @Test("Made-up key IDs cause one fetch in 30 seconds")
    func pause() async throws {
        let source = try source()
        try await source.warm()
        for number in 0..<50 { #expect(await find("made-up-\(number)", in: source) == .success(false)) }
        #expect(transport.count(ScriptedTransport.jwks) == 2)
        clock.advance(by: .seconds(30))
        #expect(await find("made-up", in: source) == .success(false))
        #expect(transport.count(ScriptedTransport.jwks) == 3)
    }

    @Test("While the issuer is down, cached keys stay in use for a day")
    func stale() async throws {
        let source = try source()
        try await source.warm()
        transport.fail(ScriptedTransport.jwks)
        clock.advance(by: .seconds(90_000))
        #expect(await find(in: source) == .success(true))
        clock.advance(by: .seconds(1))
        #expect(await find(in: source) == .failure(SignInError(.keys, .transport(.unreachable))))
    }

    @Test("An empty or malformed key set does not replace keys", arguments: [[:], ["keys": []]] as [JSONObject])
    func emptySet(_ document: JSONObject) async throws {
        let source = try source()
        try await source.warm()
        transport.answer(ScriptedTransport.jwks, ScriptedTransport.json(document))
        clock.advance(by: .seconds(3601))
        #expect(await find(in: source) == .success(true))
        #expect(source.state != .fresh)
    }

    @Test("While the issuer is down, only the first request waits for the fetch")
    func staleWithoutWaiting() async throws {
        let source = try source()
        try await source.warm()
        transport.fail(ScriptedTransport.jwks)
        clock.advance(by: .seconds(3601))
        #expect(source.cachedKeys(keyID: "key-1", algorithm: .es256) == nil)
        #expect(await find(in: source) == .success(true))
        #expect(source.cachedKeys(keyID: "key-1", algorithm: .es256) == Fixtures.keys)
        clock.advance(by: .seconds(5))
        #expect(source.cachedKeys(keyID: "key-1", algorithm: .es256) == Fixtures.keys)
    }

    @Test("After a failed fetch of the keys requests within five seconds cause no other")
    func retryPause() async throws {
        let source = try source()
        try await source.warm()
        transport.fail(ScriptedTransport.jwks, .timedOut)
        for _ in 0..<10 {
            #expect(await find("key-2", in: source) == .failure(SignInError(.keys, .transport(.timedOut))))
        }
        #expect(transport.count(ScriptedTransport.jwks) == 2)
        transport.publish(JSONWebKeySet([Fixtures.newKey.publicKey]))
        clock.advance(by: .seconds(5))
        #expect(await find("key-2", in: source) == .success(true))
    }

    @Test("An issuer of keys that responds with Retry-After gets no request before that time")
    func requestedPause() async throws {
        transport.answer(
            ScriptedTransport.jwks,
            EndpointResponse(status: .serviceUnavailable, fields: [.retryAfter: "30"])
        )
        let source = try source()
        await #expect(throws: SignInError.self) { try await source.warm() }
        transport.publish(Fixtures.keys)
        clock.advance(by: .seconds(29))
        await #expect(throws: SignInError.self) { try await source.warm() }
        #expect(transport.count(ScriptedTransport.jwks) == 1)
        clock.advance(by: .seconds(1))
        try await source.warm()
        #expect(transport.count(ScriptedTransport.jwks) == 2 && source.state == .fresh)
    }

    @Test("A source that began before its issuer finds the keys within moments of the issuer's start")
    func earlyStart() async throws {
        let source = try source()
        transport.fail(ScriptedTransport.openIDConnect)
        let failure = SignInError(.discovery, .transport(.unreachable))
        await #expect(throws: failure) { try await source.warm() }
        for _ in 0..<10 { #expect(await find(in: source) == .failure(failure)) }
        #expect(transport.count(ScriptedTransport.openIDConnect) == 1 && source.state == .missing)
        transport.answer(ScriptedTransport.openIDConnect, ScriptedTransport.metadata())
        clock.advance(by: .milliseconds(250))
        #expect(await find(in: source) == .success(true))
        #expect(source.state == .fresh)
    }

    @Test("A key that may be new is not reported as unknown while the issuer is down")
    func unknownWhileDown() async throws {
        let source = try source()
        try await source.warm()
        transport.fail(ScriptedTransport.jwks)
        #expect(await find("key-2", in: source) == .failure(SignInError(.keys, .transport(.unreachable))))
        clock.advance(by: .seconds(10))
        #expect(await find("key-2", in: source) == .failure(SignInError(.keys, .transport(.unreachable))))
        transport.publish(JSONWebKeySet([Fixtures.newKey.publicKey]))
        clock.advance(by: .seconds(5))
        #expect(await find("key-2", in: source) == .success(true))
    }

    @Test("A key set that moved is found after a fetch at its old URL failed")
    func movedKeys() async throws {
        let source = try source()
        try await source.warm()
        transport.fail(ScriptedTransport.jwks)
        transport.answer(ScriptedTransport.openIDConnect, ScriptedTransport.metadata(jwks: "/keys"))
        transport.publish(JSONWebKeySet([Fixtures.newKey.publicKey]), at: "/keys")
        #expect(await find("key-2", in: source) == .failure(SignInError(.keys, .transport(.unreachable))))
        clock.advance(by: .seconds(5))
        #expect(await find("key-2", in: source) == .success(true))
    }
}
