import AppleWorld
import Foundation
import Ostiary
import OstiaryTesting
import Security
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice.Keychain {
    @Suite("Authentication for a guarded keychain value") struct GuardedSilence {
        /// The folder that goes with the app.
        let container = FileManager.default.temporaryDirectory.appendingPathComponent("app-\(UUID().uuidString)")

        init() async { await freshDevice() }

        private var prompts: [String] { device.snapshot.prompts.map(\.reason) }

        private func companion() throws -> String {
            let item = try #require(device.keychainItems().first { $0.account.hasSuffix("#state") })
            return String(decoding: item.data, as: UTF8.self)
        }

        private func versions() -> [String] {
            device.keychainItems().filter { $0.accessControl != nil }.compactMap {
                $0.account.split(separator: "#").last.map(String.init)
            }
        }

        @Test("A guarded read asks the user once with the app's reason; write, list, readNow and remove ask nothing")
        func once() async throws {
            for step in 1...3 {
                try await Fixture.guarded().write(Fixture.token, for: Fixture.key)
                try await Fixture.guarded().write(Fixture.newer, for: Fixture.key)
                #expect(await Fixture.guarded().readNowFailure() == .locked)
                #expect(try await Fixture.guarded().keys() == [Fixture.key])
                #expect(try await Fixture.store().keys() == [Fixture.key])
                #expect(prompts.count == step - 1)
                #expect(try await Fixture.guarded().read(Fixture.key) == Fixture.newer)
                #expect(prompts == Array(repeating: "Unlock your session", count: step))
                try await Fixture.guarded().remove(Fixture.key)
                #expect(try Fixture.guarded().readNow(Fixture.key) == nil)
                #expect(prompts.count == step)
            }
            #expect(device.keychainItems().allSatisfy { $0.account.hasPrefix("ostiary:") })
        }

        @Test("A session asks as often as its store is read: never to sign in, once to restore it")
        func session() async throws {
            let world = try World()
            _ = try await world.client(store: Fixture.guarded()).signIn()
            #expect(prompts.isEmpty)
            let store = FaultyStore(Fixture.guarded())
            let session = try #require(try await world.client(store: store).restoreSession())
            #expect(prompts == ["Unlock your session"])
            // It looks for what another process may have renewed.
            try await session.refresh()
            #expect(prompts.count == store.calls(of: .read))
        }

        @Test("A session that stays unlocked for a while asks once for a restoration and a refresh")
        func unlockedSession() async throws {
            let world = try World()
            _ = try await world.client(store: Fixture.guarded()).signIn()
            let store = Fixture.guarded(relockTime: .seconds(300), clock: world.clock.device)
            let session = try #require(try await world.client(store: store).restoreSession())
            try await session.refresh()
            #expect(prompts == ["Unlock your session"])
        }

        @Test("Whether an earlier installation wrote a guarded value is judged without asking")
        func judging() async throws {
            defer { try? FileManager.default.removeItem(at: container) }
            func store() -> KeychainStore {
                Fixture.store {
                    $0.userCheck = .init { "Unlock your session" }
                    $0.reinstallation = .discardOnReinstall(
                        marker: .file(in: container),
                        bundleIdentifier: "com.example.app"
                    )
                }
            }
            try await Fixture.guarded().write(Fixture.token, for: Fixture.key)
            #expect(await store().readNowFailure() == .locked)
            #expect(prompts.isEmpty)
            // What is sealed beside it does not hide which installation wrote.
            device.lockScreen()
            #expect(try await store().read(.learned(issuer: try Issuer(World.issuer), clientID: "app")) == nil)
            device.unlockScreen()
            try FileManager.default.removeItem(at: container)
            #expect(try store().readNow(Fixture.key) == nil)
            #expect(prompts.isEmpty && Fixture.values.isEmpty)
        }

        @Test("A guarded value of another library asks once when it is moved, and never when it is listed")
        func moving() async throws {
            let control = try #require(
                SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
            )
            try addItem(
                account: "session",
                service: "legacy",
                Fixture.token,
                [kSecAttrAccessControl as String: control]
            )
            let store = Fixture.store {
                $0.userCheck = .init { "Unlock your session" }
                $0.movingFrom = [.item(account: "session", service: "legacy", for: Fixture.key)]
            }
            #expect(try await store.keys() == [Fixture.key])
            #expect(prompts.isEmpty)
            #expect(try await store.read(Fixture.key) == Fixture.token)
            #expect(prompts == ["Unlock your session"])
            #expect(Fixture.values.map(\.service) == ["ostiary"])
        }

        @Test("An interrupted first write leaves the value readable and listed, or leaves nothing")
        func firstWrite() async throws {
            for step in 1...8 {
                await freshDevice()
                failKeychain(from: step)
                let error = await Fixture.guarded().writeFailure()
                failKeychain()
                let found = error == nil ? Fixture.newer : nil
                #expect(try await Fixture.guarded().keys() == (found == nil ? [] : [Fixture.key]), "\(step)")
                #expect(try await Fixture.guarded().read(Fixture.key) == found, "\(step)")
                #expect(prompts.count == (found == nil ? 0 : 1), "\(step)")
                try await Fixture.guarded().remove(Fixture.key)
                #expect(Fixture.values.isEmpty, "\(step)")
            }
        }

        @Test("A new version that its companion item does not name yet is read with one prompt")
        func unnamedVersion() async throws {
            try await Fixture.guarded().write(Fixture.token, for: Fixture.key)
            // The new version is added; what names it, and what removes the old one, fails.
            #expect(await write(Fixture.newer, failingFrom: 3))
            #expect(try companion().hasPrefix("1 1 "))
            #expect(versions() == ["1", "2"])
            #expect(try await Fixture.guarded().keys() == [Fixture.key])
            #expect(await Fixture.guarded().readNowFailure() == .locked)
            #expect(prompts.isEmpty)
            #expect(try await Fixture.guarded().read(Fixture.key) == Fixture.newer)
            #expect(prompts.count == 1)
            #expect(try companion().hasPrefix("1 2 "))
            #expect(versions() == ["2"])
        }

        @Test("Two writes that are interrupted one after the other leave the newest value, and the next one cleans up")
        func interruptedTwice() async throws {
            for (one, other) in (1...8).flatMap({ one in (1...10).map { (one, $0) } }) {
                await freshDevice()
                try await Fixture.guarded().write(Fixture.token, for: Fixture.key)
                var expected = Fixture.token
                for step in [one, other] {
                    let value = Array("failed from \(step)".utf8)
                    if await write(value, failingFrom: step) { expected = value }
                }
                #expect(try await Fixture.guarded().read(Fixture.key) == expected, "\(one), \(other)")
                #expect(prompts.count == 1, "\(one), \(other)")
                try await Fixture.guarded().write(Fixture.newer, for: Fixture.key)
                #expect(versions().count == 1, "\(one), \(other)")
                #expect(try await Fixture.guarded().read(Fixture.key) == Fixture.newer, "\(one), \(other)")
            }
        }

        /// Writes with a keychain that fails from one call on; whether the store reports the value as written.
        private func write(_ value: [UInt8], failingFrom call: Int) async -> Bool {
            let store = Fixture.guarded()
            // On a Mac it takes a call to find out which keychain it is.
            _ = store.keychain
            failKeychain(from: call)
            defer { failKeychain() }
            return (try? await store.write(value, for: Fixture.key)) != nil
        }

        @Test("A device without a passcode fails as unavailable, and not as notRecognized")
        func noPasscode() async throws {
            device.removePasscode()
            let guarded = Fixture.guarded(.biometryOrPasscode)
            #expect(await guarded.writeFailure() == .unavailable)
            #expect(try await guarded.read(Fixture.key) == nil)
            let store = Fixture.store { $0.accessibility = .whenPasscodeSet }
            #expect(await store.writeFailure() == .unavailable)
            // The keychain cannot be proved open for items that need a passcode.
            #expect(await store.readFailure() == .unavailable)
            #expect(await store.removeFailure() == .unavailable)
            #expect(Fixture.values.isEmpty)
            #expect(!device.keychainItems().contains { $0.account.hasSuffix("#state") })
        }

        @Test("Without an enrolled face or finger nothing that needs one is written")
        func notEnrolled() async throws {
            try await Fixture.store().write(Fixture.token, for: Fixture.key)
            device.with { $0.biometry.enrolled = false }
            #expect(await Fixture.guarded().writeFailure() == .unavailable)
            // A reading that would guard the value writes, too.
            #expect(await Fixture.guarded().readFailure() == .unavailable)
            #expect(try await Fixture.store().read(Fixture.key) == Fixture.token)
            #expect(prompts.isEmpty)
        }

        @Test("On a locked device a value that is open is read, written and removed beside one that is sealed")
        func besideSealed() async throws {
            try await Fixture.guarded().write(Fixture.token, for: StoreKey("guarded"))
            try await Fixture.store { $0.accessibility = .whenUnlocked }.write(Fixture.token, for: StoreKey("sealed"))
            device.lockScreen()
            let store = Fixture.store()
            try await store.write(Fixture.token, for: Fixture.key)
            #expect(try await store.read(Fixture.key) == Fixture.token)
            try await store.remove(Fixture.key)
            #expect(try await store.read(Fixture.key) == nil)
            // What cannot be seen is not left out.
            await #expect(throws: StorageFailure.locked) { try await store.keys() }
        }

        @Test("A guarded value does not come back after a store without a check has written")
        func checkSwitchedOff() async throws {
            try await Fixture.guarded().write(Fixture.token, for: Fixture.key)
            try await Fixture.store().write(Fixture.newer, for: Fixture.key)
            #expect(try await Fixture.guarded().read(Fixture.key) == Fixture.newer)
            #expect(prompts.isEmpty)
            #expect(Fixture.values.map { $0.accessControl != nil } == [true])
        }

        @Test("A companion item of an unknown form fails as corrupted, and the next write replaces it")
        func otherCompanion() async throws {
            try await Fixture.guarded().write(Fixture.token, for: Fixture.key)
            let changes = [kSecValueData as String: Data("9".utf8)]
            let query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecUseDataProtectionKeychain as String: true,
                kSecAttrAccount as String: Fixture.key.description + "#state",
            ]
            #expect(SecItemUpdate(query as CFDictionary, changes as CFDictionary) == errSecSuccess)
            #expect(await Fixture.guarded().readFailure() == .corrupted)
            #expect(await Fixture.guarded().readNowFailure() == .corrupted)
            try await Fixture.guarded().write(Fixture.newer, for: Fixture.key)
            #expect(try await Fixture.guarded().read(Fixture.key) == Fixture.newer)
            #expect(Fixture.values.count == 1)
        }

        @Test("A write of learned facts beside guarded values is reported")
        func learnedFacts() async throws {
            let key = StoreKey.learned(issuer: try Issuer(World.issuer), clientID: "app")
            let store = Fixture.guarded()
            let changes = store.changes(of: key)
            let listening = Task { await first(of: changes) }
            defer { listening.cancel() }
            try await store.write([1], for: key)
            #expect(await listening.value == .written)
        }
    }
}
