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
        do { chain = try NIOSSLCertificate.fromPEMFile(certificateFile) } catch {
            throw .certificate(certificateFile, reason: "it has no certificate in PEM")
        }
        guard !chain.isEmpty else { throw .certificate(certificateFile, reason: "it has no certificate in PEM") }
        let key: NIOSSLPrivateKey
        do { key = try NIOSSLPrivateKey(file: keyFile, format: .pem) } catch {
            throw .certificate(keyFile, reason: "it has no private key in PEM")
        }
        return .makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
    }
}
