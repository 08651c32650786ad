import NIOSSL

/// The certificate that the provider's server presents, and its key.
public struct ProviderTLS: Sendable, Hashable {
    /// The PEM file with the certificate, followed by those of the authorities between it and the trusted one.
    public var certificateFile: String
    /// The PEM file with the private key, without a passphrase.
    public var keyFile: String

    /// Names the files.
    public init(certificateFile: String, keyFile: String) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }

    /// - Throws: ``ProviderServerError/certificate(_:reason:)`` with the file that cannot be used.
    func configuration() throws(ProviderServerError) -> TLSConfiguration {
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMBytes(try Self.bytes(of: certificateFile)) } catch {
            throw error as? ProviderServerError
                ?? .certificate(certificateFile, reason: "it has no certificate in PEM")
        }
        guard !chain.isEmpty else { throw .certificate(certificateFile, reason: "it has no certificate in PEM") }
        let key: NIOSSLPrivateKey
        do { key = try NIOSSLPrivateKey(bytes: try Self.bytes(of: keyFile), format: .pem) } catch {
            throw error as? ProviderServerError ?? .certificate(keyFile, reason: "it has no private key in PEM")
        }
        return .makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
    }

    private static func bytes(of path: String) throws(ProviderServerError) -> [UInt8] {
        do throws(ReadableFile.Failure) { return try ReadableFile.bytes(of: path) } catch {
            throw .certificate(path, reason: error.cause)
        }
    }
}
