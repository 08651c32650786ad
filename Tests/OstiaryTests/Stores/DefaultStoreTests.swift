#if os(Linux)
    import Foundation
    import Ostiary
    import OstiaryTesting
    import Synchronization
    import Testing

    @Suite("The default store on Linux", .timeLimit(.minutes(5)))
    struct DefaultStoreTests {
        private static let key = StoreKey("session/a")

        private static func store(in folder: Folder, keyring: MemoryStore, reachable: Bool) -> DefaultStore {
            DefaultStore(
                folder: folder.path("state"),
                keyFile: folder.path("config/store.key"),
                keyring: keyring,
                isReachable: { reachable }
            )
        }

        @Test("Values survive the process, in the keyring or in files", arguments: [true, false])
        func contract(reachable: Bool) async throws {
            try await Folder.use { folder in
                let keyring = MemoryStore()
                try await SecretStoreCheck(
                    Self.store(in: folder, keyring: keyring, reachable: reachable),
                    reopen: { Self.store(in: folder, keyring: keyring, reachable: reachable) }
                ).run()
            }
        }

        @Test("Nothing is made before the first write")
        func lazy() async throws {
            try await Folder.use { folder in
                let store = Self.store(in: folder, keyring: MemoryStore(), reachable: true)
                #expect(try await store.read(Self.key) == nil)
                #expect(try store.readNow(Self.key) == nil)
                #expect(try await store.keys() == [])
                try await store.remove(Self.key)
                #expect(folder.names() == [])
            }
        }

        @Test("The first choice is kept, whether or not the keyring is reachable later", arguments: [true, false])
        func choice(reachable: Bool) async throws {
            try await Folder.use { folder in
                let keyring = MemoryStore()
                try await Self.store(in: folder, keyring: keyring, reachable: reachable).write([1], for: Self.key)
                let later = Self.store(in: folder, keyring: keyring, reachable: !reachable)
                try await later.write([2], for: StoreKey("session/b"))
                #expect(try await later.read(Self.key) == [1])
                #expect(try await keyring.keys().count == (reachable ? 2 : 0))
                #expect(folder.values("state/values").count == (reachable ? 0 : 2))
            }
        }

        @Test("A keyring that cannot be reached later is an error, and no empty store")
        func unreachable() async throws {
            try await Folder.use { folder in
                let keyring = MemoryStore()
                try await Self.store(in: folder, keyring: keyring, reachable: true).write([1], for: Self.key)
                let later = DefaultStore(
                    folder: folder.path("state"),
                    keyFile: folder.path("config/store.key"),
                    keyring: SecretServiceStore(
                        application: "com.example.probe",
                        lockFolder: URL(fileURLWithPath: folder.path("locks")),
                        library: "libnone.so"
                    ),
                    isReachable: { false }
                )
                await #expect(throws: StorageFailure.unavailable) { try await later.read(Self.key) }
                await #expect(throws: StorageFailure.unavailable) { try await later.write([2], for: Self.key) }
                #expect(throws: StorageFailure.locked) { try later.readNow(Self.key) }
            }
        }

        @Test("A session of three lines is there at the next start")
        func nextStart() async throws {
            try await Folder.use { folder in
                let world = try World()
                func store() -> DefaultStore { Self.store(in: folder, keyring: MemoryStore(), reachable: false) }
                let session = try await world.client(store: store()).signIn()
                world.clock.advance(by: 900)
                try await session.refresh()
                let token = try await session.accessToken()
                let next = try #require(try await world.client(store: store()).restoreSession())
                #expect(try await next.accessToken() == token)
                #expect(folder.names("state/values").allSatisfy { !$0.hasSuffix(".reserved") })
            }
        }

        @Test("A client without a store keeps its session in the default store, which is one for the process")
        func ofThisAccount() throws {
            let store = SignInClient.defaultStore
            #expect(store is DefaultStore)
            #expect(
                store.identity.map { AnyHashable($0) } == SignInClient.defaultStore.identity.map { AnyHashable($0) }
            )
        }
    }
#endif
