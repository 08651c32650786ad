import Foundation
import Ostiary
import OstiaryTesting
import Security
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice.Keychain {
    @Suite("Values that an earlier version or another library stored") struct Moving {
        init() async { await freshDevice() }

        static let service = "com.example.legacy"

        private func store(
            _ conversion: @escaping KeychainStore.Origin.Conversion = { $0 }
        ) -> KeychainStore {
            Fixture.store {
                $0.movingFrom = [
                    .item(account: "session", service: Self.service, for: Fixture.key, conversion: conversion)
                ]
            }
        }

        private func addLegacy() throws {
            try addItem(account: "session", service: Self.service, Fixture.token)
        }

        private var places: [String] { Fixture.values.map(\.service) }

        @Test("A named item is read, written under the store's service, and removed at its old place")
        func moves() async throws {
            try addLegacy()
            #expect(try await store().read(Fixture.key) == Fixture.token)
            #expect(places == ["ostiary"])
            #expect(Fixture.values.map(\.accessible.thisDeviceOnly) == [true])
            #expect(try await Fixture.store().read(Fixture.key) == Fixture.token)
        }

        @Test("The named item of one key is not read for another key")
        func otherKey() async throws {
            try addLegacy()
            #expect(try await store().read(StoreKey("another")) == nil)
            #expect(places == [Self.service])
        }

        @Test("An item of another library is converted, and one that cannot be converted is left alone")
        func conversion() async throws {
            try addLegacy()
            let ours = try await store { Array("converted ".utf8) + $0 }.read(Fixture.key)
            #expect(ours == Array("converted refresh-token".utf8))
            await freshDevice()
            try addLegacy()
            #expect(try await store { _ in nil }.read(Fixture.key) == nil)
            let broken = store { (_) throws(StorageFailure) in throw .corrupted }
            #expect(
                await broken.readFailure() == .corrupted
            )
            #expect(places == [Self.service])
        }

        @Test("An interrupted move leaves the value at one of its two places")
        func interrupted() async throws {
            for step in 1...12 {
                await freshDevice()
                try addLegacy()
                failKeychain(from: step)
                let first = try? await store().read(Fixture.key)
                #expect(first == nil || first == Fixture.token, "\(step)")
                failKeychain()
                #expect(!Fixture.values.isEmpty, "\(step)")
                #expect(try await store().read(Fixture.key) == Fixture.token, "\(step)")
                // Signing out leaves nothing that could come back.
                try await store().remove(Fixture.key)
                #expect(Fixture.values.isEmpty, "\(step)")
                #expect(try await store().read(Fixture.key) == nil, "\(step)")
            }
        }

        @Test(
            "A moved value that does not read back is not removed at its old place",
            arguments: [errSecItemNotFound, errSecSuccess]
        )
        func verified(lie: OSStatus) async throws {
            try addLegacy()
            for step in 1...12 {
                device.with {
                    $0.keychainFaults = KeychainFaults()
                    $0.keychainFaults.calls = [step: lie]
                }
                _ = try? await store().read(Fixture.key)
                #expect(!Fixture.values.isEmpty, "\(step)")
            }
            failKeychain()
            #expect(try await store().read(Fixture.key) == Fixture.token)
        }

        @Test("A removal deletes the old item first, so that an interruption restores no old value")
        func removal() async throws {
            for step in 1...4 {
                await freshDevice()
                try await Fixture.store().write(Fixture.newer, for: Fixture.key)
                try addLegacy()
                failKeychain(from: step)
                let error = await store().removeFailure()
                failKeychain()
                // Never the old value: either the session is there as it was, or nothing is.
                #expect(try await store().read(Fixture.key) == (error == nil ? nil : Fixture.newer), "\(step)")
            }
        }

        @Test("A write removes the value at the earlier place")
        func writing() async throws {
            try addLegacy()
            try await store().write(Fixture.newer, for: Fixture.key)
            #expect(places == ["ostiary"])
        }

        @Test("No value is moved before the first unlock")
        func locked() async throws {
            device.with { $0.ambiguities.sealedItemsLookAbsent = true }
            try await Fixture.store().write(Fixture.newer, for: Fixture.key)
            try addLegacy()
            device.reboot()
            #expect(
                await store().readFailure() == .locked
            )
            device.unlockScreen()
            #expect(try await store().read(Fixture.key) == Fixture.newer)
        }
    }
}
