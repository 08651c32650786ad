import Foundation
import HTTPTypes
import OstiaryJOSE
import OstiaryOAuth
import Testing

@Suite("Discovery")
struct DiscoveryTests {
    private let metadata: JSONObject = [
        "issuer": "https://id.example.com", "authorization_endpoint": "https://id.example.com/authorize",
        "token_endpoint": "https://id.example.com/token",
        "jwks_uri": "https://id.example.com/jwks",
        "id_token_signing_alg_values_supported": .array(["RS256", "none", "HS256", "ES256", "XX999"]),
        "code_challenge_methods_supported": .array(["S256"]), "authorization_response_iss_parameter_supported": true,
        "x_own": "kept",
    ]

    private func read(_ metadata: JSONObject, issuer: String = "https://id.example.com") throws -> AuthorizationServer {
        try ServerMetadataRequest(try Issuer(issuer)).output(from: Fixtures.tokenResponse(metadata))
    }

    @Test(
        "The metadata URLs follow OpenID Connect Discovery and RFC 8414",
        arguments: [
            (
                "https://id.example.com", "https://id.example.com/.well-known/openid-configuration",
                "https://id.example.com/.well-known/oauth-authorization-server"
            ),
            (
                "https://id.example.com/", "https://id.example.com/.well-known/openid-configuration",
                "https://id.example.com/.well-known/oauth-authorization-server"
            ),
            (
                "https://id.example.com/t/a", "https://id.example.com/t/a/.well-known/openid-configuration",
                "https://id.example.com/.well-known/oauth-authorization-server/t/a"
            ),
            (
                "https://id.example.com/t/", "https://id.example.com/t/.well-known/openid-configuration",
                "https://id.example.com/.well-known/oauth-authorization-server/t"
            ),
        ]
    )
    func places(_ issuer: String, _ openID: String, _ oauth: String) throws {
        #expect(try ServerMetadataRequest(try Issuer(issuer)).request().url.absoluteString == openID)
        #expect(try ServerMetadataRequest(try Issuer(issuer), form: .oauth).request().url.absoluteString == oauth)
    }

    @Test("Metadata is read with unknown members, and unsupported algorithms are left out")
    func good() throws {
        let server = try read(metadata)
        #expect(server.tokenEndpoint?.absoluteString == "https://id.example.com/token")
        #expect(server.idTokenSigningAlgorithms == [.rs256, .es256])
        #expect(server.sendsIssuerInResponses)
        #expect(server.metadata["x_own"]?.string == "kept")
        #expect(server.revocationEndpoint == nil)
    }

    @Test(
        "Metadata of another issuer is rejected, however similar",
        arguments: [
            "https://id.example.comINVALID", "https://id.example.com/", "https://ID.example.com",
            "https://id.example.com:443",
        ]
    )
    func otherIssuer(_ name: String) {
        var other = metadata
        other["issuer"] = .string(name)
        #expect(signInError { _ = try read(other) } == mismatch(.discovery, .metadataIssuer))
    }

    @Test("The error of a metadata issuer with another final slash names both issuers, without control characters")
    func namesBothIssuers() {
        var other = metadata
        other["issuer"] = "https://id.example.com/\u{1B}"
        let error = signInError { _ = try read(other) }
        #expect(error?.evidence?.expected == "https://id.example.com")
        #expect(error?.evidence?.found == "https://id.example.com/")
        #expect(
            error?.message == "The metadata names the issuer https://id.example.com/, and the app "
                + "https://id.example.com: if you trust it, use it character by character."
        )
    }

    @Test("Metadata without an issuer is rejected")
    func noIssuer() {
        var other = metadata
        other["issuer"] = nil
        #expect(signInError { _ = try read(other) } == SignInError(.discovery, .malformed("the metadata's issuer")))
    }

    @Test(
        "A metadata endpoint that is no URL, has a fragment, or is plain http elsewhere is rejected",
        arguments: [
            "authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "revocation_endpoint",
            "end_session_endpoint",
        ]
    )
    func endpoints(_ name: String) {
        for value in [.integer(1), "not a url", "https://id.example.com/x#y"] as [JSONValue] {
            var other = metadata
            other[name] = value
            #expect(
                signInError { _ = try read(other) } == SignInError(.discovery, .malformed("the metadata's \(name)"))
            )
        }
        var insecure = metadata
        insecure[name] = "http://id.example.com/x"
        #expect(signInError { _ = try read(insecure) } == SignInError(.discovery, .transport(.insecureURL)))
    }

    @Test(
        "A loopback endpoint in a remote issuer's metadata is rejected",
        arguments: ["http://127.0.0.1:8080/x", "http://localhost/x", "https://[::1]/x", "https://LOCALHOST/x"]
    )
    func loopbackEndpoint(_ url: String) throws {
        for name in ["token_endpoint", "jwks_uri", "userinfo_endpoint", "introspection_endpoint"] {
            var other = metadata
            other[name] = .string(url)
            #expect(signInError { _ = try read(other) } == mismatch(.discovery, .origin))
            other["issuer"] = "http://127.0.0.1:9000"
            _ = try read(other, issuer: "http://127.0.0.1:9000")
        }
    }

    @Test("Only a response 200 with a JSON object is metadata")
    func form() throws {
        let discovery = ServerMetadataRequest(Fixtures.issuer)
        #expect(
            signInError { _ = try discovery.output(from: EndpointResponse(status: .notFound)) }
                == SignInError(.discovery, .server(status: 404))
        )
        let page = EndpointResponse(fields: [.contentType: "text/html"], body: metadata.encoded())
        #expect(
            signInError { _ = try discovery.output(from: page) }
                == SignInError(.discovery, .malformed("the media type is not application/json"))
        )
        let array = EndpointResponse(fields: [.contentType: "application/json"], body: Array("[]".utf8))
        #expect(
            signInError { _ = try discovery.output(from: array) }
                == SignInError(.discovery, .malformed("the JSON is not an object"))
        )
    }

    @Test("A second metadata document of the same issuer adds members and changes none")
    func completed() throws {
        var second = metadata
        second["revocation_endpoint"] = "https://id.example.com/revoke"
        second["token_endpoint"] = "https://id.example.com/other"
        let whole = try read(metadata).completed(by: try read(second))
        #expect(whole.revocationEndpoint?.absoluteString == "https://id.example.com/revoke")
        #expect(whole.tokenEndpoint?.absoluteString == "https://id.example.com/token")
        second["issuer"] = "https://other.example.com"
        #expect(
            try read(metadata).completed(by: try read(second, issuer: "https://other.example.com")).revocationEndpoint
                == nil
        )
    }
}
