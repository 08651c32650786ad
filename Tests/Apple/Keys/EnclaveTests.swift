#if canImport(CryptoKit) && canImport(Security)
    import AppleWorld
    import Foundation
    import Ostiary
    import OstiaryJOSE
    import OstiaryOAuth
    import OstiaryProvider
    import OstiaryTesting
    import Testing

    @Suite("A session that is bound to a key in the enclave of this machine", .withEnclave)
    struct EnclaveTests {
        private let world: World
        private let store = MemoryStore()

        init() throws { world = try World(client: { $0.requiresDPoP = true }) }

        private func client() throws -> SignInClient {
            try world.client(store: store, senderConstraint: .dpop(key: .secureEnclave))
        }

        private func stored() throws -> JSONObject? {
            let key = StoreKey.session(issuer: try Issuer(World.issuer), clientID: "app")
            guard let value = try store.readNow(key) else { return nil }
            return try JSONObject(parsing: value)["tokens"]?.object?["dpop_key"]?.object
        }

        @Test("A session bound to an enclave key signs in, is restored, refreshes and reads user info")
        func journey() async throws {
            let session = try await client().signIn()
            _ = try await session.userInfo()
            try await session.refresh()
            let restored = try #require(try await client().restoreSession())
            #expect(restored.tokenType == "DPoP")
            try await restored.refresh()
            _ = try await restored.userInfo()
        }

        @Test("The stored session holds a handle and a thumbprint of the enclave key, and no key")
        func handle() async throws {
            _ = try await client().signIn()
            let key = try #require(try stored())
            #expect(key.members.map(\.name) == ["external", "handle", "jkt"])
            #expect(key["external"] == "secure-enclave")
        }

        @Test("A second sign-in makes a new enclave key")
        func keys() async throws {
            _ = try await client().signIn()
            let first = try #require(try stored())
            _ = try await client().signIn()
            #expect(try stored() != first)
        }
    }

    extension Trait where Self == ConditionTrait {
        /// Enables a test where the process can make a key in an enclave: not in a simulator, nor on a Mac without one.
        static var withEnclave: ConditionTrait { .enabled(if: (try? SessionKey.secureEnclave.make()) != nil) }
    }
#endif
