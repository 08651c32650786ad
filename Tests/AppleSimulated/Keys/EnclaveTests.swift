import AppleWorld
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import Security
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice {
    @Suite("Keys in the Secure Enclave") enum Keys {}
}

extension OnTheDevice.Keys {
    @Suite("A session that is bound to a key in the enclave") struct BoundSession {
        private let world: World

        init() async throws {
            await freshDevice()
            world = try World(client: { $0.requiresDPoP = true })
        }

        private func client(
            _ key: SessionKey = .secureEnclave,
            store: any SecretStore = Fixture.store()
        ) throws -> SignInClient {
            try world.client(store: store, senderConstraint: .dpop(key: key))
        }

        @Test("A session bound to an enclave key signs in, is restored, refreshes and reads user info without a prompt")
        func journey() async throws {
            let session = try await client().signIn()
            _ = try await session.userInfo()
            try await session.refresh()
            let restored = try #require(try await client().restoreSession())
            #expect(restored.tokenType == "DPoP")
            try await restored.refresh()
            _ = try await restored.userInfo()
            #expect(device.enclaveKeyCount == 1)
            #expect(device.snapshot.prompts.isEmpty)
        }

        @Test("The stored session holds the handle and thumbprint of its enclave key, and no key")
        func stored() async throws {
            _ = try await client().signIn()
            let value = try #require(try Fixture.store().readNow(Fixture.key))
            let key = try #require(try JSONObject(parsing: value)["tokens"]?.object?["dpop_key"]?.object)
            #expect(key.members.map(\.name) == ["external", "handle", "jkt"])
            #expect(key["external"] == "secure-enclave")
        }

        @Test("Two sign-ins make two enclave keys")
        func keys() async throws {
            _ = try await client().signIn()
            let first = try Fixture.store().readNow(Fixture.key)
            _ = try await client().signIn()
            #expect(device.enclaveKeyCount == 2)
            #expect(try Fixture.store().readNow(Fixture.key) != first)
        }

        @Test("A key whose handle fails only when it signs is keyLost, and a new sign-in succeeds")
        func restoredPhoneAtUse() async throws {
            device.with { $0.ambiguities.foreignHandleFailsAtUse = true }
            let backedUp = MemoryStore()
            _ = try await client(store: backedUp).signIn()
            device.restoreBackupOntoNewDevice()
            let client = try client(store: backedUp)
            let session = try #require(try await client.restoreSession())
            let error = await signInFailure { () throws(SignInError) in try await session.refresh() }
            #expect(error?.reason == .keyLost && error?.recovery == .signInAgain)
            _ = try await client.signIn().userInfo()
        }

        @Test("A busy enclave fails as locked, and the session's key is kept")
        func busyEnclave() async throws {
            let store = MemoryStore()
            let session = try await client(store: store).signIn()
            device.with { $0.enclaveIsBusy = true }
            let error = await signInFailure { () throws(SignInError) in try await session.refresh() }
            #expect(error?.reason == .storage(.locked))
            let client = try client(store: store)
            #expect(
                await signInFailure { () throws(SignInError) in _ = try await client.restoreSession() }
                    == SignInError(.storage, .storage(.locked))
            )
            device.with { $0.enclaveIsBusy = false }
            try await session.refresh()
            _ = try #require(try await client.restoreSession())
        }

        @Test("A phone with the tokens but not the key requires a new sign-in, and deletes nothing")
        func restoredPhone() async throws {
            let backedUp = MemoryStore()
            _ = try await client(store: backedUp).signIn()
            let before = try backedUp.readNow(Fixture.key)
            device.restoreBackupOntoNewDevice()
            let client = try client(store: backedUp)
            let lost = SignInError(.storage, .keyLost)
            #expect(lost.recovery == .signInAgain)
            #expect(await signInFailure { () throws(SignInError) in _ = try await client.restoreSession() } == lost)
            #expect(await signInFailure { () throws(SignInError) in _ = try client.restoreSessionNow() } == lost)
            // It may be a device that was mistaken for lost: nothing is deleted.
            #expect(try backedUp.readNow(Fixture.key) == before)
            let session = try await client.signIn()
            _ = try await session.userInfo()
            #expect(try await client.restoreSession()?.identity?.subject == "alice-subject")
        }

        @Test("A key with another thumbprint under the stored handle is keyLost")
        func thumbprint() async throws {
            let store = MemoryStore()
            _ = try await client(store: store).signIn()
            var value = try JSONObject(parsing: try #require(try store.readNow(Fixture.key)))
            var tokens = try #require(value["tokens"]?.object)
            var key = try #require(tokens["dpop_key"]?.object)
            key["jkt"] = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
            tokens["dpop_key"] = .object(key)
            value["tokens"] = .object(tokens)
            try await store.write(value.encoded(), for: Fixture.key)
            let client = try client(store: store)
            let error = await signInFailure { () throws(SignInError) in _ = try await client.restoreSession() }
            #expect(error == SignInError(.storage, .keyLost))
        }

        @Test(
            "An enclave that is erased while a session runs fails the refresh as keyLost",
            arguments: [false, true]
        )
        func lostWhileRunning(isToldAtUse: Bool) async throws {
            device.with { $0.ambiguities.foreignHandleFailsAtUse = isToldAtUse }
            let session = try await client(store: MemoryStore()).signIn()
            device.restoreBackupOntoNewDevice()
            let error = await signInFailure { () throws(SignInError) in try await session.refresh() }
            #expect(error?.reason == .keyLost)
            #expect(error?.recovery == .signInAgain)
        }

        @Test(
            "Before the first unlock a refresh fails as locked, and succeeds after it",
            arguments: [EnclaveReport.interactionNotAllowed, .authenticationNeeded, .noAnswer, .undocumented]
        )
        func locked(_ report: EnclaveReport) async throws {
            device.with { $0.ambiguities.lockedEnclaveReport = report }
            let session = try await client(store: MemoryStore()).signIn()
            device.reboot()
            let error = await signInFailure { () throws(SignInError) in try await session.refresh() }
            #expect(error?.reason == .storage(.locked))
            device.unlockScreen()
            try await session.refresh()
        }

        @Test("Without an enclave a sign-in fails, unless the app allows a key in the store")
        func noEnclave() async throws {
            device.with { $0.hasSecureEnclave = false }
            let strict = try client()
            let error = await signInFailure { () throws(SignInError) in _ = try await strict.signIn() }
            #expect(error?.recovery == .fixConfiguration)
            #expect(error?.stage == .authorization)
            _ = try await client(.secureEnclaveOrStore).signIn()
            let restored = try #require(try await client(.secureEnclaveOrStore).restoreSession())
            try await restored.refresh()
            #expect(device.enclaveKeyCount == 0)
        }

        @Test("A device with an enclave uses it even when the app would accept a key in the store")
        func preferred() async throws {
            _ = try await client(.secureEnclaveOrStore).signIn()
            #expect(device.enclaveKeyCount == 1)
            _ = try await client(.store).signIn()
            #expect(device.enclaveKeyCount == 1)
        }

        @Test("Enclave keys sign in the background, and on this device only")
        func accessibility() throws {
            let key = try SessionKey.secureEnclave.make()
            #expect("\(key)".contains(key.thumbprint))
            device.lockScreen()
            let external = try #require(device.snapshot.enclaveControls.first)
            #expect(external.accessible == .afterFirstUnlockThisDeviceOnly)
            #expect(external.flags == SecAccessControlCreateFlags.privateKeyUsage.rawValue)
        }
    }
}
