import Crypto
import Foundation
import SimulatedPlatform

open class DCAppAttestService: NSObject {
    open class var shared: DCAppAttestService { instance }
    private static let instance = DCAppAttestService()

    open var isSupported: Bool { SimulatedDevice.shared.snapshot.appAttest.isSupported }

    open func generateKey() async throws -> String {
        try require(isSupported, .featureUnsupported)
        let key = P256.Signing.PrivateKey()
        let identifier = Data(SHA256.hash(data: key.publicKey.x963Representation)).base64EncodedString()
        SimulatedDevice.shared.with { $0.appAttest.keys[identifier] = .init(secret: AppAttestSecret(key)) }
        return identifier
    }

    open func attestKey(_ keyId: String, clientDataHash: Data) async throws -> Data {
        let (key, stored) = try key(keyId, clientDataHash)
        // A key is attested once.
        try require(!stored.isAttested, .invalidKey)
        try require(SimulatedDevice.shared.snapshot.appAttest.serverIsReachable, .serverUnavailable)
        let identifier = Data(SHA256.hash(data: key.publicKey.x963Representation))
        let authenticatorData =
            authenticatorData(counter: 0, flags: 0x40) + attestedCredential(identifier, key.publicKey)
        let nonce = Data(SHA256.hash(data: authenticatorData + clientDataHash))
        let name = identifier.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let chain = SimulatedCertificateAuthority.chain(of: key.publicKey, name: name, nonce: nonce)
        SimulatedDevice.shared.with { $0.appAttest.keys[keyId]?.isAttested = true }
        return CBOR.map([
            (.text("fmt"), .text("apple-appattest")),
            (
                .text("attStmt"),
                .map([
                    (.text("x5c"), .array(chain.map { .bytes($0) })),
                    (.text("receipt"), .bytes(Data("simulated receipt".utf8))),
                ])
            ),
            (.text("authData"), .bytes(authenticatorData)),
        ]).encoded
    }

    open func generateAssertion(_ keyId: String, clientDataHash: Data) async throws -> Data {
        let (key, stored) = try key(keyId, clientDataHash)
        try require(stored.isAttested, .invalidKey)
        let counter = SimulatedDevice.shared.with { state -> UInt32 in
            state.appAttest.keys[keyId]?.counter += 1
            return state.appAttest.keys[keyId]?.counter ?? 0
        }
        let authenticatorData = authenticatorData(counter: counter, flags: 0x40)
        let nonce = Data(SHA256.hash(data: authenticatorData + clientDataHash))
        return CBOR.map([
            (.text("signature"), .bytes(try key.signature(for: nonce).derRepresentation)),
            (.text("authenticatorData"), .bytes(authenticatorData)),
        ]).encoded
    }

    private func key(
        _ identifier: String,
        _ clientDataHash: Data
    ) throws -> (P256.Signing.PrivateKey, SimulatedDevice.AppAttest.Key) {
        try require(isSupported, .featureUnsupported)
        try require(clientDataHash.count == 32 && Data(base64Encoded: identifier)?.count == 32, .invalidInput)
        guard let stored = SimulatedDevice.shared.snapshot.appAttest.keys[identifier],
            let secret = stored.secret as? AppAttestSecret
        else { throw DCError(.invalidKey) }
        return (secret.key, stored)
    }

    private func require(_ condition: Bool, _ code: DCError.Code) throws {
        guard condition else { throw DCError(code) }
    }

    /// The hash of the app's identifier, flags, and the counter.
    private func authenticatorData(counter: UInt32, flags: UInt8) -> Data {
        let app = SimulatedDevice.shared.snapshot.app
        let hash = Data(SHA256.hash(data: Data("\(app.team).\(app.bundleIdentifier)".utf8)))
        return hash + Data([flags]) + Data((0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * $0)) })
    }

    /// The environment, the key's identifier and the public key in the form of COSE. (RFC 9053 section 7.1)
    private func attestedCredential(_ identifier: Data, _ key: P256.Signing.PublicKey) -> Data {
        let point = key.rawRepresentation
        let cose = CBOR.map([
            (.unsigned(1), .unsigned(2)), (.unsigned(3), .negative(7)), (.negative(1), .unsigned(1)),
            (.negative(2), .bytes(Data(point.prefix(32)))), (.negative(3), .bytes(Data(point.suffix(32)))),
        ])
        return Data("appattestdevelop".utf8) + Data([0, UInt8(identifier.count)]) + identifier + cose.encoded
    }
}

/// The key that the device keeps behind an identifier.
private final class AppAttestSecret: Sendable {
    let key: P256.Signing.PrivateKey
    init(_ key: P256.Signing.PrivateKey) { self.key = key }
}
