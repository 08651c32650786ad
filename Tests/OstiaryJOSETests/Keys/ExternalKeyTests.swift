import Crypto
import Foundation
import OstiaryJOSE
import Testing

@Suite("A key that other hardware keeps")
struct ExternalKeyTests {
    /// A key in this process that only answers to its handle.
    private static func external(
        _ sign: @escaping @Sendable (P256.Signing.PrivateKey, [UInt8]) throws(JOSEError) -> [UInt8] = {
            (key, bytes) throws(JOSEError) in
            guard let signature = try? key.signature(for: bytes) else { throw .keyFailure }
            return Array(signature.rawRepresentation)
        }
    ) throws -> ExternalKey {
        let key = P256.Signing.PrivateKey()
        return try ExternalKey(
            kind: "test",
            handle: Array("handle".utf8),
            p256: Array(key.publicKey.rawRepresentation)
        ) { (bytes) throws(JOSEError) in try sign(key, bytes) }
    }

    @Test("An external key signs tokens that its public key verifies, and has its thumbprint as key ID")
    func signs() throws {
        let key = try SigningKey(try Self.external())
        let compact = try key.sign(claims: ["a": 1], type: "JWT")
        let claims = try UnverifiedJWT(compact).verified(by: key.publicKey, algorithms: [.es256]).claims
        #expect(claims["a"] == 1)
        #expect(key.keyID == key.publicKey.thumbprint())
        #expect(key.algorithm == .es256 && key.external?.kind == "test")
    }

    @Test("An external key exports no private key, and printing shows no handle")
    func redaction() throws {
        let key = try SigningKey(try Self.external())
        #expect(throws: JOSEError.keyFailure) { try key.privateJWK() }
        #expect(key.pemRepresentation().isEmpty)
        var text = ""
        dump(key, to: &text)
        dump(key.external, to: &text)
        // One line for each octet; a random thumbprint may hold the same digits.
        #expect(!text.split(separator: "\n").contains { $0.hasSuffix("- 104") }, "the handle's octets")
    }

    @Test("An external key with a signature of another length or an invalid point is rejected")
    func lengths() throws {
        let short = try SigningKey(try Self.external { (_, _) throws(JOSEError) in [1, 2, 3] })
        #expect(throws: JOSEError.keyFailure) { try short.signature(for: [1]) }
        #expect(throws: JOSEError.keyFailure) { try ExternalKey(kind: "test", handle: [], p256: [4]) { _ in [] } }
        let nowhere = try ExternalKey(kind: "test", handle: [], p256: Array(repeating: 7, count: 64)) { _ in [] }
        #expect(throws: JOSEError.self) { try SigningKey(nowhere) }
    }

    @Test("An external key's error is passed on", arguments: [JOSEError.keyLost, .keyLocked])
    func failures(failure: JOSEError) throws {
        let key = try SigningKey(try Self.external { (_, _) throws(JOSEError) in throw failure })
        #expect(throws: failure) { try key.signature(for: [1]) }
    }
}
