import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryServer
import Testing

@Suite("An issuer's keys")
struct KeySourceTests {
    private let transport = ScriptedTransport()
    private let clock = MovedClock()

    private func source(server: AuthorizationServer? = nil) throws -> KeySource {
        try KeySource(issuer: Fixtures.issuer, server: server, transport: transport, now: clock.now)
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

    @Test("Keys are found through the metadata, and fetched once an hour")
    func lifetime() async throws {
        let source = try source()
        #expect(await find(in: source) == .success(true))
        clock.advance(by: 3600)
        #expect(await find(in: source) == .success(true))
        #expect(transport.count(ScriptedTransport.jwks) == 1)
        clock.advance(by: 1)
        #expect(await find(in: source) == .success(true))
        #expect(transport.count(ScriptedTransport.jwks) == 2 && transport.count(ScriptedTransport.openIDConnect) == 2)
    }

    @Test("An issuer with the OAuth document alone is found by that")
    func oauthDocument() async throws {
        transport.answer(ScriptedTransport.openIDConnect, EndpointResponse(status: .notFound))
        transport.answer(ScriptedTransport.oauth, ScriptedTransport.metadata())
        #expect(await find(in: try source()) == .success(true))
    }

    @Test("Metadata of another issuer is refused")
    func otherIssuer() async throws {
        transport.answer(
            ScriptedTransport.openIDConnect,
            ScriptedTransport.metadata(issuer: "https://evil.example.com")
        )
        #expect(await find(in: try source()) == .failure(SignInError(.discovery, .mismatch(.metadataIssuer))))
        #expect(transport.count(ScriptedTransport.jwks) == 0)
    }

    @Test("Metadata given by hand is not asked for, and has to be of the issuer")
    func givenMetadata() async throws {
        let server = AuthorizationServer(issuer: Fixtures.issuer, jwksURI: URL(string: Fixtures.issuerText + "/jwks"))
        #expect(await find(in: try source(server: server)) == .success(true))
        #expect(transport.count(ScriptedTransport.openIDConnect) == 0)
        let other = AuthorizationServer(issuer: try Issuer("https://other.example.com"))
        #expect(throws: SignInError.self) { try source(server: other) }
    }

    @Test("A hundred requests at once cause one fetch")
    func singleFlight() async throws {
        let source = try source()
        await withTaskGroup(of: Result<Bool, SignInError>.self) { group in
            for _ in 0..<100 { group.addTask { await find(in: source) } }
            for await found in group { #expect(found == .success(true)) }
        }
        #expect(transport.count(ScriptedTransport.openIDConnect) == 1 && transport.count(ScriptedTransport.jwks) == 1)
    }

    @Test("A caller that goes away does not take the fetch of the others with it")
    func cancellation() async throws {
        let source = try source()
        let impatient = Task { await find(in: source) }
        impatient.cancel()
        #expect(await find(in: source) == .success(true))
        #expect(await impatient.value == .success(true))
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

    @Test("Made-up key identifiers cause one fetch in 30 seconds")
    func pause() async throws {
        let source = try source()
        try await source.warm()
        for number in 0..<50 { #expect(await find("made-up-\(number)", in: source) == .success(false)) }
        #expect(transport.count(ScriptedTransport.jwks) == 2)
        clock.advance(by: 30)
        #expect(await find("made-up", in: source) == .success(false))
        #expect(transport.count(ScriptedTransport.jwks) == 3)
    }

    @Test("When the issuer is down, keys at hand stay in use for a day")
    func stale() async throws {
        let source = try source()
        try await source.warm()
        transport.fail(ScriptedTransport.jwks)
        clock.advance(by: 86_400)
        #expect(await find(in: source) == .success(true))
        clock.advance(by: 1)
        #expect(await find(in: source) == .failure(SignInError(.keys, .transport(.unreachable))))
    }

    @Test("An empty key set does not replace keys", arguments: [[:], ["keys": []]] as [JSONObject])
    func emptySet(_ document: JSONObject) async throws {
        let source = try source()
        try await source.warm()
        transport.answer(ScriptedTransport.jwks, ScriptedTransport.json(document))
        clock.advance(by: 3601)
        #expect(await find(in: source) == .success(true))
    }

    @Test("After a failed fetch the issuer is left alone for five seconds, and then asked again")
    func retryPause() async throws {
        let source = try source()
        transport.fail(ScriptedTransport.jwks, .timedOut)
        for _ in 0..<10 { #expect(await find(in: source) == .failure(SignInError(.keys, .transport(.timedOut)))) }
        #expect(transport.count(ScriptedTransport.jwks) == 1)
        transport.publish(Fixtures.keys)
        clock.advance(by: 5)
        #expect(await find(in: source) == .success(true))
    }

    @Test("A key that may be new is not called unknown while the issuer is down")
    func unknownWhileDown() async throws {
        let source = try source()
        try await source.warm()
        transport.fail(ScriptedTransport.jwks)
        #expect(await find("key-2", in: source) == .failure(SignInError(.keys, .transport(.unreachable))))
        clock.advance(by: 10)
        #expect(await find("key-2", in: source) == .failure(SignInError(.keys, .transport(.unreachable))))
        transport.publish(JSONWebKeySet([Fixtures.newKey.publicKey]))
        clock.advance(by: 5)
        #expect(await find("key-2", in: source) == .success(true))
    }

    @Test("Keys that moved are found when they are no longer where they were")
    func movedKeys() async throws {
        let source = try source()
        try await source.warm()
        transport.fail(ScriptedTransport.jwks)
        transport.answer(ScriptedTransport.openIDConnect, ScriptedTransport.metadata(jwks: "/keys"))
        transport.publish(JSONWebKeySet([Fixtures.newKey.publicKey]), at: "/keys")
        #expect(await find("key-2", in: source) == .failure(SignInError(.keys, .transport(.unreachable))))
        clock.advance(by: 5)
        #expect(await find("key-2", in: source) == .success(true))
    }
}
