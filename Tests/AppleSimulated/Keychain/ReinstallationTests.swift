import Foundation
import Ostiary
import OstiaryTesting
import Security
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice.Keychain {
    @Suite("The keychain outlives the app") struct Reinstallation {
        /// The folder that goes with the app.
        let container = FileManager.default.temporaryDirectory.appendingPathComponent("app-\(UUID().uuidString)")

        init() async { await freshDevice() }

        private func reinstall() throws { try FileManager.default.removeItem(at: container) }

        private func store(
            discarding: Bool = true,
            _ change: (inout KeychainStore.Configuration) -> Void = { _ in }
        ) -> KeychainStore {
            Fixture.store {
                if discarding {
                    $0.reinstallation = .discardOnReinstall(
                        marker: .file(in: container),
                        bundleIdentifier: "com.example.app"
                    )
                }
                change(&$0)
            }
        }

        @Test("By default a session outlives a reinstallation of the app")
        func kept() async throws {
            try await store(discarding: false).write(Fixture.token, for: Fixture.key)
            #expect(try await store(discarding: false).read(Fixture.key) == Fixture.token)
        }

        @Test("An app can discard the values of an earlier installation")
        func discarded() async throws {
            defer { try? FileManager.default.removeItem(at: container) }
            try await store().write(Fixture.token, for: Fixture.key)
            #expect(try await store().read(Fixture.key) == Fixture.token)
            try reinstall()
            #expect(try await store().read(Fixture.key) == nil)
            try await store().write(Fixture.newer, for: Fixture.key)
            #expect(try await store().read(Fixture.key) == Fixture.newer)
        }

        @Test("An update that introduces the discard policy keeps the session, and the next reinstallation discards it")
        func introduced() async throws {
            defer { try? FileManager.default.removeItem(at: container) }
            try await store(discarding: false).write(Fixture.token, for: Fixture.key)
            #expect(try await store().read(Fixture.key) == Fixture.token)
            try reinstall()
            #expect(try await store().read(Fixture.key) == nil)
        }

        @Test("A reinstallation is detected only once the keychain is unlocked", arguments: [true, false])
        func locked(looksAbsent: Bool) async throws {
            defer { try? FileManager.default.removeItem(at: container) }
            device.with { $0.ambiguities.sealedItemsLookAbsent = looksAbsent }
            try await store().write(Fixture.token, for: Fixture.key)
            device.reboot()
            let early = store()
            #expect(
                await early.readFailure() == .locked
            )
            #expect(Fixture.values.count == 1)
            device.unlockScreen()
            #expect(try await early.read(Fixture.key) == Fixture.token)
        }

        @Test("An interrupted reinstallation check discards nothing of an app that was not reinstalled")
        func interrupted() async throws {
            for step in 1...8 {
                await freshDevice()
                defer { try? FileManager.default.removeItem(at: container) }
                try await store(discarding: false).write(Fixture.token, for: Fixture.key)
                failKeychain(from: step)
                _ = try? await store().read(Fixture.key)
                failKeychain()
                #expect(try await store().read(Fixture.key) == Fixture.token, "\(step)")
            }
        }

        @Test("A marker that cannot be read or written discards nothing")
        func noMarker() async throws {
            try await store(discarding: false).write(Fixture.token, for: Fixture.key)
            let broken = Fixture.store {
                $0.reinstallation = .discardOnReinstall(
                    marker: .init(
                        read: { () throws(StorageFailure) in throw .unavailable },
                        make: { (_) throws(StorageFailure) in throw .unavailable }
                    ),
                    bundleIdentifier: "com.example.app"
                )
            }
            #expect(
                await broken.readFailure()
                    == .unavailable
            )
            #expect(Fixture.values.count == 1)
        }

        @Test("A reinstallation also discards the app's items at earlier places")
        func origins() async throws {
            defer { try? FileManager.default.removeItem(at: container) }
            func store() -> KeychainStore {
                self.store { $0.movingFrom = [.item(account: "old", service: "legacy", for: Fixture.key)] }
            }
            try await store().write(Fixture.token, for: StoreKey("another"))
            try addItem(account: "old", service: "legacy", Fixture.token)
            try reinstall()
            #expect(try await store().read(Fixture.key) == nil)
            #expect(Fixture.values.isEmpty)
        }

        #if canImport(UIKit)
            @Test("Items shared with other apps are never discarded, in a named or the default group")
            func shared() async throws {
                defer { try? FileManager.default.removeItem(at: container) }
                device.with { $0.app.appGroups = [Fixture.appGroup] }
                for group in [
                    KeychainStore.AccessGroup.appGroup(Fixture.appGroup), .keychainGroup(Fixture.ownGroup),
                ] {
                    // An installation that kept items of its own, too, and so has a marker.
                    try await store().write(Fixture.token, for: StoreKey("own"))
                    try await store { $0.accessGroup = group }.write(Fixture.token, for: Fixture.key)
                    try reinstall()
                    #expect(try await store { $0.accessGroup = group }.read(Fixture.key) == Fixture.token)
                }
                await freshDevice()
                device.with { $0.app.keychainAccessGroups = ["TEAM000001.shared", Fixture.ownGroup] }
                try await store().write(Fixture.token, for: Fixture.key)
                try? reinstall()
                #expect(try await store().read(Fixture.key) == Fixture.token)
            }

            @Test("Discarding leaves items of the same service that other apps share")
            func sharedBesideOwn() async throws {
                defer { try? FileManager.default.removeItem(at: container) }
                device.with { $0.app.appGroups = [Fixture.appGroup] }
                try await store().write(Fixture.token, for: Fixture.key)
                try await store { $0.accessGroup = .appGroup(Fixture.appGroup) }
                    .write(Fixture.newer, for: StoreKey("shared"))
                try reinstall()
                #expect(try await store().read(Fixture.key) == nil)
                #expect(Fixture.values.map(\.group) == [Fixture.appGroup])
            }
        #endif
    }
}
