#if canImport(Security)
    import AppleWorld
    import Foundation
    import OstiaryOAuth
    import OstiaryTesting
    import Security
    import Testing

    @testable import Ostiary

    @Suite("A store in the keychain of this machine", .serialized, .withKeychain)
    struct KeychainStoreTests {
        private let keychain = KeychainInUse()
        private let key = StoreKey("session/a")
        private let token = Array("refresh-token".utf8)
        private let newer = Array("newer-token".utf8)

        @Test("The keychain store keeps every promise of a secret store")
        func contract() async throws {
            try await SecretStoreCheck(keychain.store(), reopen: { keychain.store() }).run()
            #expect(try await keychain.store().keys().isEmpty)
        }

        @Test("An update of a value keeps the keychain item and its creation date")
        func update() async throws {
            let store = keychain.store()
            try await store.write(token, for: key)
            let before = try #require(keychain.attributes(key.description))
            try await store.write(newer, for: key)
            let after = try #require(keychain.attributes(key.description))
            #expect(after[kSecValueData as String] as? Data == Data(newer))
            #expect(after[kSecAttrCreationDate as String] as? Date == before[kSecAttrCreationDate as String] as? Date)
            try await store.remove(key)
            #expect(keychain.attributes(key.description) == nil)
        }

        @Test("The account of an item is its key, and the item holds the key besides")
        func naming() async throws {
            let session = StoreKey.session(issuer: try Issuer(World.issuer), clientID: "app")
            try await keychain.store().write(token, for: session)
            let item = try #require(keychain.attributes("session/https%3A%2F%2Fid.example.test/app/"))
            #expect(item[kSecAttrGeneric as String] as? Data == Data(session.description.utf8))
            try await keychain.store().remove(session)
        }

        @Test(
            "A key that is not of visible ASCII characters, or looks like an account of another kind, is hashed",
            arguments: ["", "a b", "ä", "a#1", "sha256:x", "ostiary:canary", String(repeating: "x", count: 501)]
        )
        func hashedKeys(key: String) async throws {
            let account = KeychainAccount(of: StoreKey(key)).name
            #expect(account.hasPrefix("sha256:") && account.utf8.count == 50 && account != key)
            let store = keychain.store()
            try await store.write(token, for: StoreKey(key))
            #expect(try await store.read(StoreKey(key)) == token)
            #expect(try await store.keys() == [StoreKey(key)])
            try await store.remove(StoreKey(key))
        }

        @Test("A named item of another library is read, written here, and removed there")
        func moves() async throws {
            let legacy = keychain.service + ".legacy"
            try keychain.add("session", service: legacy, token)
            let store = keychain.store { $0.movingFrom = [.item(account: "session", service: legacy, for: key)] }
            #expect(try await store.keys() == [key])
            #expect(try await store.read(key) == token)
            #expect(keychain.attributes("session", service: legacy) == nil)
            #expect(try await keychain.store().read(key) == token)
            try await store.remove(key)
        }

        @Test("Removing a value also removes the item under its earlier account and service")
        func removal() async throws {
            let legacy = keychain.service + ".legacy"
            try keychain.add("session", service: legacy, token)
            let store = keychain.store { $0.movingFrom = [.item(account: "session", service: legacy, for: key)] }
            try await store.remove(key)
            #expect(keychain.attributes("session", service: legacy) == nil)
            #expect(try await store.read(key) == nil)
        }

        @Test("A session is restored at the next launch, and removed by the sign-out")
        func session() async throws {
            let world = try World()
            _ = try await world.client(store: keychain.store()).signIn()
            let client = try world.client(store: keychain.store())
            #expect(try client.restoreSessionNow()?.identity?.subject == "alice-subject")
            let session = try #require(try await client.restoreSession())
            try await session.refresh()
            try await session.signOut()
            #expect(try await world.client(store: keychain.store()).restoreSession() == nil)
            // Public facts of the issuer stay for the next sign-in.
            #expect(try await keychain.store().keys().count == 1)
        }
    }
#endif
