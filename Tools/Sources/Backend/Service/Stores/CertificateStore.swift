import NIOCore
import NIOSSL
import Synchronization

/// The certificate and key that the service presents to new connections.
final class CertificateStore: Sendable {
    private let current: Mutex<NIOSSLContextConfigurationOverride>
    private let first: TLSConfiguration

    /// - Throws: ``BackendFailure/certificate(_:)`` for files that cannot be used.
    init(_ files: BackendConfiguration.Certificate) throws {
        let (override, configuration) = try Self.read(files)
        current = Mutex(override)
        first = configuration
    }

    /// The listener's configuration, which reads the current certificate with every handshake.
    var configuration: TLSConfiguration {
        var configuration = first
        configuration.sslContextCallback = { _, promise in
            promise.succeed(self.current.withLock { $0 })
        }
        return configuration
    }

    /// Replaces the certificate and key with the current content of the files.
    func replace(with other: CertificateStore) {
        let override = other.current.withLock { $0 }
        current.withLock { $0 = override }
    }

    private static func read(
        _ files: BackendConfiguration.Certificate
    ) throws -> (NIOSSLContextConfigurationOverride, TLSConfiguration) {
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(files.chain)
            guard !chain.isEmpty else { throw BackendFailure.certificate(files.chain) }
            let key = try NIOSSLPrivateKey(file: files.key, format: .pem)
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(key)
            )
            tls.minimumTLSVersion = .tlsv12
            // Only this detects a key that does not match the certificate.
            _ = try NIOSSLContext(configuration: tls)
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = chain.map { .certificate($0) }
            override.privateKey = .privateKey(key)
            return (override, tls)
        } catch let failure as BackendFailure {
            throw failure
        } catch {
            throw BackendFailure.certificate("\(files.chain), \(files.key)")
        }
    }
}
