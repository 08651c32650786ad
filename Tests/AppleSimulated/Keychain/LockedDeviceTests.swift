import AppleWorld
import Foundation
import Ostiary
import OstiaryTesting
import Security
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice.Keychain {
    @Suite("The keychain of a locked device") struct LockedDevice {
        init() async { await freshDevice() }

        @Test("Before the first unlock reading and writing say locked", arguments: [false, true])
        func sealed(looksAbsent: Bool) async throws {
            device.with { $0.ambiguities.sealedItemsLookAbsent = looksAbsent }
            try await Fixture.store().write(Fixture.token, for: Fixture.key)
            device.reboot()
            let store = Fixture.store()
            #expect(await store.readFailure() == .locked)
            #expect(await store.readNowFailure() == .locked)
            #expect(await store.writeFailure() == .locked)
            device.unlockScreen()
            #expect(try await store.read(Fixture.key) == Fixture.token)
        }

        @Test(
            "Before the first unlock a removal either removes the value or fails as locked",
            arguments: [
                (false, false), (false, true), (true, false), (true, true),
            ]
        )
        func removal(looksAbsent: Bool, deletes: Bool) async throws {
            device.with { $0.ambiguities.sealedItemsLookAbsent = looksAbsent }
            device.with { $0.ambiguities.deletesSealedItems = deletes }
            try await Fixture.store().write(Fixture.token, for: Fixture.key)
            device.reboot()
            let failure = await Fixture.store().removeFailure()
            #expect(failure == (deletes && !looksAbsent ? nil : .locked))
            device.unlockScreen()
            #expect(try await Fixture.store().read(Fixture.key) == (failure == nil ? nil : Fixture.token))
        }

        @Test(
            "A missing value reads as absent only once the keychain is unlocked",
            arguments: [false, true]
        )
        func absence(looksAbsent: Bool) async throws {
            device.with { $0.ambiguities.sealedItemsLookAbsent = looksAbsent }
            device.reboot()
            let store = Fixture.store()
            #expect(await failures(of: store) == [.locked, .locked, .locked, .locked])
            device.unlockScreen()
            #expect(try await store.read(Fixture.key) == nil)
            try await store.remove(Fixture.key)
        }

        @Test(
            "Values for an unlocked device are locked with the screen",
            arguments: [false, true]
        )
        func screen(isWritten: Bool) async throws {
            let store = Fixture.store { $0.accessibility = .whenUnlocked }
            if isWritten { try await store.write(Fixture.token, for: Fixture.key) }
            device.lockScreen()
            #expect(await store.readFailure() == .locked)
            #expect(
                await store.writeFailure() == .locked
            )
            device.unlockScreen()
            #expect(try await store.read(Fixture.key) == (isWritten ? Fixture.token : nil))
        }

        @Test("A value that is neither found nor can be added is locked, not absent")
        func hidden() async throws {
            let store = Fixture.store()
            _ = store.keychain
            device.with {
                $0.keychainFaults = KeychainFaults()
                // The value, what proves that the keychain is open, and the adding of that.
                $0.keychainFaults.calls = [1: errSecItemNotFound, 2: errSecItemNotFound, 3: errSecDuplicateItem]
            }
            #expect(await store.readFailure() == .locked)
        }

        @Test("An app can supply whether protected data is available")
        func toldByTheApp() async throws {
            let store = Fixture.store {
                $0.protectedData = .known { device.snapshot.lock == .unlocked }
            }
            device.with { $0.ambiguities.sealedItemsLookAbsent = true }
            device.reboot()
            #expect(await store.readFailure() == .locked)
            device.unlockScreen()
            #expect(try await store.read(Fixture.key) == nil)
            #expect(device.keychainItemCount == 0)
        }

        @Test("A restore in an app launched before the first unlock fails as locked, and succeeds after the unlock")
        func session() async throws {
            device.with { $0.ambiguities.sealedItemsLookAbsent = true }
            let world = try World()
            _ = try await world.client(store: Fixture.store()).signIn()
            device.reboot()
            let client = try world.client(store: Fixture.store())
            let error = await signInFailure { () throws(SignInError) in _ = try await client.restoreSession() }
            #expect(error == SignInError(.storage, .storage(.locked)))
            #expect(error?.recovery == .retry)
            let now = await signInFailure { () throws(SignInError) in _ = try client.restoreSessionNow() }
            #expect(now == SignInError(.storage, .storage(.locked)))
            device.unlockScreen()
            #expect(try client.restoreSessionNow()?.identity?.subject == "alice-subject")
            #expect(try await client.restoreSession()?.identity?.subject == "alice-subject")
        }

        private func failures(of store: KeychainStore) async -> [StorageFailure?] {
            [
                await store.readFailure(),
                await store.readNowFailure(),
                await store.writeFailure(),
                await store.removeFailure(),
            ]
        }
    }
}
