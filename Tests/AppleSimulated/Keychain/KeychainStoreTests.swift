import AppleWorld
import Foundation
import Ostiary
import OstiaryTesting
import Security
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice.Keychain {
    @Suite("A store in the keychain") struct Store {
        init() async { await freshDevice() }

        @Test(
            "The keychain store keeps every promise of a secret store, however empty values read",
            arguments: [true, false]
        )
        func contract(emptyReadsAsNothing: Bool) async throws {
            device.with { $0.ambiguities.emptyValueReadsAsNothing = emptyReadsAsNothing }
            try await SecretStoreCheck(Fixture.store(), reopen: { Fixture.store() }).run()
            #expect(Fixture.values.isEmpty)
        }

        @Test("A value never leaves the device, not even in a backup")
        func backup() async throws {
            for accessibility in [KeychainStore.Accessibility.afterFirstUnlock, .whenUnlocked, .whenPasscodeSet] {
                try await Fixture.store { $0.accessibility = accessibility }
                    .write(Fixture.token, for: StoreKey("\(accessibility)"))
            }
            #expect(Fixture.values.count == 3)
            #expect(device.keychainItems().allSatisfy { $0.accessible.thisDeviceOnly && !$0.synchronizable })
            device.restoreBackupOntoNewDevice()
            #expect(device.keychainItemCount == 0)
        }

        @Test("By default a value is readable from the first unlock on, also in the background")
        func background() async throws {
            try await Fixture.store().write(Fixture.token, for: Fixture.key)
            #expect(Fixture.values.map(\.accessible) == [.afterFirstUnlockThisDeviceOnly])
            device.lockScreen()
            #expect(try await Fixture.store().read(Fixture.key) == Fixture.token)
            #expect(try Fixture.store().readNow(Fixture.key) == Fixture.token)
        }

        @Test(
            "Every keychain status maps to its storage failure, and the value is kept",
            arguments: [
                (errSecInteractionNotAllowed, StorageFailure.locked), (errSecMissingEntitlement, .notEntitled),
                (errSecUserCanceled, .cancelled), (errSecAuthFailed, .notRecognized),
                (errSecNotAvailable, .unavailable), (errSecParam, .unavailable), (errSecDecode, .corrupted),
            ]
        )
        func failures(status: OSStatus, expected: StorageFailure) async throws {
            let store = Fixture.store()
            try await store.write(Fixture.token, for: Fixture.key)
            failKeychain(from: 1, with: status)
            #expect(await store.readFailure() == expected)
            // A device without a passcode asks no user, so it rejects none.
            let whenChanged = expected == .notRecognized ? .unavailable : expected
            #expect(await store.writeFailure() == whenChanged)
            #expect(await store.removeFailure() == whenChanged)
            failKeychain()
            #expect(try await store.read(Fixture.key) == Fixture.token)
        }

        @Test("A write that fails at any step leaves the old value or the new one")
        func interruptedWrites() async throws {
            for step in 1...4 {
                for isNew in [true, false] {
                    await freshDevice()
                    if !isNew { try await Fixture.store().write(Fixture.token, for: Fixture.key) }
                    failKeychain(from: step)
                    let error = await Fixture.store().writeFailure()
                    failKeychain()
                    let found = try await Fixture.store().read(Fixture.key)
                    #expect(found == (error == nil ? Fixture.newer : isNew ? nil : Fixture.token), "\(step)")
                }
            }
        }

        @Test("A write succeeds although another process adds the item between its steps")
        func raceToAdd() async throws {
            let store = Fixture.store()
            // The first call, an update, finds no item.
            try await store.write(Fixture.token, for: Fixture.key)
            device.with { $0.keychainFaults = KeychainFaults() }
            device.with { $0.keychainFaults.calls = [1: errSecItemNotFound] }
            try await store.write(Fixture.newer, for: Fixture.key)
            failKeychain()
            #expect(try await store.read(Fixture.key) == Fixture.newer)
        }

        @Test("Every key with a value is listed once, and internal items are not listed")
        func listing() async throws {
            let keys = ["session/a", "ä", "", "b c"].map { StoreKey($0) }
            for key in keys { try await Fixture.store().write(Fixture.token, for: key) }
            try await Fixture.guarded().write(Fixture.token, for: StoreKey("guarded"))
            try addItem(account: "old", service: "legacy", Fixture.token)
            let store = Fixture.store {
                $0.movingFrom = [.item(account: "old", service: "legacy", for: StoreKey("named"))]
            }
            #expect(Set(try await store.keys()) == Set(keys + [StoreKey("guarded"), StoreKey("named")]))
            #expect(try await store.keys().count == 6)
            #expect(device.snapshot.prompts.isEmpty)
            try await store.remove(StoreKey("named"))
            #expect(try await store.keys().count == 5)
        }

        @Test("Listing a sealed keychain fails as locked, and returns no empty list", arguments: [true, false])
        func sealedListing(looksAbsent: Bool) async throws {
            device.with { $0.ambiguities.sealedItemsLookAbsent = looksAbsent }
            try await Fixture.store().write(Fixture.token, for: Fixture.key)
            device.reboot()
            let failure = await storageFailure { () throws(StorageFailure) in _ = try await Fixture.store().keys() }
            #expect(failure == .locked)
        }

        @Test("An item with another accessibility is changed to the configured one when it is read")
        func accessibility() async throws {
            try await Fixture.store { $0.accessibility = .whenUnlocked }.write(Fixture.token, for: Fixture.key)
            #expect(try await Fixture.store().read(Fixture.key) == Fixture.token)
            #expect(Fixture.values.map(\.accessible) == [.afterFirstUnlockThisDeviceOnly])
        }

        @Test("An item that backups may copy is bound to the device when it is read")
        func migratableItem() async throws {
            try addItem(account: KeychainAccount(of: Fixture.key).name, service: "ostiary", Fixture.token)
            #expect(Fixture.values.map(\.accessible.thisDeviceOnly) == [false])
            #expect(try await Fixture.store().read(Fixture.key) == Fixture.token)
            #expect(Fixture.values.map(\.accessible.thisDeviceOnly) == [true])
        }
    }
}

/// Lets calls of the keychain fail; none without a number.
func failKeychain(from call: Int? = nil, with status: OSStatus = errSecNotAvailable) {
    device.with {
        $0.keychainFaults = KeychainFaults()
        $0.keychainFaults.from = call
        $0.keychainFaults.status = status
    }
}

/// Adds an item as another library would.
func addItem(
    account: String,
    service: String,
    _ value: [UInt8],
    _ extra: [String: Any] = [:],
    isSealed: Bool = true
) throws {
    var item: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword,
        kSecAttrService as String: service,
        kSecAttrAccount as String: account,
        kSecValueData as String: Data(value),
    ]
    if isSealed { item[kSecUseDataProtectionKeychain as String] = true }
    try #require(SecItemAdd(item.merging(extra) { $1 } as CFDictionary, nil) == errSecSuccess)
}
