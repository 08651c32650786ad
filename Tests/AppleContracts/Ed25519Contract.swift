#if canImport(CryptoKit)
    import CryptoKit
    import Foundation
    import Testing

    @Suite struct Ed25519Contract {
        /// The key and the text of RFC 8037 appendix A.
        private let secret = Data([
            0x9D, 0x61, 0xB1, 0x9D, 0xEF, 0xFD, 0x5A, 0x60, 0xBA, 0x84, 0x4A, 0xF4, 0x92, 0xEC, 0x2C, 0xC4,
            0x44, 0x49, 0xC5, 0x69, 0x7B, 0x32, 0x69, 0x19, 0x70, 0x3B, 0xAC, 0x03, 0x1C, 0xAE, 0x7F, 0x60,
        ])

        @Test func eachSignatureIsAnotherOneAndValid() throws {
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: secret)
            #expect(key.rawRepresentation == secret)
            for text in ["", "Example of Ed25519 signing", String(repeating: "x", count: 10_000)] {
                let signatures = try (0..<8).map { _ in try key.signature(for: Data(text.utf8)) }
                #expect(Set(signatures).count == signatures.count)
                for signature in signatures {
                    #expect(signature.count == 64)
                    #expect(key.publicKey.isValidSignature(signature, for: Data(text.utf8)))
                    #expect(!key.publicKey.isValidSignature(signature, for: Data("another".utf8)))
                }
            }
        }
    }
#endif
