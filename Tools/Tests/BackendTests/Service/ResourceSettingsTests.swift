import AsyncHTTPClient
import Backend
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import OstiaryOAuth
import OstiaryServer
import Testing

@Suite("The service's guarded routes in the configuration")
struct ResourceSettingsTests {
    @Test(
        "A proxy's certificate field is read, with the form that the proxy writes",
        arguments: [
            (#"{"form": "structured"}"#, CertificateField.clientCert),
            (
                #"{"name": "X-SSL-Cert", "form": "escaped_pem"}"#,
                CertificateField(HTTPField.Name("X-SSL-Cert")!, form: .escapedPEM)
            ),
        ]
    )
    func certificates(_ setting: String, _ field: CertificateField) async throws {
        let configuration = try read(Self.resource(#", "binding": "mtls""#) + #", "client_certificates": \#(setting)"#)
        #expect(configuration.certificateField == field)
        try await BackendServer.check(configuration)
    }

    @Test(
        "A resource setting that cannot work is refused with the member's name",
        arguments: ResourceSettingsTests.faults
    )
    func wrong(_ members: String, _ member: String) throws {
        do {
            _ = try read(members)
            Issue.record("It was read.")
        } catch let error as BackendConfigurationError {
            #expect(error.member == member, "\(error)")
            #expect(!error.description.contains("secret value"))
        }
    }

    static let faults: [(String, String)] = [
        (resource(#", "binding": "mtls""#), "resources[0].binding"),
        (resource() + #", "client_certificates": {"name": "a b", "form": "structured"}"#, "client_certificates.name"),
        (resource() + #", "client_certificates": {"form": "pem"}"#, "client_certificates.form"),
        (resource() + #", "client_certificates": {}"#, "client_certificates.form"),
        (resource(#", "jwks_uri": "http://id.example.com/jwks""#), "resources[0].jwks_uri"),
        (resource(#", "jwks_uri": "jwks""#), "resources[0].jwks_uri"),
        (resource(#", "jwks_uri": "file:///etc/jwks""#), "resources[0].jwks_uri"),
        (resource(#", "jwks_uri": "https://id.example.com/jwks#a""#), "resources[0].jwks_uri"),
        (
            """
            "resources": [
                {"path": "/a", "issuer": "https://id.example.com", "audience": "a", "jwks_uri": "https://a.example/jwks"},
                {"path": "/b", "issuer": "https://id.example.com", "audience": "a"},
                {"path": "/c", "issuer": "https://id.example.com", "audience": "a", "jwks_uri": "https://b.example/jwks"}]
            """, "resources[2].jwks_uri"
        ),
        (resource(path: "/.well-known/oauth-protected-resource/x"), "resources[0].path"),
        (resource(#", "tokens": "keycloack""#), "resources[0].tokens"),
        (resource(#", "tokens": "entra""#), "resources[0].tokens"),
        (resource(#", "tokens": "cognito""#), "resources[0]"),
        (resource(#", "without_audience": {}"#), "resources[0].without_audience"),
        (resource(#", "without_audience": {"clients": []}"#), "resources[0]"),
        (resource(#", "without_audience": {"clients": ["a"], "scope": "b"}"#), "resources[0].without_audience"),
        (#""resources": [{"path": "/me", "issuer": "https://id.example.com"}]"#, "resources[0].audience"),
        (resource() + #", "dpop_nonces": {"secrets": []}"#, "dpop_nonces"),
        (resource() + #", "dpop_nonces": {"secrets": [{"environment": "SHORT"}]}"#, "dpop_nonces"),
        (resource() + #", "dpop_nonces": {"secrets": ["\#(nonceSecret)"]}"#, "dpop_nonces.secrets[0]"),
        (
            resource() + #", "dpop_nonces": {"secrets": [{"environment": "NONCES"}], "seconds": 0}"#,
            "dpop_nonces.seconds"
        ),
    ]

    @Test("An issuer's keys are read from the URL that a resource configures", arguments: ["", "?tenant=a"])
    func keys(_ query: String) async throws {
        let configuration = try read(Self.resource(#", "jwks_uri": "https://id.example.com/jwks\#(query)""#))
        #expect(configuration.resources.first?.keysURL == "https://id.example.com/jwks" + query)
        try await BackendServer.check(configuration)
    }

    @Test("The form of the tokens, several audiences, and what stands for a missing one are read")
    func tokens() async throws {
        let configuration = try read(
            """
            "resources": [
                {"path": "/a", "issuer": "https://id.example.com/realms/a", "audience": ["orders", "api://orders"],
                 "tokens": "keycloak"},
                {"path": "/b", "issuer": "https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a", "tokens": "cognito",
                 "without_audience": {"clients": ["app"]}},
                {"path": "/c", "issuer": "https://id.example.com", "audience": "orders",
                 "without_audience": {"scope": "orders"}}]
            """
        )
        let policies = configuration.resources.map(\.policy)
        #expect(policies.map(\.profile) == [.keycloak, .cognito, .rfc9068])
        #expect(policies.map(\.audiences) == [["orders", "api://orders"], [], ["orders"]])
        #expect(policies.map(\.withoutAudience) == [.refused, .clients(["app"]), .scope("orders")])
        try await BackendServer.check(configuration)
    }

    @Test("Two audiences with one metadata URL are refused before the backend listens")
    func samePlace() async throws {
        let configuration = try read(
            """
            "resources": [
                {"path": "/a", "issuer": "https://id.example.com", "audience": "https://api.example.com/v1"},
                {"path": "/b", "issuer": "https://id.example.com", "audience": "https://api.example.com/v1/"}]
            """
        )
        await #expect(throws: BackendConfigurationError.self) { try await BackendServer.check(configuration) }
    }

    @Test("Routes of an audience that is a URL of the service are described there, and challenges say where")
    func described() async throws {
        let service = try await service(
            """
            "resources": [
                {"path": "/me", "issuer": "https://id.example.com", "audience": "https://api.example.com",
                 "scopes": ["read"]},
                {"path": "/admin", "issuer": "https://id.example.com", "audience": "https://api.example.com",
                 "scopes": ["admin"], "binding": "dpop"},
                {"path": "/other", "issuer": "https://id.example.com", "audience": "https://other.example.com"},
                {"path": "/named", "issuer": "https://id.example.com", "audience": "orders"}],
            """
        )
        let place = "/.well-known/oauth-protected-resource"
        let answer = try await service.get(place)
        #expect(answer.status == 200)
        let document = try JSONObject(parsing: answer.body)
        #expect(document["resource"] == "https://api.example.com")
        #expect(document["authorization_servers"] == ["https://id.example.com"])
        #expect(document["scopes_supported"] == ["read", "admin"])
        #expect(document["dpop_signing_alg_values_supported"]?.array?.contains("ES256") == true)
        for path in ["/me", "/admin"] {
            let challenge = try #require(try await service.get(path).fields["www-authenticate"].first)
            #expect(challenge.contains(#"resource_metadata="https://api.example.com\#(place)""#))
        }
        for path in ["/other", "/named"] {
            let refused = try await service.get(path)
            #expect(refused.status == 401)
            #expect(refused.fields["www-authenticate"].first?.contains("resource_metadata") == false)
        }
        await service.running.stop()
    }

    @Test("A service with nonces asks proofs for one, and two instances with one secret have the same")
    func nonces() async throws {
        let sign = """
            "dpop_nonces": {"secrets": [{"environment": "NONCES"}], "seconds": 3600},
            "sign_in": {"issuer": "https://id.example.com", "client_id": "service",
                        "client_secret": {"environment": "SECRET"}, "redirect_uri": "com.example.app:/callback"},
            """
        var nonces: Set<String> = []
        for _ in 0..<2 {
            let service = try await service(sign)
            let answer = try await service.get("/auth/session")
            #expect(answer.status == 401)
            nonces.insert(try #require(answer.fields["dpop-nonce"].first))
            await service.running.stop()
        }
        #expect(nonces.count == 1)
    }

    private static let nonceSecret = String(repeating: "secret value", count: 3)

    private static func resource(_ more: String = "", path: String = "/me") -> String {
        """
        "resources": [{"path": "\(path)", "issuer": "https://id.example.com", "audience": "https://api.example.com"\(more)}]
        """
    }

    private func read(_ members: String) throws -> BackendConfiguration {
        let file = try TemporaryFile("backend.json")
        try Data(ServiceFixture.text(members + ", ").utf8).write(to: URL(filePath: file.path))
        return try BackendConfiguration(
            contentsOf: file.path,
            environment: [
                "KEY": BackendConfigurationTests.key, "SHORT": "secret value", "NONCES": Self.nonceSecret,
                "SECRET": "secret value",
            ]
        )
    }

    private struct Service {
        let running: RunningBackend

        func get(_ path: String) async throws -> (status: Int, fields: HTTPHeaders, body: [UInt8]) {
            let request = HTTPClientRequest(url: "http://127.0.0.1:\(running.port)\(path)")
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
            let body = try await response.body.collect(upTo: 65_536)
            return (Int(response.status.code), response.headers, Array(body.readableBytesView))
        }
    }

    private func service(_ members: String) async throws -> Service {
        let trimmed = members.hasSuffix(",") ? String(members.dropLast()) : members
        return Service(running: try await BackendServer.start(try read(trimmed), logger: ServiceFixture.quiet))
    }
}
