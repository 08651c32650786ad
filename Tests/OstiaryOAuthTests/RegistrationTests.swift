import Foundation
import HTTPTypes
import OstiaryCompatibility
import OstiaryJOSE
import Testing

@testable import OstiaryOAuth

@Suite("Registration")
struct RegistrationTests {
    private static var server: AuthorizationServer {
        var server = Fixtures.server
        server.registrationEndpoint = URL(string: "https://id.example.com/register")
        return server
    }

    private static let metadata = ClientMetadata(
        name: "An app",
        redirectURIs: [try! RedirectURI("com.example.app:/callback")],
        scopes: [.openID],
        softwareStatement: Secret("statement")
    )

    private let good: JSONObject = [
        "client_id": "c%&+=: 1", "client_secret": "s%&+=: ", "client_secret_expires_at": 1_800_000_000,
        "registration_access_token": "rat-1", "registration_client_uri": "https://id.example.com/register/1",
        "redirect_uris": ["com.example.app:/callback"], "token_endpoint_auth_method": "client_secret_basic",
        "client_name": "An app",
    ]

    private func answer(_ members: JSONObject, status: HTTPResponse.Status = .created) -> EndpointResponse {
        EndpointResponse(status: status, fields: [.contentType: "application/json"], body: members.encoded())
    }

    private func register(_ members: JSONObject) throws -> ClientRegistration {
        try ClientRegistrationRequest(Self.metadata, server: Self.server).output(from: answer(members))
    }

    private func changed(_ change: (inout JSONObject) -> Void) -> JSONObject {
        var members = good
        change(&members)
        return members
    }

    @Test("Metadata is posted as JSON, with an initial access token when there is one")
    func request() throws {
        let request = try ClientRegistrationRequest(
            Self.metadata,
            initialAccessToken: Secret("iat"),
            server: Self.server
        ).request()
        #expect(request.method == .post && request.allFields[.contentType] == "application/json")
        #expect(request.fields[.authorization] == "Bearer iat")
        let sent = try JSONObject(parsing: try #require(request.body))
        #expect(sent["client_name"] == "An app" && sent["software_statement"] == "statement")
        #expect(sent["response_types"] == ["code"] && sent["scope"] == "openid")
        #expect(
            try ClientRegistrationRequest(Self.metadata, server: Self.server).request().fields[.authorization] == nil
        )
        #expect(!"\(Self.metadata)".contains("statement\""))
    }

    @Test(
        "A response that leaves out the method of authentication leaves the requested one in force, where its secret fits",
        arguments: [
            ("none", false, "none"), ("private_key_jwt", false, "private_key_jwt"),
            ("client_secret_post", true, "client_secret_post"), ("client_secret_basic", true, "client_secret_basic"),
            ("none", true, "client_secret_basic"), ("private_key_jwt", true, "client_secret_basic"),
            ("client_secret_post", false, "client_secret_basic"),
        ]
    )
    func omittedMethod(requested: String, hasSecret: Bool, found: String) throws {
        let metadata = ClientMetadata(
            name: "An app",
            redirectURIs: [try RedirectURI("com.example.app:/callback")],
            authenticationMethod: requested
        )
        for omitted: JSONValue? in [nil, .null] {
            let response = answer(
                changed {
                    $0["token_endpoint_auth_method"] = omitted
                    if !hasSecret { $0["client_secret"] = nil }
                }
            )
            let registration = try ClientRegistrationRequest(metadata, server: Self.server).output(from: response)
            #expect(registration.metadata.authenticationMethod == found)
            let stored = try ClientRegistration(stored: registration.stored())
            #expect(stored.metadata.authenticationMethod == found)
        }
    }

    @Test("Client credentials are kept unchanged, to the last space")
    func credentials() throws {
        let registration = try register(good)
        #expect(registration.clientID == "c%&+=: 1" && registration.clientSecret == Secret("s%&+=: "))
        #expect(registration.clientSecretExpiry == Fixtures.now)
        #expect(registration.metadata.members["client_secret"] == nil)
        let client = try registration.client(redirectURI: try RedirectURI("com.example.app:/callback"))
        #expect(client.authentication.method == "client_secret_basic")
        #expect(try ClientRegistration(stored: registration.stored()) == registration)
    }

    @Test("A client signs in with a registered redirect URI, on any loopback port")
    func redirectURI() throws {
        func client(_ registered: JSONValue?, _ redirectURI: String) throws -> Client {
            try register(changed { $0["redirect_uris"] = registered }).client(redirectURI: try RedirectURI(redirectURI))
        }
        #expect(throws: SignInError(.registration, .mismatch(.redirectURI))) {
            try client(["com.example.app:/other"], "com.example.app:/callback")
        }
        #expect(throws: SignInError(.registration, .mismatch(.redirectURI))) {
            try client(["http://127.0.0.1/other"], "http://127.0.0.1:4000/callback")
        }
        #expect(throws: SignInError(.registration, .mismatch(.redirectURI))) {
            try client(["http://localhost/callback"], "http://127.0.0.1:4000/callback")
        }
        for registered in ["http://127.0.0.1/callback", "http://127.0.0.1:80/callback"] {
            _ = try client([.string(registered)], "http://127.0.0.1:4000/callback")
        }
        // A server that names none is believed: it compares them itself.
        _ = try client(nil, "com.example.app:/callback")
    }

    @Test("A renewed client secret is used from then on")
    func renewable() throws {
        let secrets = [Secret("first"), Secret("second")]
        let current = Lock(0)
        let authentication = ClientAuthentication.renewable { .clientSecretPost(secrets[current.withLock { $0 }]) }
        let client = try Client(
            id: "app",
            redirectURI: try RedirectURI("com.example.app:/callback"),
            authentication: authentication
        )
        #expect(authentication.method == "client_secret_post")
        for secret in ["first", "second"] {
            let revocation = RevocationRequest(
                Secret("token"),
                kind: .accessToken,
                client: client,
                server: Fixtures.server
            )
            #expect(try revocation.request().form[.clientSecret] == secret)
            current.withLock { $0 = 1 }
        }
    }

    @Test("A registration with half an expiry, without a client id or with half its management is rejected")
    func malformed() {
        func refusal(_ change: (inout JSONObject) -> Void) -> SignInError? {
            signInError { _ = try register(changed(change)) }
        }
        func lacks(_ member: String) -> SignInError {
            SignInError(.registration, .malformed("the response's \(member)"))
        }
        #expect(refusal { $0["client_secret_expires_at"] = -1 } == lacks("client_secret_expires_at"))
        #expect(refusal { $0["client_secret_expires_at"] = "0" } == lacks("client_secret_expires_at"))
        #expect(refusal { $0["client_id"] = nil } == lacks("client_id"))
        #expect(refusal { $0["client_id"] = "" } == lacks("client_id"))
        #expect(refusal { $0["registration_access_token"] = nil } == lacks("registration_access_token"))
        #expect(refusal { $0["registration_client_uri"] = nil } == lacks("registration_client_uri"))
        #expect(
            refusal { $0["registration_client_uri"] = "http://id.example.com/r" } == lacks("registration_client_uri")
        )
    }

    @Test("A client secret without an expiry, or with expiry 0, never expires")
    func never() throws {
        #expect(try register(changed { $0["client_secret_expires_at"] = 0 }).clientSecretExpiry == nil)
        #expect(try register(changed { $0["client_secret_expires_at"] = nil }).clientSecretExpiry == nil)
    }

    @Test("A registration response with status 200 or 201 is accepted, 202 is malformed, and an error is reported")
    func status() throws {
        let exchange = ClientRegistrationRequest(Self.metadata, server: Self.server)
        #expect(try exchange.output(from: answer(good, status: .ok)).clientID == "c%&+=: 1")
        #expect(
            signInError { _ = try exchange.output(from: answer(good, status: .accepted)) }
                == SignInError(.registration, .malformed("the status is neither 201 nor 200"))
        )
        #expect(
            signInError {
                _ = try exchange.output(from: answer(["error": "invalid_redirect_uri"], status: .badRequest))
            } == SignInError(.registration, .refused(OAuthError(code: .invalidRedirectURI)))
        )
    }

    @Test(
        "A registration with a loopback redirect URI or a private scheme has application_type native",
        arguments: [
            (["http://127.0.0.1/callback"], "native"), (["http://localhost:8080/"], "native"),
            (["com.example.app:/callback"], "native"),
            (["https://app.example.com/callback", "com.example.app:/callback"], "native"),
            (["https://app.example.com/callback"], nil),
        ] as [([String], String?)]
    )
    func applicationType(redirectURIs: [String], type: String?) throws {
        let uris = try redirectURIs.map { try RedirectURI($0) }
        let metadata = ClientMetadata(name: "An app", redirectURIs: uris)
        let sent = try JSONObject(
            parsing: try #require(try ClientRegistrationRequest(metadata, server: Self.server).request().body)
        )
        #expect(sent["application_type"]?.string == type)
        var named = metadata
        named.members["application_type"] = "web"
        let kept = try JSONObject(
            parsing: try #require(try ClientRegistrationRequest(named, server: Self.server).request().body)
        )
        #expect(kept["application_type"] == "web", "An app's own word stays.")
    }

    @Test("A registration error that is a sentence is reported as text, not as a code")
    func sentence() throws {
        let exchange = ClientRegistrationRequest(Self.metadata, server: Self.server)
        let error = signInError {
            _ = try exchange.output(
                from: answer(
                    ["error": "The requested action was forbidden", "error_description": "No."],
                    status: .forbidden
                )
            )
        }
        #expect(error?.reason == .server(status: 403))
        #expect(error?.message.contains("The requested action was forbidden") == true)
    }

    @Test("A registration update sends the client's id, and nothing else that was issued")
    func update() throws {
        let registration = try register(good)
        var metadata = registration.metadata
        metadata.members["client_name"] = "Another name"
        metadata.members["registration_access_token"] = "smuggled"
        let request = try ClientConfigurationRequest(.update(metadata), of: registration).request()
        #expect(request.method == .put && request.url.absoluteString == "https://id.example.com/register/1")
        #expect(request.fields[.authorization] == "Bearer rat-1")
        let sent = try JSONObject(parsing: try #require(request.body))
        #expect(sent["client_id"] == "c%&+=: 1" && sent["client_secret"] == nil)
        #expect(sent["client_name"] == "Another name")
        #expect(sent["registration_access_token"] == nil && sent["client_secret_expires_at"] == nil)
        #expect(try ClientConfigurationRequest(.read, of: registration).request().method == .get)
        #expect(try ClientConfigurationRequest.Delete(registration).request().method == .delete)
    }

    @Test("New credentials replace the old ones, and those left out stay")
    func rotation() throws {
        let registration = try register(good)
        let read = ClientConfigurationRequest(.read, of: registration)
        let same = try read.output(
            from: answer(["client_id": "c%&+=: 1", "client_name": "An app"], status: .ok)
        )
        #expect(same.clientSecret == registration.clientSecret && same.management == registration.management)
        #expect(same.clientSecretExpiry == registration.clientSecretExpiry)
        let rotated = try read.output(
            from: answer(
                ["client_id": "c%&+=: 1", "client_secret": "new", "registration_access_token": "rat-2"],
                status: .ok
            )
        )
        #expect(rotated.clientSecret == Secret("new") && rotated.management?.token == Secret("rat-2"))
        #expect(rotated.management?.url == registration.management?.url)
    }

    @Test("A registration response for another client or with another server's management URL is rejected")
    func elsewhere() throws {
        let read = ClientConfigurationRequest(.read, of: try register(good))
        #expect(
            signInError { _ = try read.output(from: answer(changed { $0["client_id"] = "other" }, status: .ok)) }
                == mismatch(.registration, .client)
        )
        #expect(
            signInError {
                _ = try read.output(
                    from: answer(
                        changed { $0["registration_client_uri"] = "https://evil.example.com/register/1" },
                        status: .ok
                    )
                )
            } == mismatch(.registration, .origin)
        )
    }

    @Test("A remote issuer's registration with a loopback management URL is rejected")
    func loopbackManagement() throws {
        let members = changed { $0["registration_client_uri"] = "http://127.0.0.1:8080/register/1" }
        #expect(signInError { _ = try register(members) } == mismatch(.registration, .origin))
    }

    @Test("A registered secret is used until it expires, and not sent afterwards")
    func expiredSecret() throws {
        let registration = try register(good)
        let client = try registration.client(redirectURI: try RedirectURI("com.example.app:/callback"))
        let revocation = RevocationRequest(Secret("t"), kind: .refreshToken, client: client, server: Self.server)
        let end = try #require(registration.clientSecretExpiry)
        _ = try revocation.request(at: end.addingTimeInterval(-1))
        let error = try #require(signInError { _ = try revocation.request(at: end) })
        #expect(error.stage == .registration && error.recovery == .fixConfiguration)
        #expect(signInError { try client.authentication.requireUnexpired(at: end) } == error)
        try client.authentication.requireUnexpired(at: end.addingTimeInterval(-1))
        let lasting = try register(changed { $0["client_secret_expires_at"] = 0 })
            .client(redirectURI: try RedirectURI("com.example.app:/callback"))
        try lasting.authentication.requireUnexpired(at: .distantFuture)
    }

    @Test("A renewable secret is refused before a sign-in once it has expired, and accepted once renewed")
    func expiredRenewableSecret() throws {
        let end = Lock(Fixtures.now)
        let authentication = ClientAuthentication.renewable {
            .clientSecretPost(Secret("s")).expiring(at: end.withLock { $0 })
        }
        try authentication.requireUnexpired(at: Fixtures.now.addingTimeInterval(-1))
        let error = signInError { try authentication.requireUnexpired(at: Fixtures.now) }
        #expect(error?.stage == .registration && error?.recovery == .fixConfiguration)
        end.withLock { $0 += 1 }
        try authentication.requireUnexpired(at: Fixtures.now)
    }

    @Test("A registration without management data cannot be managed")
    func unmanaged() throws {
        let registration = try register(
            changed {
                $0["registration_access_token"] = nil
                $0["registration_client_uri"] = nil
            }
        )
        #expect(
            signInError { _ = try ClientConfigurationRequest(.read, of: registration).request() }
                == SignInError(.registration, .unsupported("the management of registrations"))
        )
    }

    @Test("A client's authentication method is taken from its registration", arguments: ["none", "client_secret_post"])
    func methods(method: String) throws {
        let registration = try register(changed { $0["token_endpoint_auth_method"] = .array([.string(method)]) })
        let uri = try RedirectURI("com.example.app:/callback")
        #expect(try registration.client(redirectURI: uri).authentication.method == method)
    }

    @Test("A registration for private_key_jwt needs a key, and an unknown method is refused")
    func keys() throws {
        let uri = try RedirectURI("com.example.app:/callback")
        let keyed = try register(changed { $0["token_endpoint_auth_method"] = "private_key_jwt" })
        #expect(throws: SignInError.self) { try keyed.client(redirectURI: uri) }
        #expect(try keyed.client(redirectURI: uri, key: Fixtures.key).authentication.method == "private_key_jwt")
        let unknown = try register(changed { $0["token_endpoint_auth_method"] = "tls_client_auth" })
        #expect(throws: SignInError.self) { try unknown.client(redirectURI: uri) }
    }
}
