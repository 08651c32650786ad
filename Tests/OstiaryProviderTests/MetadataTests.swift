import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Metadata and keys")
struct MetadataTests {
    @Test(
        "The library client reads the provider's metadata below any path",
        arguments: ServerMetadataRequest.Form.allCases,
        ["", "/tenant", "/tenant/"]
    )
    func discovery(form: ServerMetadataRequest.Form, path: String) async throws {
        let issuer = try Issuer(Fixtures.issuer + path)
        let world = try World(issuer: issuer.description)
        let discovery = ServerMetadataRequest(issuer, form: form)
        let url = try #require(discovery.url)
        let response = await world.get(String(url.absoluteString.dropFirst(Fixtures.issuer.count)))
        let server = try discovery.output(
            from: EndpointResponse(
                status: response.status,
                fields: response.fields,
                body: world.provider.body(of: response)
            )
        )
        let base = Fixtures.issuer + (path.isEmpty ? "" : "/tenant")
        #expect(server.authorizationEndpoint?.absoluteString == base + "/authorize")
        #expect(server.endSessionEndpoint?.absoluteString == base + "/end-session")
        #expect(server.sendsIssuerInResponses)
        #expect(server.codeChallengeMethods == ["S256"])
    }

    @Test("Metadata and keys may be read by any page, and no other endpoint")
    func crossOrigin() async throws {
        let world = try World()
        #expect(await world.get("/.well-known/openid-configuration").fields[.accessControlAllowOrigin] == "*")
        #expect(await world.get("/jwks").fields[.accessControlAllowOrigin] == "*")
        #expect(await world.get("/userinfo").fields[.accessControlAllowOrigin] == nil)
        #expect(await world.post("/token", Parameters()).fields[.accessControlAllowOrigin] == nil)
    }

    @Test("Every published key has alg, kid and use, and no private member")
    func keys() async throws {
        let keys = try #require(await World().get("/jwks").json?["keys"]?.array).compactMap(\.object)
        #expect(keys.compactMap { $0["alg"]?.string } == ["RS256", "ES256"])
        for key in keys {
            #expect(key["kid"]?.string?.isEmpty == false)
            #expect(key["use"] == "sig")
            #expect(key["d"] == nil && key["p"] == nil && key["q"] == nil)
        }
    }

    @Test("A key is made for an algorithm that only one client uses")
    func optInKey() async throws {
        let world = try World { $0.clients[0].idTokenAlgorithm = .edDSA }
        let keys = try #require(await world.get("/jwks").json?["keys"]?.array)
        #expect(keys.contains { $0.object?["alg"] == "EdDSA" })
        let token = try #require(try await world.tokens().id)
        #expect(try UnverifiedJWT(token).header.algorithmName == "EdDSA")
    }

    @Test("Signing keys are made once and restored after a restart")
    func keptKeys() async throws {
        let storage = MemoryProviderStorage()
        let change = { (configuration: inout ProviderConfiguration) in
            configuration.signingKeys = []
            configuration.signingAlgorithms = [.es256]
            configuration.clients = []
        }
        let first = try await World(storage: storage, change: change).get("/jwks").json
        let second = try await World(storage: storage, change: change).get("/jwks").json
        #expect(first == second)
        #expect(first?["keys"]?.array?.count == 1)
    }

    @Test("After a key rotation new tokens have a new key, and old tokens still verify")
    func rotation() async throws {
        let world = try World()
        let old = try #require(try await world.tokens().id)
        try await world.provider.rotateSigningKeys()
        let new = try #require(try await world.tokens().id)
        #expect(try UnverifiedJWT(old).header.keyID != UnverifiedJWT(new).header.keyID)
        _ = try await world.verifiedClaims(old)
        _ = try await world.verifiedClaims(new)
    }

    private func keyIDs(_ world: World) async -> [String] {
        await world.get("/jwks").json?["keys"]?.array?.compactMap { $0.object?["kid"]?.string } ?? []
    }

    @Test("Replaced keys leave the key set when the last token that they signed has expired", arguments: [1, 3])
    func retirement(rotations: Int) async throws {
        let world = try World()
        let old = await keyIDs(world)
        for _ in 0..<rotations { try await world.provider.rotateSigningKeys() }
        #expect(await keyIDs(world).count == old.count * (rotations + 1))
        world.clock.advance(by: .seconds(899))
        #expect(Set(old).isSubset(of: await keyIDs(world)))
        world.clock.advance(by: .seconds(2))
        #expect(await keyIDs(world).count == old.count)
        #expect(Set(old).isDisjoint(with: await keyIDs(world)))
    }

    @Test("An ID token with a key that has left the key set is a hint for signing out until its login has expired")
    func retiredHint() async throws {
        let world = try World()
        let browser = world.browser()
        let old = try #require(try await world.tokens(in: browser).id)
        try await world.provider.rotateSigningKeys()
        world.clock.advance(by: .seconds(3600))
        let hint = Parameters([.idTokenHint: old])
        #expect(await browser.send(.get, "/end-session", hint).isSignedOutPage)
        world.clock.advance(by: .seconds(8 * 3600))
        #expect(await browser.send(.get, "/end-session", hint).errorSentence != nil)
    }

    @Test("A rotation outlives a restart: the new key signs, and the old one is published as long as before")
    func rotationOverRestart() async throws {
        let storage = MemoryProviderStorage()
        let change = { (configuration: inout ProviderConfiguration) in
            configuration.signingKeys = []
            configuration.signingAlgorithms = [.es256]
            configuration.clients = Array(configuration.clients.prefix(1))
        }
        let first = try World(storage: storage, change: change)
        let old = await keyIDs(first)
        let new = try await first.provider.rotateSigningKeys()
        let second = try World(storage: storage, change: change)
        #expect(await keyIDs(second) == new + old)
        let token = try #require(try await second.tokens().id)
        #expect(try UnverifiedJWT(token).header.keyID == new.first)
        second.clock.advance(by: .seconds(901))
        #expect(await keyIDs(second) == new)
    }

    @Test("A list of the metadata that has no element is left out (RFC 8414 section 3.2)")
    func emptyLists() async throws {
        let world = try World {
            $0.rules = .fapi2
            $0.dpop = DPoPPolicy(algorithms: [.rs256])
        }
        let metadata = try #require(await world.get("/.well-known/openid-configuration").json)
        #expect(metadata["dpop_signing_alg_values_supported"] == nil)
        #expect(metadata["response_types_supported"] == ["code"])
    }

    @Test("A key rotation that the storage fails at any record changes no key", arguments: 0...3)
    func failedRotation(records: Int) async throws {
        let storage = FailingStorage()
        let world = try World(storage: storage)
        try await world.provider.rotateSigningKeys()
        let keys = await keyIDs(world)
        let signing = try UnverifiedJWT(try #require(try await world.tokens().id)).header.keyID
        let kept = await storage.memory.records(.signingKey)
        storage.fail(after: records)
        await #expect(throws: ProviderStorageFailure.self) { try await world.provider.rotateSigningKeys() }
        storage.fail(after: nil)
        #expect(await keyIDs(world) == keys)
        #expect(try UnverifiedJWT(try #require(try await world.tokens().id)).header.keyID == signing)
        #expect(await storage.memory.records(.signingKey) == kept)
        try await world.provider.rotateSigningKeys()
        #expect(Set(keys).isSubset(of: await keyIDs(world)))
    }

    @Test("Rotations at the same time leave the keys of one to sign with, and publish every key")
    func concurrentRotations() async throws {
        let world = try World {
            $0.signingAlgorithms = [.es256]
            $0.signingKeys = [Fixtures.keys[1]]
            $0.clients = Array($0.clients.prefix(1))
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { _ = try? await world.provider.rotateSigningKeys() } }
        }
        #expect(await keyIDs(world).count == 9)
        _ = try await world.verifiedClaims(try #require(try await world.tokens().id))
    }
}
