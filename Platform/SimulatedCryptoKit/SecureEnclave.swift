// Stand-in for the part of CryptoKit that swift-crypto does not have on Linux: the Secure Enclave.
import Crypto
import Foundation
import LocalAuthentication
import Security
import SimulatedPlatform

public enum SecureEnclave {
    public static var isAvailable: Bool { SimulatedDevice.shared.snapshot.hasSecureEnclave }

    public enum P256 {
        public enum Signing {
            // Not Sendable here, so the adapters cannot come to rely on it.
            public struct PrivateKey {
                public let publicKey: Crypto.P256.Signing.PublicKey
                /// An opaque handle; only this device's enclave can turn it back into a key.
                public let dataRepresentation: Data
                let context: LAContext?

                public init(
                    compactRepresentable: Bool = true,
                    accessControl: SecAccessControl = SecAccessControlCreateWithFlags(
                        nil,
                        kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                        [],
                        nil
                    )!,
                    authenticationContext: LAContext? = nil
                ) throws {
                    guard SecureEnclave.isAvailable else { throw CryptoKitError.underlyingCoreCryptoError(error: -3) }
                    if SimulatedDevice.shared.snapshot.enclaveIsBusy { throw EnclaveReport.undocumented.error }
                    let key = Crypto.P256.Signing.PrivateKey()
                    let handle = SimulatedDevice.shared.enclaveStore(
                        EnclaveSecret(key),
                        accessControl,
                        publicKey: key.publicKey.rawRepresentation
                    )
                    try self.init(dataRepresentation: handle, authenticationContext: authenticationContext)
                }

                public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {
                    let state = SimulatedDevice.shared.snapshot
                    if state.enclaveIsBusy { throw EnclaveReport.undocumented.error }
                    guard
                        SimulatedDevice.shared.enclaveKey(dataRepresentation) != nil
                            || state.ambiguities.foreignHandleFailsAtUse
                    else { throw EnclaveReport.foreign.error }
                    self.dataRepresentation = dataRepresentation
                    context = authenticationContext
                    publicKey = try Crypto.P256.Signing.PublicKey(rawRepresentation: dataRepresentation.suffix(64))
                }

                public func signature<D: DataProtocol>(
                    for data: D
                ) throws -> Crypto.P256.Signing.ECDSASignature {
                    let state = SimulatedDevice.shared.snapshot
                    if state.enclaveIsBusy { throw EnclaveReport.undocumented.error }
                    guard let (key, _) = SimulatedDevice.shared.enclaveKey(dataRepresentation),
                        let key = (key as? EnclaveSecret)?.key
                    else { throw EnclaveReport.foreign.error }
                    guard SimulatedDevice.shared.enclaveMayUse(dataRepresentation, context) else {
                        throw state.ambiguities.lockedEnclaveReport.error
                    }
                    return try key.signature(for: data)
                }
            }
        }
    }
}

/// The key that the device keeps behind a handle.
private final class EnclaveSecret: Sendable {
    let key: Crypto.P256.Signing.PrivateKey
    init(_ key: Crypto.P256.Signing.PrivateKey) { self.key = key }
}
