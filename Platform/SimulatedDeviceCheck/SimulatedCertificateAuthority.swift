import Crypto
import Foundation

/// The simulated root of App Attest: a server that checks attestations trusts it where it would trust Apple's.
public enum SimulatedCertificateAuthority {
    private static let root = P256.Signing.PrivateKey()
    private static let intermediate = P256.Signing.PrivateKey()
    private static let rootName = "Simulated App Attestation Root CA"
    private static let intermediateName = "Simulated App Attestation CA 1"

    /// The root certificate in DER.
    public static let rootCertificate = certificate(of: root.publicKey, rootName, by: root, rootName, isAuthority: true)

    /// The public key of the root certificate.
    public static var rootKey: P256.Signing.PublicKey { root.publicKey }

    /// The chain of an attested key, its own certificate first; the root is not in it.
    ///
    /// - Parameter nonce: Binds the certificate to the attestation, in the extension 1.2.840.113635.100.8.2.
    static func chain(of key: P256.Signing.PublicKey, name: String, nonce: Data) -> [Data] {
        let content = DER.sequence(DER.context(1, DER.octets(nonce)))
        let identifier = DER.identifier([1, 2, 840, 113635, 100, 8, 2])
        let leaf = certificate(
            of: key,
            name,
            by: intermediate,
            intermediateName,
            isAuthority: false,
            extensions: DER.sequence(identifier, DER.octets(content))
        )
        let issuer = certificate(of: intermediate.publicKey, intermediateName, by: root, rootName, isAuthority: true)
        return [leaf, issuer]
    }

    /// A certificate of RFC 5280 section 4.1.
    private static func certificate(
        of key: P256.Signing.PublicKey,
        _ subject: String,
        by issuerKey: P256.Signing.PrivateKey,
        _ issuer: String,
        isAuthority: Bool,
        extensions: Data = Data()
    ) -> Data {
        let algorithm = DER.sequence(DER.identifier([1, 2, 840, 10045, 4, 3, 2]))
        let constraints = DER.sequence(
            DER.identifier([2, 5, 29, 19]),
            DER.boolean(true),
            DER.octets(isAuthority ? DER.sequence(DER.boolean(true)) : DER.sequence())
        )
        let body = DER.sequence(
            DER.context(0, DER.integer(2)),
            DER.integer(1),
            algorithm,
            name(issuer),
            DER.sequence(DER.time("20200101000000Z"), DER.time("20991231235959Z")),
            name(subject),
            key.derRepresentation,
            DER.context(3, DER.sequence(constraints, extensions))
        )
        // The library's own randomness makes a signature of every message.
        let signature = (try? issuerKey.signature(for: body))?.derRepresentation ?? Data()
        return DER.sequence(body, algorithm, DER.bits(signature))
    }

    private static func name(_ text: String) -> Data {
        DER.sequence(DER.set(DER.sequence(DER.identifier([2, 5, 4, 3]), DER.utf8(text))))
    }
}
