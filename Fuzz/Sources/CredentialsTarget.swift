import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import OstiaryServer

extension FuzzTarget {
    /// The header fields that a resource server reads: a token, a proof of possession, a certificate from a proxy.
    static let credentials = FuzzTarget(name: "credentials") { bytes in
        let value = text(bytes)
        readToken(value)
        readProof(value)
        readCertificate(value)
    }

    private static func readToken(_ value: String) {
        guard let field = HTTPField(name: .authorization, lenient: value) else { return }
        var fields = HTTPFields()
        fields.append(field)
        let credentials = AccessTokenCredentials(in: fields)
        demandDiscreet(credentials)
        guard case .token(let scheme, let token) = credentials else { return }
        let characters = token.reveal().utf8
        demand(!characters.isEmpty, "a token is not empty")
        demand(characters.count <= AccessTokenCredentials.maximumBytes, "nothing longer than the limit is read")
        demand(!characters.contains { $0 <= 0x20 || $0 >= 0x7F || $0 == UInt8(ascii: ",") }, "a token is a b64token")
        let again: HTTPFields = [.authorization: "\(scheme.rawValue) \(token.reveal())"]
        demand(AccessTokenCredentials(in: again) == credentials, "what is written is read as the same")
        guard let policy = try? AccessTokenPolicy(issuer: World.issuer, audience: "api") else { return }
        let verdict = AccessTokenVerifier(policy).verify(token.reveal(), by: World.keys, now: World.now)
        demandDiscreet(verdict)
        if case .accepted(let token) = verdict {
            demand(token.issuer == World.issuerText && !token.subject.isEmpty, "what is accepted holds")
        }
    }

    private static func readProof(_ value: String) {
        do throws(DPoPProofCheck.Failure) {
            let proof = try DPoPProofCheck()
                .proof(value, method: .get, urls: ["https://api.example/orders"], now: World.now)
            demand((1...DPoPProofCheck.maximumIdentifierBytes).contains(proof.jti.utf8.count), "an identifier is short")
            demand(proof.thumbprint.utf8.count == 43, "a thumbprint is one")
        } catch {
            demandDiscreet(error)
        }
    }

    private static func readCertificate(_ value: String) {
        for form in CertificateField.Form.allCases {
            let certificate = CertificateField(.clientCert, form: form).certificate(in: [.clientCert: value])
            demand(certificate.map { $0.thumbprint.utf8.count == 43 } ?? true, "a thumbprint is one")
        }
    }
}

extension HTTPField {
    /// A field whose value a server let through; `nil` for one that no server lets through.
    fileprivate init?(name: Name, lenient value: String) {
        guard HTTPField.isValidValue(value) else { return nil }
        self.init(name: name, value: value)
    }
}
