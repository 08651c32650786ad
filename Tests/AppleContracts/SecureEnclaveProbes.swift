#if canImport(CryptoKit) && canImport(Security) && canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
    import CryptoKit
    import Foundation
    import LocalAuthentication
    import Security
    import Testing

    private enum SecureEnclaveSignatures {
        static func make(_ control: SecAccessControl, _ context: LAContext) throws {
            let _: Bool = SecureEnclave.isAvailable
            let key = try SecureEnclave.P256.Signing.PrivateKey(accessControl: control)
            let again = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: key.dataRepresentation)
            let _: SecureEnclave.P256.Signing.PrivateKey = try .init(
                dataRepresentation: key.dataRepresentation,
                authenticationContext: context
            )
            let _: Data = again.dataRepresentation
            let _: Data = again.publicKey.rawRepresentation
            let signature: P256.Signing.ECDSASignature = try again.signature(for: Data([1]))
            let _: Data = signature.rawRepresentation
        }

        @available(iOS 18.0, macOS 15.0, *)
        static func enrolment(_ context: LAContext) {
            let _: Data? = context.domainState.biometry.stateHash
            context.localizedReason = "reason"
            context.interactionNotAllowed = true
        }
    }

    @Suite struct SecureEnclaveContract {
        @Test func aKeyOfTheEnclaveSignsWhatItsPublicKeyVerifies() throws {
            guard SecureEnclave.isAvailable else { return }
            let control = try #require(
                SecAccessControlCreateWithFlags(
                    nil,
                    kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                    .privateKeyUsage,
                    nil
                )
            )
            // A simulator says that there is an enclave, and makes no key.
            guard let key = try? SecureEnclave.P256.Signing.PrivateKey(accessControl: control) else { return }
            let again = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: key.dataRepresentation)
            let signature = try again.signature(for: Data("header.claims".utf8))
            #expect(signature.rawRepresentation.count == 64)
            #expect(key.publicKey.rawRepresentation.count == 64)
            #expect(key.publicKey.isValidSignature(signature, for: Data("header.claims".utf8)))
        }

        @Test func anotherHandleOpensNothing() {
            #expect(throws: (any Error).self) {
                try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: Data("no handle".utf8))
            }
        }
    }
#endif
