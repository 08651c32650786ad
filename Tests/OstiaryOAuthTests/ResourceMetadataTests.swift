import Foundation
import OstiaryJOSE
import Testing

@testable import OstiaryOAuth

@Suite("Metadata of a protected resource")
struct ResourceMetadataTests {
    private static let resource = try! ResourceIndicator("https://api.example.com/v1")

    private func read(_ members: JSONObject) throws -> ResourceMetadata {
        try ResourceMetadataRequest(Self.resource).output(from: Fixtures.tokenResponse(members))
    }

    @Test(
        "The resource metadata URL inserts the well-known path between host and path",
        arguments: [
            ("https://api.example.com", "https://api.example.com/.well-known/oauth-protected-resource"),
            ("https://api.example.com/", "https://api.example.com/.well-known/oauth-protected-resource"),
            ("https://api.example.com/v1", "https://api.example.com/.well-known/oauth-protected-resource/v1"),
            ("https://api.example.com/v1/", "https://api.example.com/.well-known/oauth-protected-resource/v1/"),
            ("https://api.example.com/v1?a=b", "https://api.example.com/.well-known/oauth-protected-resource/v1?a=b"),
            ("https://api.example.com?a=b", "https://api.example.com/.well-known/oauth-protected-resource?a=b"),
        ]
    )
    func place(resource: String, url: String) throws {
        #expect(try ResourceMetadataRequest(ResourceIndicator(resource)).url?.absoluteString == url)
    }

    @Test("A challenge's resource_metadata gives the metadata URL, unless it is http")
    func challenged() throws {
        let challenge = try #require(
            AuthenticateChallenge.list(in: #"Bearer resource_metadata="https://api.example.com/meta""#).first
        )
        let fetch = ResourceMetadataRequest(Self.resource, at: challenge.resourceMetadata)
        #expect(try fetch.request().url.absoluteString == "https://api.example.com/meta")
        let insecure = AuthenticateChallenge.list(in: #"Bearer resource_metadata="http://api.example.com/meta""#)
        #expect(insecure.first?.resourceMetadata == nil)
    }

    @Test("Resource metadata is read")
    func content() throws {
        let metadata = try read([
            "resource": "https://api.example.com/v1", "authorization_servers": ["https://id.example.com"],
            "scopes_supported": ["read"], "bearer_methods_supported": ["header"],
            "dpop_bound_access_tokens_required": true, "dpop_signing_alg_values_supported": ["ES256", "odd"],
        ])
        #expect(metadata.authorizationServers == [Fixtures.issuer])
        #expect(metadata.scopes == ["read"] && metadata.bearerMethods == ["header"])
        #expect(metadata.requiresDPoP && metadata.dpopSigningAlgorithms == [.es256])
    }

    @Test(
        "Resource metadata of another resource is rejected",
        arguments: ["https://api.example.com/v1/", "https://evil.example.com"]
    )
    func another(resource: String) {
        #expect(
            signInError { _ = try read(["resource": .string(resource)]) } == mismatch(.discovery, .resource)
        )
        #expect(signInError { _ = try read([:]) } == mismatch(.discovery, .resource))
    }

    @Test("Resource metadata with a member of another type, or an http authorization server, is rejected")
    func malformed() {
        #expect(
            signInError { _ = try read(["resource": "https://api.example.com/v1", "authorization_servers": "x"]) }
                == SignInError(.discovery, .malformed("the resource metadata's authorization_servers"))
        )
        let error = signInError {
            _ = try read(["resource": "https://api.example.com/v1", "authorization_servers": ["http://evil.example"]])
        }
        guard case .configuration = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
