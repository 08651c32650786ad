public import Foundation
import X509

/// A certificate authority of this machine's own for development, and the certificate that it issues to the provider.
///
/// The folder belongs to its owner alone: the key of an authority makes certificates for any host, to any program that
/// trusts the authority.
public struct DevelopmentAuthority: Sendable {
    /// The PEM file with the authority's certificate, for clients to trust.
    public let certificateFile: String
    /// The certificate of the provider's server, and its key.
    public let tls: ProviderTLS

    /// The names that every certificate is for.
    private static let loopbackNames = ["localhost", "127.0.0.1", "::1"]
    /// The time that a certificate has been valid for when it is issued, for clocks that are behind, in seconds.
    private static let lead: TimeInterval = 3600
    /// The lifetime of a server's certificate: 30 days, in seconds.
    private static let lifetime: TimeInterval = 30 * 86_400
    /// The lifetime of the authority: five years, in seconds.
    private static let authorityLifetime: TimeInterval = 1826 * 86_400

    /// Reads the authority and the certificate from a folder, and makes what is missing or about to expire.
    ///
    /// The authority stays until it would expire before a new certificate. The certificate is issued again in the second
    /// half of its 30 days, and for other names.
    ///
    /// - Parameters:
    ///   - folder: The folder, which is made for its owner alone if it is missing.
    ///   - names: Host names and IP addresses of the provider, besides `localhost`, `127.0.0.1` and `::1`.
    ///   - now: The time. Default: that of the machine.
    /// - Throws: ``ProviderServerError/certificate(_:reason:)`` with the file that cannot be read, made or used.
    public init(folder: String, names: [String] = [], now: Date = .now) throws(ProviderServerError) {
        let authorityFile = PrivateText(folder + "/ca-key.pem")
        let serverFile = PrivateText(folder + "/server.pem")
        certificateFile = folder + "/ca.pem"
        try PrivateText.makeFolder(folder)
        let authority = try Self.authority(authorityFile, now)
        try PrivateText(certificateFile).write { try authority.certificatePEM }

        let others = names.map { $0.lowercased() }.filter { !Self.loopbackNames.contains($0) }
        let all = others.reduce(into: Self.loopbackNames) { if !$0.contains($1) { $0.append($1) } }
        let kept = try serverFile.read().flatMap(KeyedCertificate.init(pem:))
        let isFresh = kept.map { kept in
            kept.certificate.notValidBefore <= now
                && kept.certificate.notValidAfter > now.addingTimeInterval(Self.lifetime / 2)
                && authority.hasIssued(kept, for: all)
        }
        if isFresh != true {
            try serverFile.write {
                try authority.issue(for: all, from: now.addingTimeInterval(-Self.lead), for: Self.lifetime).pem
            }
        }
        tls = ProviderTLS(certificateFile: serverFile.path, keyFile: serverFile.path)
    }

    /// The authority of a file; a new one where there is none, or one that ends before a new certificate does.
    private static func authority(_ file: PrivateText, _ now: Date) throws(ProviderServerError) -> KeyedCertificate {
        let kept = try read(file)
        if let kept, kept.certificate.notValidAfter > now.addingTimeInterval(lifetime) { return kept }
        // Of two processes that start at once, one makes it, and both read that one.
        try file.write(kept == nil ? .ifMissing : .replace) {
            try KeyedCertificate.authority(from: now.addingTimeInterval(-lead), for: authorityLifetime).pem
        }
        guard let made = try read(file) else { throw .certificate(file.path, reason: "it is gone") }
        return made
    }

    private static func read(_ file: PrivateText) throws(ProviderServerError) -> KeyedCertificate? {
        guard let text = try file.read() else { return nil }
        guard let kept = KeyedCertificate(pem: text) else {
            throw .certificate(file.path, reason: "it holds no authority. Remove it, and the next start makes another")
        }
        return kept
    }
}
