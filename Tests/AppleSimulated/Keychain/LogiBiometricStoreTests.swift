import AppleWorld
import Foundation
import Ostiary
import OstiaryLogi
import Security
import SimulatedPlatform
import SimulatedWorld
import Testing

extension OnTheDevice.Keychain {
    @Suite("The item of logi's that a finger or a face unlocks") struct LogiBiometricStoreTests {
        private let item: LogiHighAssuranceItem

        init() async throws {
            await freshDevice()
            let configuration = try LogiConfiguration(clientID: "logi_x", redirectURI: "myapp://callback")
            item = LogiHighAssuranceItem(of: try Logi(configuration))
        }

        @Test("The item is behind the current biometry, on this device only, under the document's service")
        func item() async throws {
            try await item.save(Secret("a token"))
            #expect(device.snapshot.prompts.isEmpty)
            let kept = try #require(Fixture.values.first)
            #expect(kept.service == "logi.high_assurance_token")
            #expect(kept.accessControl?.flags == SecAccessControlCreateFlags.biometryCurrentSet.rawValue)
            #expect(kept.accessControl?.accessible == .whenPasscodeSetThisDeviceOnly)
            #expect(try await item.token(because: "to pay") == Secret("a token"))
            #expect(device.snapshot.prompts.map(\.reason) == ["to pay"])
        }

        @Test("A user who does not confirm keeps the item")
        func declined() async throws {
            try await item.save(Secret("a token"))
            device.with { $0.promptAnswers = [.cancel] }
            let item = item
            await #expect(throws: SignInError(.storage, .storage(.cancelled))) {
                try await item.token(because: "to pay")
            }
            #expect(try await item.token(because: "to pay") == Secret("a token"))
        }

        @Test("After a new finger is enrolled the item reads as absent, and a new one can be saved")
        func enrolment() async throws {
            try await item.save(Secret("a token"))
            device.changeBiometricEnrollment()
            #expect(try await item.token(because: "to pay") == nil)
            try await item.save(Secret("another"))
            #expect(try await item.token(because: "to pay") == Secret("another"))
            try await item.remove()
            #expect(try await item.token(because: "to pay") == nil)
        }

        @Test("The device that the vendor's SDK kept is continued by LogiDeviceKey")
        func earlierDevice() async throws {
            for (account, text) in [("device_uuid", "u-1"), ("device_secret", "s-1"), ("device_record_id", "7")] {
                let item: [String: Any] = [
                    kSecClass as String: kSecClassGenericPassword,
                    kSecAttrService as String: "dev.1pass.LogiAuth.device.logi_x",
                    kSecAttrAccount as String: account,
                    kSecValueData as String: Data(text.utf8),
                ]
                #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
            }
            let seen = SeenDevice()
            let config = LogiAuthConfig(
                clientId: "logi_x",
                redirectURI: try #require(URL(string: "myapp://callback"))
            )
            let key = try LogiDeviceKey(
                config: config,
                on: LogiAuthPlatform(transport: seen, store: MemoryStore())
            )
            await #expect(throws: LogiAuthError.self) { try await key.exchange(oauthJWT: Secret("a.b.c")) }
            let body = try JSONObject(parsing: try #require(seen.bodies.first))
            #expect(body["device_uuid"] == "u-1" && body["device_secret"] == "s-1")
            #expect(try await key.storedDeviceRecordID() == "7")
        }
    }
}

/// A network without a server, which remembers the requests.
private final class SeenDevice: HTTPTransport, @unchecked Sendable {
    private let lock = NSLock()
    private var seen: [[UInt8]] = []
    var bodies: [[UInt8]] { lock.withLock { seen } }

    func send(_ request: EndpointRequest) async throws(TransportFailure) -> EndpointResponse {
        lock.withLock { seen.append(request.content?.bytes ?? []) }
        throw .unreachable
    }
}
