#if AsyncHTTPClient
    import NIOCore
    import NIOSSL

    /// A fault of a server's certificate that browsers reject and BoringSSL accepts.
    enum CertificateFault: Error, Equatable {
        /// The certificate has no subject alternative name. (RFC 9525 section 2)
        case noAlternativeName
        /// The certificate's signature uses SHA-1 or MD5. (RFC 9155)
        case weakSignature
        /// The certificate's RSA key has fewer than 2,048 bits. (NIST SP 800-131A)
        case weakKey

        /// The fault of the certificate that a connection's server has presented; `nil` for none, and without TLS.
        init?(of channel: any Channel) {
            guard let certificate = try? channel.pipeline.syncOperations.nioSSL_peerCertificate() else { return nil }
            self.init(certificate)
        }

        /// The fault of a certificate.
        init?(_ certificate: NIOSSLCertificate) {
            if certificate._subjectAlternativeNames().isEmpty {
                self = .noAlternativeName
            } else if let bytes = try? certificate.toDERBytes(), Self.hasWeakSignature(bytes[...]) {
                self = .weakSignature
            } else if let bytes = try? certificate.extractPublicKey().toSPKIBytes(), Self.hasWeakKey(bytes[...]) {
                self = .weakKey
            } else {
                return nil
            }
        }

        /// Whether the signature algorithm, the second of a certificate's three parts, is weak. (RFC 5280 section 4.1)
        private static func hasWeakSignature(_ certificate: ArraySlice<UInt8>) -> Bool {
            guard var parts = DER(certificate)?.content, let _ = DER(taking: &parts),
                let algorithm = DER(taking: &parts),
                let identifier = DER(algorithm.content)
            else { return true }
            return weakSignatures.contains(Array(identifier.content))
        }

        /// Whether the modulus, the first number of an RSA key, is too short. (RFC 3279 section 2.3.1)
        private static func hasWeakKey(_ publicKey: ArraySlice<UInt8>) -> Bool {
            guard var parts = DER(publicKey)?.content, let algorithm = DER(taking: &parts),
                let bits = DER(taking: &parts),
                let identifier = DER(algorithm.content)
            else { return true }
            guard Array(identifier.content) == rsaEncryption else { return false }
            // The first octet counts unused bits.
            guard let key = DER(bits.content.dropFirst()), let modulus = DER(key.content) else { return true }
            let number = modulus.content.drop { $0 == 0 }
            return number.count * 8 - (number.first?.leadingZeroBitCount ?? 0) < 2_048
        }

        private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        /// md5WithRSAEncryption, sha1WithRSAEncryption, ecdsa-with-SHA1 and dsa-with-sha1.
        private static let weakSignatures: [[UInt8]] = [
            [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x04],
            [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x05],
            [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x01],
            [0x2A, 0x86, 0x48, 0xCE, 0x38, 0x04, 0x03],
        ]
    }

    /// One element of DER: its content, without tag and length. (X.690 section 8.1)
    private struct DER {
        let content: ArraySlice<UInt8>

        /// The first element of some bytes.
        init?(_ bytes: ArraySlice<UInt8>) {
            var bytes = bytes
            self.init(taking: &bytes)
        }

        /// Takes the first element from some bytes.
        init?(taking bytes: inout ArraySlice<UInt8>) {
            guard bytes.count >= 2 else { return nil }
            var rest = bytes.dropFirst()
            var length = Int(rest.removeFirst())
            if length >= 0x80 {
                let count = length - 0x80
                guard (1...3).contains(count), rest.count >= count else { return nil }
                length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(count)
            }
            guard rest.count >= length else { return nil }
            content = rest.prefix(length)
            bytes = rest.dropFirst(length)
        }
    }
#endif
