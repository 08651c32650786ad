import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryServer
import Testing

@Suite("Tokens that are bound to a certificate")
struct CertificateTests {
    /// Not a certificate, but as long and of the outer form of one.
    private static let der: [UInt8] = [0x30, 0x82, 0x01, 0x00] + (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    private static let base64 = Data(der).base64EncodedString()
    private static let thumbprint = Base64URL.encode(HashAlgorithm.sha256.hash(der))

    private func authorize(
        _ token: String,
        _ binding: TokenBinding = .mtls,
        source: ResourceServer.CertificateSource = .connection,
        certificate: ClientCertificate? = nil,
        fields: HTTPFields = [:]
    ) async throws -> AccessTokenRefusal.Check? {
        let server = ResourceServer(
            keys: [try KeySource(issuer: Fixtures.issuer, transport: ScriptedTransport(), clock: Fixtures.clock)],
            certificates: source,
            clock: Fixtures.clock
        )
        let policy = try AccessTokenPolicy(issuer: Fixtures.issuer, audience: Fixtures.audience, binding: binding)
        var all = fields
        all[.authorization] = "Bearer " + token
        let authorization = await (try server.resource(policy))
            .authorize(ServerRequest(fields: all, certificate: certificate))
        guard case .refused(let refusal) = authorization else { return nil }
        guard case .token(let token) = refusal.reason else {
            Issue.record("\(refusal.reason)")
            return nil
        }
        return token.check
    }

    private var bound: String { Fixtures.token { $0["cnf"] = ["x5t#S256": .string(Self.thumbprint)] } }

    @Test("A certificate-bound token requires the connection's certificate", arguments: [TokenBinding.mtls, .any])
    func connection(_ binding: TokenBinding) async throws {
        let own = try #require(ClientCertificate(der: Self.der))
        #expect(own.thumbprint == Self.thumbprint)
        #expect(try await authorize(bound, binding, certificate: own) == nil)
        #expect(try await authorize(bound, binding) == .confirmation)
        let other = try #require(ClientCertificate(der: Self.der.dropLast() + [0]))
        #expect(try await authorize(bound, binding, certificate: other) == .confirmation)
    }

    @Test("A route for certificates rejects an unbound token, and a bearer route a bound one")
    func binding() async throws {
        let own = try #require(ClientCertificate(der: Self.der))
        #expect(try await authorize(Fixtures.token(), certificate: own) == .binding)
        #expect(try await authorize(bound, .bearer, certificate: own) == .binding)
    }

    @Test("A proxy's certificate field is read only where it is trusted")
    func proxy() async throws {
        let pem = "-----BEGIN CERTIFICATE-----\n\(Self.base64)\n-----END CERTIFICATE-----\n"
        let escaped = try #require(pem.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let name = HTTPField.Name("X-Client-Cert")!
        let field: HTTPFields = [.clientCert: ":\(Self.base64):"]
        #expect(try await authorize(bound, source: .proxy(.clientCert), fields: field) == nil)
        let nginx = CertificateField(name, form: .escapedPEM)
        #expect(try await authorize(bound, source: .proxy(nginx), fields: [name: escaped]) == nil)
        #expect(try await authorize(bound, source: .connection, fields: field) == .confirmation)
        #expect(try await authorize(bound, source: .proxy(nginx), fields: field) == .confirmation)
    }

    @Test(
        "A malformed certificate field gives no certificate",
        arguments: [
            "", ":", "::", base64, ":\(base64)", ":\(base64.dropLast()):", ":\(base64)x:", ":AAAA:", ":MAAA:",
            ": \(base64):", "%", "%4", "%ZZ", "-----BEGIN CERTIFICATE-----", String(repeating: ":", count: 40_000),
        ]
    )
    func malformed(_ value: String) {
        #expect(CertificateField.clientCert.certificate(in: [.clientCert: value]) == nil)
        #expect(CertificateField(.clientCert, form: .escapedPEM).certificate(in: [.clientCert: value]) == nil)
    }

    @Test(
        "A byte sequence is read in its one form",
        arguments: [
            (":aGVsbG8=:", Array("hello".utf8)), ("::", []), (":/+Ah:", [0xFF, 0xE0, 0x21]), (":", nil), ("", nil),
            (":aGVsbG8:", nil), (":=aGVsbG8=:", nil), (":aGVsb G8=:", nil), (":aGVsbG8=!:", nil), (":_-Ah:", nil),
            (":iZ==:", nil), (":aGVsbG8=:;a", nil), ("aGVsbG8=", nil),
        ] as [(String, [UInt8]?)]
    )
    func byteSequence(_ text: String, _ bytes: [UInt8]?) {
        #expect(CertificateField.byteSequence(Array(text.utf8)) == bytes)
    }

    @Test("Two certificate fields give no certificate")
    func repeated() {
        var fields: HTTPFields = [.clientCert: ":\(Self.base64):"]
        fields.append(HTTPField(name: .clientCert, value: ":\(Self.base64):"))
        #expect(CertificateField.clientCert.certificate(in: fields) == nil)
    }
}
