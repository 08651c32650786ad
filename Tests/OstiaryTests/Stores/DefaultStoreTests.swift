#if os(Linux)
    import Foundation
    import Ostiary
    import OstiaryTesting
    import OstiaryCompatibility
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

        @Test("The default store keeps values after the process, in the keyring or in files", arguments: [true, false])
        func contract(reachable: Bool) async throws {
            try await Folder.use { folder in
                let keyring = MemoryStore()
                try await SecretStoreCheck(
                    Self.store(in: folder, keyring: keyring, reachable: reachable),
                    reopen: { Self.store(in: folder, keyring: keyring, reachable: reachable) }
                ).run()
            }
        }

        @Test("The default store creates nothing before the first write")
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

        @Test(
            "The default store keeps its first choice, whether or not the keyring is reachable later",
            arguments: [true, false]
        )
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

        /// A keyring whose lock lies outside of the folders of the stores that use it.
        private struct LockedKeyring: EnumerableSecretStore {
            let values = MemoryStore()
            let lock: FileLock
            var processLock: (any ProcessLock)? { lock }
            func read(_ key: StoreKey) async throws(StorageFailure) -> [UInt8]? { try await values.read(key) }
            func write(_ value: [UInt8], for key: StoreKey) async throws(StorageFailure) {
                try await values.write(value, for: key)
            }
            func remove(_ key: StoreKey) async throws(StorageFailure) { try await values.remove(key) }
            func keys() async throws(StorageFailure) -> [StoreKey] { try await values.keys() }
        }

        private static func store(_ name: String, in folder: Folder, keyring: LockedKeyring, reachable: Bool)
            -> DefaultStore
        {
            DefaultStore(
                folder: folder.path(name),
                keyFile: folder.path(name + ".key"),
                keyring: keyring,
                isReachable: { reachable }
            )
        }

        @Test("Default stores that share a keyring share its lock, and those with their own files do not")
        func lock() async throws {
            for reachable in [true, false] {
                try await Folder.use { folder in
                    let keyring = LockedKeyring(lock: FileLock(directory: URL(fileURLWithPath: folder.path("account"))))
                    let stores = ["a", "b"].map {
                        Self.store($0, in: folder, keyring: keyring, reachable: reachable)
                    }
                    for store in stores { try await store.write([1], for: Self.key) }
                    let hold = try await #require(stores[0].processLock).acquire("session", waiting: .zero)
                    let other = try #require(stores[1].processLock)
                    if reachable {
                        await #expect(throws: StorageFailure.locked) {
                            try await other.acquire("session", waiting: .zero)
                        }
                    } else {
                        try await other.acquire("session", waiting: .zero).release()
                    }
                    hold.release()
                    try await other.acquire("session", waiting: .zero).release()
                }
            }
        }

        @Test("Before the first write the default store's lock excludes both places")
        func lockBeforeChoice() async throws {
            try await Folder.use { folder in
                let keyring = LockedKeyring(lock: FileLock(directory: URL(fileURLWithPath: folder.path("account"))))
                let store = Self.store("a", in: folder, keyring: keyring, reachable: true)
                let hold = try await #require(store.processLock).acquire("session", waiting: .zero)
                await #expect(throws: StorageFailure.locked) {
                    try await keyring.lock.acquire("session", waiting: .zero)
                }
                let beside = FileLock(directory: URL(fileURLWithPath: folder.path("a/locks")))
                await #expect(throws: StorageFailure.locked) { try await beside.acquire("session", waiting: .zero) }
                hold.release()
                try await keyring.lock.acquire("session", waiting: .zero).release()
                try await beside.acquire("session", waiting: .zero).release()
            }
        }

        @Test("A default store whose keyring is unreachable later fails, and reads no empty store")
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

        @Test("A session in the default store is restored at the next start")
        func nextStart() async throws {
            try await Folder.use { folder in
                let world = try World()
                func store() -> DefaultStore { Self.store(in: folder, keyring: MemoryStore(), reachable: false) }
                let session = try await world.client(store: store()).signIn()
                world.clock.advance(by: .seconds(900))
                try await session.refresh()
                let token = try await session.accessToken()
                let next = try #require(try await world.client(store: store()).restoreSession())
                #expect(try await next.accessToken() == token)
                #expect(folder.names("state/values").allSatisfy { !$0.hasSuffix(".reserved") })
            }
        }

        @Test("A client without a store uses the default store, which is one for the process")
        func ofThisAccount() throws {
            let store = SignInClient.defaultStore
            #expect(store is DefaultStore)
            #expect(
                store.identity.map { AnyHashable($0) } == SignInClient.defaultStore.identity.map { AnyHashable($0) }
            )
        }
    }
#endif
