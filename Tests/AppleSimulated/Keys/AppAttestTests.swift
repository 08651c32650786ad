import AppleWorld
import DeviceCheck
import Foundation
import Ostiary
import OstiaryJOSE
import OstiaryOAuth
import OstiaryProvider
import OstiaryTesting
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice.Keys {
    @Suite("An app that App Attest vouches for") struct AppAttest {
        private let world: World
        private let backend: AppAttestBackend
        private let store = MemoryStore()

        init() async throws {
            await freshDevice()
            let clock = TestClock()
            let backend = AppAttestBackend(clock: clock)
            self.backend = backend
            world = try World(
                client: {
                    $0.authenticationMethod = .attestation(attesterKeys: JSONWebKeySet([backend.key.publicKey]))
                },
                clock: clock
            )
        }

        private var attester: ClientAttester {
            let backend = backend
            return .appAttest(store: store) { () throws(SignInError) in
                backend.challenge()
            } exchange: { (evidence) throws(SignInError) in
                try backend.exchange(evidence)
            }
        }

        private func instance() async throws -> ClientInstance {
            try await ClientInstance.stored(
                in: store,
                issuer: try Issuer(World.issuer),
                clientID: "app",
                attester: attester
            ) { () throws(SignInError) in try SessionKey.secureEnclave.make() }
        }

        private func client() async throws -> SignInClient {
            try world.client(store: store, authentication: .attestation(try await instance()))
        }

        @Test("An attested client signs in and refreshes with an enclave key that the backend attests")
        func journey() async throws {
            let session = try await client().signIn()
            try await session.refresh()
            #expect(backend.accepted == [.attestation])
            #expect(device.enclaveKeyCount == 1)
            world.clock.advance(by: .seconds(3_590))
            try await session.refresh()
            #expect(backend.accepted == [.attestation, .assertion])
        }

        @Test("The next launch keeps the instance and is attested by an assertion")
        func nextLaunch() async throws {
            _ = try await client().signIn()
            let session = try #require(try await client().restoreSession())
            try await session.refresh()
            #expect(backend.accepted == [.attestation, .assertion])
            #expect(device.enclaveKeyCount == 1)
        }

        @Test(
            "An App Attest key that the device or the backend does not know is replaced once",
            arguments: [true, false]
        )
        func unknownKey(isDevice: Bool) async throws {
            let session = try await client().signIn()
            if isDevice { device.with { $0.appAttest.keys = [:] } } else { backend.forgetKeys() }
            world.clock.advance(by: .seconds(3_590))
            try await session.refresh()
            #expect(backend.accepted == [.attestation, .attestation])
        }

        @Test("A key whose attestation did not reach the backend is replaced")
        func attestedInVain() async throws {
            let away = ClientAttester.appAttest(store: store) { [backend] () throws(SignInError) in
                backend.challenge()
            } exchange: { (_) throws(SignInError) in
                throw SignInError(.token, .transport(.unreachable))
            }
            let instance = ClientInstance(key: try SigningKey.generate(.es256), attester: away)
            let first = try world.client(store: store, authentication: .attestation(instance))
            let error = await signInFailure { () throws(SignInError) in _ = try await first.signIn() }
            #expect(error == SignInError(.authorization, .transport(.unreachable)))
            _ = try await client().signIn()
            #expect(backend.accepted == [.attestation])
        }

        @Test("While Apple's server is unreachable no key is lost, and the same key is attested later")
        func serverUnavailable() async throws {
            device.with { $0.appAttest.serverIsReachable = false }
            let client = try await client()
            let error = await signInFailure { () throws(SignInError) in _ = try await client.signIn() }
            #expect(error == SignInError(.authorization, .transport(.unreachable)))
            #expect(error?.recovery == .retry)
            let keys = device.snapshot.appAttest.keys.keys.sorted()
            device.with { $0.appAttest.serverIsReachable = true }
            _ = try await client.signIn()
            #expect(device.snapshot.appAttest.keys.keys.sorted() == keys)
        }

        @Test("A device without App Attest fails with a configuration error, and does not trap")
        func unsupported() async throws {
            device.with { $0.appAttest.isSupported = false }
            let client = try await client()
            let error = await signInFailure { () throws(SignInError) in _ = try await client.signIn() }
            #expect(error?.recovery == .fixConfiguration)
        }

        @Test("An attestation of another app is rejected by the backend")
        func otherApp() async throws {
            device.with { $0.app.bundleIdentifier = "com.example.copy" }
            let client = try await client()
            let error = await signInFailure { () throws(SignInError) in _ = try await client.signIn() }
            guard case .refused(let refusal) = error?.reason else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(refusal.description?.contains("app") == true)
            #expect(backend.accepted.isEmpty)
        }

        @Test("A busy enclave fails as locked, and the client instance is kept")
        func busyEnclave() async throws {
            _ = try await client().signIn()
            let old = try await instance().key.keyID
            device.with { $0.enclaveIsBusy = true }
            #expect(
                await signInFailure { () throws(SignInError) in
                    do { _ = try await self.instance() } catch let error as SignInError { throw error } catch {}
                } == SignInError(.storage, .storage(.locked))
            )
            device.with { $0.enclaveIsBusy = false }
            #expect(try await instance().key.keyID == old)
            try await #require(try await client().restoreSession()).refresh()
        }

        @Test(
            "A phone restored from a backup is a new instance, and its user signs in again",
            arguments: [false, true]
        )
        func restoredPhone(isToldAtUse: Bool) async throws {
            device.with { $0.ambiguities.foreignHandleFailsAtUse = isToldAtUse }
            _ = try await client().signIn()
            let old = try await instance().key.keyID
            device.restoreBackupOntoNewDevice()
            let session = try #require(try await client().restoreSession())
            #expect(try await instance().key.keyID != old)
            let error = await signInFailure { () throws(SignInError) in try await session.refresh() }
            #expect(error?.recovery == .signInAgain)
            _ = try await client().signIn()
        }

        @Test("A key is attested once, an unknown one never, and a hash has 32 bytes")
        func service() async throws {
            let hash = Data(repeating: 1, count: 32)
            let key = try await DCAppAttestService.shared.generateKey()
            let other = Data(repeating: 2, count: 32).base64EncodedString()
            #expect(
                await code { _ = try await DCAppAttestService.shared.generateAssertion(key, clientDataHash: hash) }
                    == .invalidKey
            )
            #expect(
                await code { _ = try await DCAppAttestService.shared.attestKey(key, clientDataHash: hash) } == nil
            )
            #expect(
                await code { _ = try await DCAppAttestService.shared.attestKey(key, clientDataHash: hash) }
                    == .invalidKey
            )
            #expect(
                await code {
                    _ = try await DCAppAttestService.shared.generateAssertion(key, clientDataHash: Data())
                } == .invalidInput
            )
            #expect(
                await code {
                    _ = try await DCAppAttestService.shared.generateAssertion(other, clientDataHash: hash)
                } == .invalidKey
            )
        }

        private func code(_ body: () async throws -> Void) async -> DCError.Code? {
            do {
                try await body()
                return nil
            } catch {
                return (error as? DCError)?.code
            }
        }
    }
}
