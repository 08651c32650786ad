import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate with its key, on P-256 (ES256).
struct KeyedCertificate: Sendable {
    let certificate: Certificate
    private let key: P256.Signing.PrivateKey

    /// The certificate alone.
    var certificatePEM: String {
        get throws { try certificate.serializeAsPEM().pemString + "\n" }
    }

    /// The key, then the certificate.
    var pem: String {
        get throws { key.pemRepresentation + "\n" + (try certificatePEM) }
    }

    /// Reads what ``pem`` writes; `nil` for anything else, and for a key that is not the certificate's.
    init?(pem: String) {
        guard let parts = try? PEMDocument.parseMultiple(pemString: pem), parts.count == 2,
            let key = try? P256.Signing.PrivateKey(pemRepresentation: parts[0].pemString),
            let certificate = try? Certificate(pemDocument: parts[1]),
            certificate.publicKey == Certificate.PublicKey(key.publicKey)
        else { return nil }
        self.certificate = certificate
        self.key = key
    }

    private init(certificate: Certificate, key: P256.Signing.PrivateKey) {
        self.certificate = certificate
        self.key = key
    }

    /// Makes an authority that issues certificates of servers alone. (RFC 5280 section 4.2.1.9)
    static func authority(from start: Date, for lifetime: TimeInterval) throws -> KeyedCertificate {
        let key = P256.Signing.PrivateKey()
        let publicKey = Certificate.PublicKey(key.publicKey)
        let name = try DistinguishedName {
            OrganizationName("Ostiary")
            CommonName("Ostiary development authority")
        }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: publicKey,
            notValidBefore: start,
            notValidAfter: start.addingTimeInterval(lifetime),
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectKeyIdentifier(hash: publicKey)
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        return KeyedCertificate(certificate: certificate, key: key)
    }

    /// Issues the certificate of a server. (RFC 9525 section 2)
    ///
    /// - Parameters:
    ///   - names: Its host names and IP addresses, the only names that clients compare.
    ///   - start: The beginning of its validity.
    ///   - lifetime: The validity, in seconds.
    /// - Returns: The certificate with a new key.
    /// - Throws: The error of the library that encodes or signs it.
    func issue(for names: [String], from start: Date, for lifetime: TimeInterval) throws -> KeyedCertificate {
        let key = P256.Signing.PrivateKey()
        let publicKey = Certificate.PublicKey(key.publicKey)
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: publicKey,
            notValidBefore: start,
            notValidAfter: min(start.addingTimeInterval(lifetime), self.certificate.notValidAfter),
            issuer: self.certificate.subject,
            subject: try DistinguishedName {
                OrganizationName("Ostiary")
                CommonName("Ostiary development provider")
            },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names.map(Self.name))
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(
                    keyIdentifier: SubjectKeyIdentifier(hash: self.certificate.publicKey).keyIdentifier
                )
            },
            issuerPrivateKey: Certificate.PrivateKey(self.key)
        )
        return KeyedCertificate(certificate: certificate, key: key)
    }

    /// Whether this authority issued a certificate, for exactly these names.
    func hasIssued(_ other: KeyedCertificate, for names: [String]) -> Bool {
        guard certificate.publicKey.isValidSignature(other.certificate.signature, for: other.certificate),
            let own = try? other.certificate.extensions.subjectAlternativeNames
        else { return false }
        return Array(own) == names.map(Self.name)
    }

    /// A host name, or an address in its binary form. (RFC 5280 section 4.2.1.6)
    private static func name(_ text: String) -> GeneralName {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            return .ipAddress(ASN1OctetString(contentBytes: withUnsafeBytes(of: four) { ArraySlice($0) }))
        }
        var six = in6_addr()
        if inet_pton(AF_INET6, text, &six) == 1 {
            return .ipAddress(ASN1OctetString(contentBytes: withUnsafeBytes(of: six) { ArraySlice($0) }))
        }
        return .dnsName(text)
    }
}
