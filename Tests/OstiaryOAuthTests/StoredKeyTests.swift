import Crypto
import Foundation
import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("The key of a session, as it is stored")
struct StoredKeyTests {
    private static let secret = P256.Signing.PrivateKey()

    private static func external(_ key: P256.Signing.PrivateKey = secret) throws(JOSEError) -> ExternalKey {
        try ExternalKey(kind: "test", handle: [1, 2], p256: Array(key.publicKey.rawRepresentation)) {
            (bytes) throws(JOSEError) in
            guard let signature = try? key.signature(for: bytes) else { throw .keyFailure }
            return Array(signature.rawRepresentation)
        }
    }

    private static let hardware = ExternalKeys { (kind, handle) throws(JOSEError) in
        guard kind == "test", handle == [1, 2] else { throw .keyLost }
        return try external()
    }

    private func stored(_ change: (inout JSONObject) -> Void = { _ in }) throws -> JSONObject {
        var object = try DPoPKey(try SigningKey(try Self.external())).stored()
        change(&object)
        return object
    }

    @Test("An external key's handle and thumbprint are stored, and find the key again")
    func handle() throws {
        let object = try stored()
        #expect(object["handle"] == "AQI" && object["external"] == "test" && object["d"] == nil)
        let key = try DPoPKey(stored: object, Self.hardware)
        #expect(key.thumbprint == object["jkt"]?.string)
    }

    @Test(
        "A stored external key that is missing or another one is keyLost",
        arguments: ["nowhere", "kind", "handle", "jkt"]
    )
    func lost(what: String) throws {
        let object = try stored {
            switch what {
            case "kind": $0["external"] = "another"
            case "handle": $0["handle"] = "AQM"
            case "jkt": $0["jkt"] = "another"
            default: break
            }
        }
        let hardware = what == "nowhere" ? ExternalKeys.none : Self.hardware
        #expect(signInError { _ = try DPoPKey(stored: object, hardware) } == SignInError(.storage, .keyLost))
    }

    @Test("A stored external key that is locked fails as locked, not as keyLost")
    func locked() throws {
        let object = try stored()
        let hardware = ExternalKeys { (_, _) throws(JOSEError) in throw .keyLocked }
        #expect(signInError { _ = try DPoPKey(stored: object, hardware) } == SignInError(.storage, .storage(.locked)))
    }

    @Test(
        "A stored external key without its handle or thumbprint is corrupted",
        arguments: ["handle", "jkt", "external"]
    )
    func corrupted(member: String) throws {
        let object = try stored { $0[member] = member == "external" ? 1 : nil }
        let error = signInError { _ = try DPoPKey(stored: object, Self.hardware) }
        #expect(error == SignInError(.storage, .storage(.corrupted)))
    }

    @Test("A lost key's recovery is a new sign-in")
    func recovery() { #expect(SignInError(.refresh, .keyLost).recovery == .signInAgain) }
}
