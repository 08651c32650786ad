import AppleWorld
import Foundation
import Ostiary
import OstiaryTesting
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice.Keychain {
    @Suite("The lock that stores of the same items share") struct Locks {
        init() async {
            await freshDevice()
            device.with {
                $0.app.appGroups = [Fixture.appGroup]
                $0.app.keychainAccessGroups.append("TEAM000001.shared")
            }
        }

        private func shared(_ group: String = Fixture.appGroup) -> KeychainStore {
            Fixture.store { $0.accessGroup = .appGroup(group) }
        }

        /// Whether a task with the second store has to wait for one with the first.
        private func excludes(_ first: KeychainStore, _ second: KeychainStore) async throws -> Bool {
            let hold = try #require(try await first.processLock?.acquire("refresh", waiting: .zero))
            defer { hold.release() }
            let lock = try #require(second.processLock)
            let failure = await storageFailure { () throws(StorageFailure) in
                try await lock.acquire("refresh", waiting: .zero).release()
            }
            return failure == .locked
        }

        @Test("Two clients of one app, each with a store of its own, refresh one session once")
        func oneRefresh() async throws {
            let world = try World()
            let first = try await world.client(store: Fixture.store()).signIn()
            let second = try #require(try await world.client(store: Fixture.store()).restoreSession())
            world.clock.advance(by: .seconds(86_400))
            async let one = first.accessToken()
            async let other = second.accessToken()
            let tokens = try await [one, other]
            #expect(tokens[0] == tokens[1])
            #expect(world.network.count(path: "/token") == 2)
        }

        @Test("An app and its widget take turns by files in the container of their app group")
        func appGroup() async throws {
            #expect(try await excludes(shared(), shared()))
            let hold = try await FileLock(appGroup: Fixture.appGroup).acquire("refresh", waiting: .zero)
            defer { hold.release() }
            #expect(try shared().processLock?.owner(of: "refresh") != nil)
        }

        @Test("A client uses the lock that it was given")
        func given() async throws {
            let world = try World()
            let lock = InProcessLock()
            let client = SignInClient(
                issuer: try Issuer(World.issuer),
                client: try Client(id: "app", redirectURI: try RedirectURI("com.example.app:/callback")),
                configuration: SignInClient.Configuration(
                    userAgent: world.person,
                    transport: world.network,
                    store: Fixture.store(),
                    policy: SessionPolicy(lockPatience: .zero),
                    clock: world.clock.device,
                    lock: lock
                )
            )
            let session = try await client.signIn()
            let hold = try await lock.acquire(Fixture.key.description, waiting: .zero)
            defer { hold.release() }
            #expect(await signInFailure { () throws(SignInError) in try await session.refresh() } != nil)
        }

        @Test("Stores of the same items take turns in a process")
        func sameItems() async throws {
            #expect(try await excludes(Fixture.store(), Fixture.store()))
            let group = { Fixture.store { $0.accessGroup = .keychainGroup("TEAM000001.shared") } }
            #expect(try await excludes(group(), group()))
        }

        #if canImport(UIKit)
            @Test("Stores of other items do not wait for each other")
            func otherItems() async throws {
                #expect(try await !excludes(Fixture.store(), Fixture.store { $0.service = "another" }))
                let group = Fixture.store { $0.accessGroup = .keychainGroup("TEAM000001.shared") }
                #expect(try await !excludes(Fixture.store(), group))
            }

            @Test(
                "Without the entitlement the app group's lock is unavailable, and stores in one process still exclude each other"
            )
            func notEntitled() async throws {
                #expect(throws: StorageFailure.unavailable) { try FileLock(appGroup: "group.com.example.other") }
                #expect(try await excludes(shared("group.com.example.other"), shared("group.com.example.other")))
            }
        #else
            @Test("Two tools on a Mac take turns by files in Application Support")
            func tools() async throws {
                let tool = { Fixture.store { $0.keychain = .always(.login) } }
                #expect(try await excludes(tool(), tool()))
                let folder = try #require(
                    FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
                )
                let hold = try #require(try await tool().processLock?.acquire("refresh", waiting: .zero))
                defer { hold.release() }
                let files = FileLock(directory: folder.appendingPathComponent("Ostiary/Locks"))
                #expect(try files.owner(of: "refresh")?.processID == ProcessInfo.processInfo.processIdentifier)
            }
        #endif
    }
}
