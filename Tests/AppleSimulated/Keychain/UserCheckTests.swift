import AppleWorld
import Foundation
import Ostiary
import OstiaryTesting
import Security
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice.Keychain {
    @Suite("Keychain values guarded by the user's authentication") struct UserCheck {
        init() async { await freshDevice() }

        @Test(
            "A guarded item carries the access control of its check and of the current enrolment",
            arguments: [
                (KeychainStore.UserCheck.Method.currentBiometry, SecAccessControlCreateFlags.biometryCurrentSet),
                (.anyBiometry, .biometryAny), (.biometryOrPasscode, .userPresence),
            ]
        )
        func accessControl(method: KeychainStore.UserCheck.Method, flag: SecAccessControlCreateFlags) async throws {
            try await Fixture.guarded(method).write(Fixture.token, for: Fixture.key)
            let control = try #require(Fixture.values.first?.accessControl)
            #expect(control.flags == flag.rawValue)
            #expect(control.accessible == .whenPasscodeSetThisDeviceOnly)
            #expect(KeychainStore.UserCheck { "" }.method == .currentBiometry)
            // What is not guarded holds nothing of the value.
            let open = device.keychainItems().filter { $0.accessControl == nil }.map(\.data)
            #expect(open.allSatisfy { $0.range(of: Data(Fixture.token)) == nil })
        }

        @Test("Reading asks with the app's reason, off the main thread and off the threads that tasks share")
        @MainActor func asks() async throws {
            let store = Fixture.guarded()
            try await store.write(Fixture.token, for: Fixture.key)
            #expect(device.snapshot.prompts.isEmpty)
            #expect(try await store.read(Fixture.key) == Fixture.token)
            #expect(try await Task.detached { try await store.read(Fixture.key) }.value == Fixture.token)
            let prompt = SimulatedDevice.Prompt(reason: "Unlock your session", onMainThread: false)
            #expect(device.snapshot.prompts == [prompt, prompt])
            #expect(device.snapshot.violations == [])
        }

        @Test("Learned facts beside a guarded session are read and written without asking the user")
        func learnedFacts() async throws {
            let key = StoreKey.learned(issuer: try Issuer("https://id.example.test"), clientID: "app")
            try await Fixture.guarded().write([1], for: key)
            #expect(try await Fixture.guarded().read(key) == [1])
            try await Fixture.guarded().remove(key)
            #expect(try await Fixture.guarded().read(key) == nil)
            #expect(device.snapshot.prompts.isEmpty)
        }

        @Test("A user who cancels and a user who is not recognized are two failures, and the value is kept")
        func refusals() async throws {
            let store = Fixture.guarded()
            try await store.write(Fixture.token, for: Fixture.key)
            device.with { $0.promptAnswers = [.cancel, .fail] }
            #expect(await store.readFailure() == .cancelled)
            #expect(await store.readFailure() == .notRecognized)
            #expect(try await store.read(Fixture.key) == Fixture.token)
            device.with { $0.biometry.lockedOut = true }
            #expect(await store.readFailure() == .notRecognized)
            for failure in [StorageFailure.cancelled, .notRecognized] {
                #expect(SignInError(.storage, .storage(failure)).recovery == .retry)
            }
        }

        @Test(
            "A changed enrolment is an error of its own, and a new value can be written",
            arguments: [true, false]
        )
        func enrolment(isGone: Bool) async throws {
            device.with { $0.ambiguities.invalidatedItemIsGone = isGone }
            let store = Fixture.guarded()
            try await store.write(Fixture.token, for: Fixture.key)
            device.changeBiometricEnrollment()
            #expect(await store.readFailure() == .invalidated)
            #expect(SignInError(.storage, .storage(.invalidated)).recovery == .signInAgain)
            try await store.write(Fixture.newer, for: Fixture.key)
            #expect(try await store.read(Fixture.key) == Fixture.newer)
        }

        @Test("With any biometry a value stays readable after a new enrolment")
        func anyBiometry() async throws {
            let store = Fixture.guarded(.anyBiometry)
            try await store.write(Fixture.token, for: Fixture.key)
            device.changeBiometricEnrollment()
            #expect(try await store.read(Fixture.key) == Fixture.token)
        }

        @Test("Switching the passcode off invalidates the value, and reads fail as invalidated")
        func passcode() async throws {
            let store = Fixture.guarded()
            try await store.write(Fixture.token, for: Fixture.key)
            device.removePasscode()
            #expect(await store.readFailure() == .invalidated)
            #expect(await store.readNowFailure() == .invalidated)
            let write = await store.writeFailure()
            #expect(write == .unavailable)
            try await store.remove(Fixture.key)
            #expect(try await store.read(Fixture.key) == nil)
        }

        @Test("An unlocked value is locked again after the relock time, and at once when the app locks it")
        func relock() async throws {
            let clock = TestClock()
            let store = Fixture.guarded(relockTime: .seconds(60), clock: clock.device)
            try await store.write(Fixture.token, for: Fixture.key)
            for _ in 0..<3 { #expect(try await store.read(Fixture.key) == Fixture.token) }
            #expect(try store.readNow(Fixture.key) == Fixture.token)
            #expect(device.snapshot.prompts.count == 1)
            clock.advance(by: .seconds(59))
            _ = try await store.read(Fixture.key)
            #expect(device.snapshot.prompts.count == 1)
            clock.advance(by: .seconds(1))
            #expect(try await store.read(Fixture.key) == Fixture.token)
            #expect(device.snapshot.prompts.count == 2)
            store.relock()
            _ = try await store.read(Fixture.key)
            #expect(device.snapshot.prompts.count == 3)
        }

        @Test("A write asks no user and does not extend the unlocked time")
        func writing() async throws {
            let clock = TestClock()
            let store = Fixture.guarded(relockTime: .seconds(60), clock: clock.device)
            try await store.write(Fixture.token, for: Fixture.key)
            #expect(await store.readNowFailure() == .locked)
            _ = try await store.read(Fixture.key)
            clock.advance(by: .seconds(59))
            try await store.write(Fixture.newer, for: Fixture.key)
            #expect(try await store.read(Fixture.key) == Fixture.newer)
            clock.advance(by: .seconds(1))
            _ = try await store.read(Fixture.key)
            #expect(device.snapshot.prompts.count == 2)
            try await store.remove(Fixture.key)
            #expect(try await store.read(Fixture.key) == nil)
        }

        @Test("An immediate read asks no user; it fails as locked, or returns nothing for an absent value")
        func readNow() async throws {
            let store = Fixture.guarded()
            #expect(try store.readNow(Fixture.key) == nil)
            try await store.write(Fixture.token, for: Fixture.key)
            #expect(await store.readNowFailure() == .locked)
            #expect(device.snapshot.prompts.isEmpty)
        }

        @Test("An interrupted update leaves the old value or the new one")
        func interrupted() async throws {
            for step in 1...8 {
                await freshDevice()
                try await Fixture.guarded().write(Fixture.token, for: Fixture.key)
                failKeychain(from: step)
                let error = await Fixture.guarded().writeFailure()
                failKeychain()
                let found = try await Fixture.guarded().read(Fixture.key)
                #expect(found == (error == nil ? Fixture.newer : Fixture.token), "\(step)")
                try await Fixture.guarded().write(Fixture.newer, for: Fixture.key)
                #expect(Fixture.values.count == 1, "\(step)")
                try await Fixture.guarded().remove(Fixture.key)
                #expect(Fixture.values.isEmpty, "\(step)")
            }
        }

        @Test("A value that was not guarded is guarded when it is read, and nothing else is left of it")
        func upgrade() async throws {
            try await Fixture.store().write(Fixture.token, for: Fixture.key)
            #expect(try await Fixture.guarded().read(Fixture.key) == Fixture.token)
            #expect(Fixture.values.map { $0.accessControl != nil } == [true])
            #expect(try await Fixture.guarded().read(Fixture.key) == Fixture.token)
            #expect(device.snapshot.prompts.count == 1)
        }

        @Test(
            "A guarded value is locked before the first unlock and behind the lock screen, and is kept",
            arguments: [true, false]
        )
        func locked(looksAbsent: Bool) async throws {
            device.with { $0.ambiguities.sealedItemsLookAbsent = looksAbsent }
            let store = Fixture.guarded()
            try await store.write(Fixture.token, for: Fixture.key)
            device.reboot()
            #expect(await store.readFailure() == .locked)
            device.unlockScreen()
            #expect(try await store.read(Fixture.key) == Fixture.token)
            device.lockScreen()
            #expect(await store.readFailure() == .locked)
        }

        @Test("A guarded store keeps every promise of a secret store when the user always agrees")
        func contract() async throws {
            try await SecretStoreCheck(Fixture.guarded(), reopen: { Fixture.guarded() }).run()
            #expect(Fixture.values.isEmpty)
            #expect(device.snapshot.violations == [])
        }

        @Test("A guarded session is restored with the app's reason, and a refresh stores it guarded")
        func session() async throws {
            let world = try World()
            _ = try await world.client(store: Fixture.guarded()).signIn()
            let session = try #require(try await world.client(store: Fixture.guarded()).restoreSession())
            #expect(device.snapshot.prompts.map(\.reason).contains("Unlock your session"))
            try await session.refresh()
            // Public facts of the issuer are read without asking the user.
            #expect(Fixture.values.filter { $0.accessControl == nil }.count == 1)
            #expect(Set(device.snapshot.prompts.map(\.reason)) == ["Unlock your session"])
            device.with { $0.promptAnswers = Array(repeating: .cancel, count: 3) }
            let client = try world.client(store: Fixture.guarded())
            let error = await signInFailure { () throws(SignInError) in _ = try await client.restoreSession() }
            #expect(error == SignInError(.storage, .storage(.cancelled)))
        }
    }
}
