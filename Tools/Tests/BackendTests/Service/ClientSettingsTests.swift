import AsyncHTTPClient
import Backend
import Foundation
import OstiaryJOSE
import OstiaryOAuth
import OstiaryTesting
import Testing

@Suite("Settings of clients and requests", .timeLimit(.minutes(5)))
struct ClientSettingsTests {
    private static let key: String = {
        let key = """
            {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
             "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}
            """
        return key
    }()

    private func read(_ signIn: String) throws -> BackendConfiguration {
        let file = try TemporaryFile("backend.json")
        let text = """
            {"origins": ["https://api.example.com"], "store": {"type": "memory"},
             "sealing_keys": [{"id": "1", "key": {"environment": "KEY"}}],
             "sign_in": {"issuer": "https://id.example.com", "client_id": "service",
                         "redirect_uri": "com.example.app:/callback", \(signIn)}}
            """
        try Data(text.utf8).write(to: URL(filePath: file.path))
        return try BackendConfiguration(
            contentsOf: file.path,
            environment: ["KEY": BackendConfigurationTests.key, "SECRET": "secret value", "JWK": Self.key]
        )
    }

    @Test(
        "A client with a key of its own signs assertions for the issuer, or for the token endpoint where that is asked for"
    )
    func privateKey() throws {
        let settings = try read(#""private_key": {"environment": "JWK"}"#).signIns.first
        #expect(settings?.client.authentication.method == "private_key_jwt")
        #expect(settings?.client.authentication.assertionAudience == .issuer)
        let other = try read(
            #""private_key": {"environment": "JWK"}, "assertion_audience": "token-endpoint""#
        ).signIns.first
        #expect(other?.client.authentication.assertionAudience == .tokenEndpoint)
    }

    @Test("A sign-in's request has the resource, audience, acr values, age and prompt of the configuration")
    func request() throws {
        let text = #"""
            "client_secret": {"environment": "SECRET"}, "resource": ["https://a.example", "https://b.example"],
            "audience": "api", "acr_values": ["gold"], "max_age": 60, "prompt": ["login"]
            """#
        let request = try #require(try read(text).signIns.first?.request)
        #expect(request.resources.map(\.description) == ["https://a.example", "https://b.example"])
        #expect(request.additionalParameters["audience"] == "api" && request.maximumAge == .seconds(60))
        #expect(request.authenticationContext == .required(["gold"]) && request.prompt == [.login])
        #expect(request.pushing == .whenRequired)
    }

    @Test(
        "Contradictory client credentials are refused with the member's name",
        arguments: [
            (#""client_secret": {"environment": "SECRET"}, "private_key": {"environment": "JWK"}"#, "client_secret"),
            (#""private_key": {"environment": "SECRET"}"#, "private_key"), (#""scopes": []"#, "client_secret"),
            (#""token_endpoint_auth_method": "private_key_jwt""#, "private_key"),
            (
                #""client_secret": {"environment": "SECRET"}, "token_endpoint_auth_method": "client_secret_post", "private_key": {"environment": "JWK"}"#,
                "private_key"
            ),
            (#""client_secret": {"environment": "SECRET"}, "assertion_audience": "issuer""#, "assertion_audience"),
            (#""client_secret": {"environment": "SECRET"}, "max_age": -1"#, "max_age"),
        ]
    )
    func contradictions(text: String, member: String) throws {
        let error = #expect(throws: BackendConfigurationError.self) { try read(text) }
        #expect(error?.member == "sign_in." + member, "\(String(describing: error))")
        #expect(error?.description.contains("secret value") == false)
    }

    @Test("A guarded route asks the issuer about an opaque token, as the client that the configuration names")
    func introspection() async throws {
        let place = Place()
        let issuer = try LoopbackServer { request in
            if request.target == "/introspect" {
                return SignInWorld.answer(
                    "200 OK",
                    #"""
                    {"active": \#(String(decoding: request.body, as: UTF8.self).contains("token=good")),
                     "iss": "\#(place.issuer)", "aud": "https://api.example.com", "sub": "alice", "client_id": "app",
                     "token_type": "Bearer", "exp": \#(Int(Date.now.timeIntervalSince1970) + 60),
                     "iat": \#(Int(Date.now.timeIntervalSince1970)), "jti": "1"}
                    """#,
                    ["Content-Type: application/json"]
                )
            }
            return SignInWorld.answer(
                "200 OK",
                #"""
                {"issuer": "\#(place.issuer)", "introspection_endpoint": "\#(place.issuer)/introspect",
                 "jwks_uri": "\#(place.issuer)/jwks", "token_endpoint": "\#(place.issuer)/token",
                 "authorization_endpoint": "\#(place.issuer)/authorize"}
                """#,
                ["Content-Type: application/json"]
            )
        }
        place.set("http://127.0.0.1:\(issuer.port)")
        let file = try TemporaryFile("backend.json")
        let text = """
            {"listen": {"port": 0}, "origins": ["https://api.example.com"], "store": {"type": "memory"},
             "sealing_keys": [{"id": "1", "key": {"environment": "KEY"}}],
             "resources": [{"path": "/me", "issuer": "\(place.issuer)", "audience": "https://api.example.com",
                            "introspection": {"client_id": "api", "client_secret": {"environment": "SECRET"}}}]}
            """
        try Data(text.utf8).write(to: URL(filePath: file.path))
        let configuration = try BackendConfiguration(
            contentsOf: file.path,
            environment: ["KEY": BackendConfigurationTests.key, "SECRET": "secret value"]
        )
        let fixture = ServiceFixture(
            running: try await BackendServer.start(configuration, logger: ServiceFixture.quiet)
        )
        let (status, body, _) = try await fixture.get("/me", [("authorization", "Bearer good")])
        #expect(status == 200 && body.contains("\"alice\""))
        #expect(try await fixture.get("/me", [("authorization", "Bearer bad")]).0 == 401)
        let asked = try #require(issuer.requests.first { $0.target == "/introspect" })
        let basic = "Basic " + Data("api:secret%20value".utf8).base64EncodedString()
        #expect(asked.values(of: "authorization") == [basic])
        await fixture.running.stop()
        issuer.stop()
    }

    @Test("Two resources of one issuer that ask as two clients are refused")
    func twoIntrospections() throws {
        let file = try TemporaryFile("backend.json")
        func resource(_ path: String, _ client: String) -> String {
            """
            {"path": "\(path)", "issuer": "https://id.example.com", "audience": "a",
             "introspection": {"client_id": "\(client)", "client_secret": {"environment": "SECRET"}}}
            """
        }
        let text = """
            {"origins": ["https://api.example.com"], "store": {"type": "memory"},
             "sealing_keys": [{"id": "1", "key": {"environment": "KEY"}}],
             "resources": [\(resource("/a", "one")), \(resource("/b", "two"))]}
            """
        try Data(text.utf8).write(to: URL(filePath: file.path))
        let error = #expect(throws: BackendConfigurationError.self) {
            try BackendConfiguration(
                contentsOf: file.path,
                environment: ["KEY": BackendConfigurationTests.key, "SECRET": "secret value"]
            )
        }
        #expect(error?.member == "resources[1].introspection")
    }
}

/// The issuer's name, known once its port is.
private final class Place: Sendable {
    private let lock = NSLock()
    private nonisolated(unsafe) var text = ""
    var issuer: String { lock.withLock { text } }
    func set(_ text: String) { lock.withLock { self.text = text } }
}
